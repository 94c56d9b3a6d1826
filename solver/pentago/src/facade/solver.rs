//! [`Solver`]: a position in, its value and that of every move out.

use super::{DEFAULT_MEMORY, Threads};
#[cfg(feature = "tables")]
use crate::Tablebase;
use crate::answer::{Answer, Estimate, Request};
#[cfg(feature = "tables")]
use crate::ask::Stored;
use crate::ask::{AskError, Question};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::rules::{Position, Rules};
use crate::solve::RootedSolver;
use pentago_base::{Clock, Control, lock};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Solves positions under one set of rules: with a tablebase if it was given one, and by retrograde
/// analysis of everything downstream of the position.
///
/// From about 14 marbles on every position of Pentago is solved, in memory that grows about 2.9
/// times with each empty socket (18 marbles: 0.3 GB; 14: 19 GB). Earlier positions are looked ahead
/// as deep as memory and time allow, and what that leaves open is
/// [`Value::Unknown`](crate::Value::Unknown).
///
/// It may be shared between threads; it answers one question at a time.
///
/// ```
/// use pentago::{Position, Solver, Value};
///
/// let solver = Solver::builder().memory(500_000_000).distances(true).build()?;
/// let position: Position = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o".parse()?;
/// let answer = solver.solve(&position)?;
/// assert_eq!(answer.value, Value::Win);
/// assert_eq!(answer.best_moves()[0].distance, Some(7));
/// # Ok::<(), pentago::Error>(())
/// ```
pub struct Solver {
    rooted: Mutex<RootedSolver>,
    rules: Rules,
    request: Request,
    threads: Threads,
    #[cfg(feature = "tables")]
    tablebase: Option<Arc<Tablebase>>,
    control: Arc<Control>,
}

/// How a [`Solver`] works.
#[derive(Default)]
#[must_use]
pub struct SolverBuilder {
    rules: Rules,
    memory: Option<u64>,
    threads: Option<NonZeroUsize>,
    kernel: Option<Kernel>,
    request: Request,
    clock: Clock,
    #[cfg(feature = "tables")]
    tablebase: Option<Arc<Tablebase>>,
    control: Arc<Control>,
}

impl Solver {
    /// Sets up a solver.
    pub fn builder() -> SolverBuilder {
        SolverBuilder::default()
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// What stops a solution from another thread, and tells how far it is.
    #[must_use]
    pub fn control(&self) -> &Arc<Control> {
        &self.control
    }

    /// What the full solution of a position would take.
    #[must_use]
    pub fn estimate(&self, position: &Position) -> Estimate {
        self.rooted().estimate(position, usize::MAX)
    }

    /// The value of a position and of every move.
    ///
    /// # Errors
    /// [`Input`](crate::ErrorKind::Input) if the position lies on another board than that of the
    /// rules, [`Environment`](crate::ErrorKind::Environment) if it takes more memory than it may (a
    /// position with fewer than 15 marbles is looked ahead instead, unless the exact value was
    /// asked for), [`Cancelled`](crate::ErrorKind::Cancelled) if it was stopped, and what can be
    /// wrong with a tablebase.
    pub fn solve(&self, position: &Position) -> Result<Answer, Error> {
        self.answer(position, &self.request, &self.control)
    }

    /// The answer to another question than that of the builder, watched and stopped by another
    /// control.
    ///
    /// # Errors
    /// As for [`Solver::solve`].
    pub fn answer(&self, position: &Position, request: &Request, control: &Control) -> Result<Answer, Error> {
        let question = Question::new(position, request);
        #[cfg(feature = "tables")]
        let question = match &self.tablebase {
            Some(tablebase) => question.with(Stored::Tables(&tablebase.tables)),
            None => question,
        };
        let mut guard = self.rooted();
        let rooted = &mut *guard;
        let answer: Result<Answer, AskError> = self.threads.run(|| question.answer(rooted, control));
        Ok(answer?)
    }

    fn rooted(&self) -> std::sync::MutexGuard<'_, RootedSolver> {
        // A solution that panicked leaves nothing behind that the next one reads.
        lock(&self.rooted)
    }
}

impl SolverBuilder {
    /// The rules; otherwise those of [`Rules::default`].
    pub fn rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// Bytes of memory that a solution may take; otherwise 4 GB.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Threads; otherwise one for each processor that this process may use.
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// The kernel; otherwise the fastest that this processor runs.
    pub fn kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = Some(kernel);
        self
    }

    /// Limits the search to `plies` plies. Otherwise it goes to the end of the game where that
    /// fits.
    pub fn depth(mut self, plies: usize) -> Self {
        self.request.depth = Some(plies);
        self
    }

    /// Whether only the full solution will do.
    pub fn exact(mut self, exact: bool) -> Self {
        self.request.exact = exact;
        self
    }

    /// Whether to find distances to the end of the game and a principal variation: takes about
    /// twice the time.
    pub fn distances(mut self, distances: bool) -> Self {
        self.request.distance = distances;
        self
    }

    /// The time for looking ahead deeper and deeper where the full solution doesn't fit in memory.
    pub fn time(mut self, time: Duration) -> Self {
        self.request.time = Some(time);
        self
    }

    /// The clock that measures the time; by default that of the system, if it has one. Without a
    /// clock the time is not limited.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Tables to look in first.
    #[cfg(feature = "tables")]
    pub fn tablebase(mut self, tablebase: Arc<Tablebase>) -> Self {
        self.tablebase = Some(tablebase);
        self
    }

    /// What stops the solutions of this solver, and tells how far they are.
    pub fn control(mut self, control: Arc<Control>) -> Self {
        self.control = control;
        self
    }

    /// The solver.
    ///
    /// # Errors
    /// [`Environment`](crate::ErrorKind::Environment) if the system gives no threads.
    pub fn build(self) -> Result<Solver, Error> {
        let memory = self.memory.unwrap_or(DEFAULT_MEMORY);
        let threads = Threads::new(self.threads)?;
        let kernel = self.kernel.unwrap_or_else(Kernel::best);
        let rooted = RootedSolver::new(self.rules, kernel, threads.count, memory);
        Ok(Solver {
            rooted: Mutex::new(rooted.with_clock(self.clock)),
            rules: self.rules,
            request: self.request,
            threads,
            #[cfg(feature = "tables")]
            tablebase: self.tablebase,
            control: self.control,
        })
    }
}
