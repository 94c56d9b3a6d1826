//! [`Solver`]: a position in, its value and that of every move out.

use super::{DEFAULT_MEMORY, Threads};
#[cfg(feature = "tables")]
use crate::Tablebase;
#[cfg(feature = "tables")]
use crate::ask::Stored;
use crate::ask::{AskError, Question};
use crate::error::{Error, ErrorKind};
use pentago_base::{Clock, Control, lock};
use pentago_core::answer::{Answer, Estimate, Request};
use pentago_core::kernel::Kernel;
use pentago_core::rules::{Position, Rules};
use pentago_core::solve::RootedSolver;
use std::num::NonZeroUsize;
#[cfg(feature = "tables")]
use std::sync::Arc;
use std::sync::Mutex;

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
/// use pentago::{Control, Position, Request, Solver, Value};
///
/// let solver = Solver::builder().memory(500_000_000).build()?;
/// let position: Position = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o".parse()?;
/// let request = Request { distance: true, ..Request::default() };
/// let answer = solver.answer(&position, &request, &Control::new())?;
/// assert_eq!(answer.value, Value::Win);
/// assert_eq!(answer.best_moves()[0].distance, Some(7));
/// # Ok::<(), pentago::Error>(())
/// ```
pub struct Solver {
    rooted: Mutex<RootedSolver>,
    rules: Rules,
    threads: Threads,
    #[cfg(feature = "tables")]
    tablebase: Option<Arc<Tablebase>>,
    #[cfg(feature = "openings")]
    openings: Option<Tablebase>,
}

/// How a [`Solver`] works.
#[derive(Default)]
#[must_use]
pub struct SolverBuilder {
    rules: Rules,
    memory: Option<u64>,
    threads: Option<NonZeroUsize>,
    kernel: Option<Kernel>,
    clock: Clock,
    #[cfg(feature = "tables")]
    tablebase: Option<Arc<Tablebase>>,
    #[cfg(feature = "openings")]
    openings: bool,
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

    /// The kernel.
    #[must_use]
    pub fn kernel(&self) -> Kernel {
        self.rooted().kernel()
    }

    /// Bytes of memory that a solution may take.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.rooted().memory()
    }

    /// The number of threads.
    #[must_use]
    pub fn threads(&self) -> NonZeroUsize {
        self.threads.count
    }

    /// What the full solution of a position would take.
    #[must_use]
    pub fn estimate(&self, position: &Position) -> Estimate {
        self.rooted().estimate(position, usize::MAX)
    }

    /// The value of a position and of every move.
    ///
    /// # Errors
    /// As for [`Solver::answer`].
    pub fn solve(&self, position: &Position) -> Result<Answer, Error> {
        self.answer(position, &Request::default(), &Control::new())
    }

    /// The answer to a request. `control` tells how far it is, and stops it from another thread.
    ///
    /// # Errors
    /// [`Input`](crate::ErrorKind::Input) if the position lies on another board than that of the
    /// rules; [`Environment`](crate::ErrorKind::Environment) if the exact value or the depth that was asked
    /// for takes more memory than it may: then [`NotEnoughMemory`](crate::NotEnoughMemory) says what would
    /// fit;
    /// [`Cancelled`](crate::ErrorKind::Cancelled) if it was stopped;
    /// [`Missing`](crate::ErrorKind::Missing) and [`Contradiction`](crate::ErrorKind::Contradiction)
    /// if a table is damaged or wrong.
    pub fn answer(&self, position: &Position, request: &Request, control: &Control) -> Result<Answer, Error> {
        let answer = self.run(|rooted| self.question(position, request).answer(rooted, control));
        Ok(answer?)
    }

    /// The same answer, if the tables have it or no more than about `boards` boards are to be
    /// computed for it, and the memory suffices: one million takes milliseconds. Otherwise none.
    ///
    /// # Errors
    /// As for [`Solver::answer`], but not for want of memory.
    pub fn quick_answer(
        &self,
        position: &Position,
        request: &Request,
        control: &Control,
        boards: u64,
    ) -> Result<Option<Answer>, Error> {
        let question = self.question(position, request);
        Ok(self.run(|rooted| question.quick_answer(rooted, control, boards.into()))?)
    }

    fn question<'a>(&'a self, position: &'a Position, request: &'a Request) -> Question<'a> {
        let question = Question::new(position, request);
        #[cfg(feature = "tables")]
        if let Some(tablebase) = &self.tablebase {
            return question.with(Stored::Tables(&tablebase.tables));
        }
        #[cfg(feature = "openings")]
        if let Some(openings) = &self.openings {
            return question.with(Stored::Openings(&openings.tables));
        }
        question
    }

    fn run<T: Send>(
        &self,
        ask: impl FnOnce(&mut RootedSolver) -> Result<T, AskError> + Send,
    ) -> Result<T, AskError> {
        let mut guard = self.rooted();
        let rooted = &mut *guard;
        self.threads.run(|| ask(rooted))
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

    /// The kernel; otherwise the fastest that this processor runs. `gpu` is the kernel of graphics
    /// processors, in programs built with that feature: without one, answers are errors.
    pub fn kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = Some(kernel);
        self
    }

    /// The clock that measures the time; by default that of the system, if it has one. Without a
    /// clock the time is not limited.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Whether the published values of the first plies, which are part of the program, answer where
    /// they can. A tablebase takes their place ([`Tablebase::with_openings`]).
    #[cfg(feature = "openings")]
    pub fn openings(mut self, openings: bool) -> Self {
        self.openings = openings;
        self
    }

    /// Tables to look in first.
    #[cfg(feature = "tables")]
    pub fn tablebase(mut self, tablebase: Arc<Tablebase>) -> Self {
        self.tablebase = Some(tablebase);
        self
    }

    /// What the solution of a position `plies` ahead, or to the end of the game, would take.
    #[must_use]
    pub fn estimate(&self, position: &Position, plies: usize) -> Estimate {
        let kernel = self.kernel.unwrap_or_else(Kernel::best);
        let one = NonZeroUsize::MIN;
        let threads = self.threads.unwrap_or_else(|| std::thread::available_parallelism().unwrap_or(one));
        RootedSolver::new(self.rules, kernel, threads, 0).estimate(position, plies)
    }

    /// The solver.
    ///
    /// # Errors
    /// [`Environment`](crate::ErrorKind::Environment) if the system gives no threads,
    /// [`Input`](crate::ErrorKind::Input) if the options of the rules don't go together.
    pub fn build(self) -> Result<Solver, Error> {
        if !self.rules.fit() {
            return Err(Error::new(ErrorKind::Input, pentago_core::rules::DONT_FIT));
        }
        let memory = self.memory.unwrap_or(DEFAULT_MEMORY);
        let threads = Threads::new(self.threads)?;
        let kernel = self.kernel.unwrap_or_else(Kernel::best);
        let rooted = RootedSolver::new(self.rules, kernel, threads.count, memory);
        Ok(Solver {
            rooted: Mutex::new(rooted.with_clock(self.clock)),
            rules: self.rules,
            threads,
            #[cfg(feature = "tables")]
            tablebase: self.tablebase,
            #[cfg(feature = "openings")]
            openings: if self.openings { Some(Tablebase::openings()?) } else { None },
        })
    }
}
