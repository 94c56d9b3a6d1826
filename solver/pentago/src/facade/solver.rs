//! [`Solver`]: computes the value of a position and of every move.

use super::{DEFAULT_MEMORY, Threads};
#[cfg(feature = "tables")]
use crate::Tablebase;
use crate::ask::Search;
#[cfg(feature = "tables")]
use crate::ask::Stored;
use crate::error::{Error, ErrorKind};
use pentago_base::{Clock, Control, lock};
use pentago_core::answer::{Answer, Estimate, Question};
use pentago_core::kernel::Kernel;
use pentago_core::rules::{Position, Rules};
use pentago_core::solve::RootedSolver;
use std::num::NonZeroUsize;
#[cfg(feature = "tables")]
use std::sync::Arc;
use std::sync::Mutex;

/// Solves positions under one set of rules. The solver uses a tablebase if it has one, and
/// otherwise retrograde analysis of all positions below the given position.
///
/// Positions of Pentago with about 14 or more marbles are solved to the end of the game. Each
/// additional empty socket needs about 2.9 times as much memory (0.3 GB for 18 marbles, 19 GB for
/// 14). Positions with fewer marbles are searched as deep as memory and time allow. Values beyond
/// that depth are [`Value::Unknown`](crate::Value::Unknown).
///
/// Threads may share a solver, which answers one question at a time.
///
/// ```
/// use pentago::{Control, Position, Question, Solver, Value};
///
/// let solver = Solver::builder().memory(500_000_000).build()?;
/// let position: Position = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o".parse()?;
/// let question = Question { distance: true, ..Question::default() };
/// let answer = solver.answer(&position, &question, &Control::new())?;
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

/// The settings of a [`Solver`].
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
    /// Returns a builder with the default settings.
    pub fn builder() -> SolverBuilder {
        SolverBuilder::default()
    }

    /// Returns the rules of the solver.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns the kernel that the solver uses.
    pub fn kernel(&self) -> Kernel {
        self.rooted().kernel
    }

    /// Returns the memory limit of a solution in bytes.
    pub fn memory(&self) -> u64 {
        self.rooted().memory
    }

    /// Returns the number of threads that the solver uses.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads.count
    }

    /// Estimates the cost of the full solution of a position.
    pub fn estimate(&self, position: &Position) -> Estimate {
        self.rooted().estimate(position, usize::MAX)
    }

    /// Finds the value of a position and of every move.
    ///
    /// # Errors
    /// As for [`Solver::answer`].
    pub fn solve(&self, position: &Position) -> Result<Answer, Error> {
        self.answer(position, &Question::default(), &Control::new())
    }

    /// Answers a question. `control` reports the progress, and can cancel the work from another
    /// thread.
    ///
    /// # Errors
    /// - [`Input`](crate::ErrorKind::Input): the shapes of the position and of the rules differ.
    /// - [`Environment`](crate::ErrorKind::Environment): the exact value or the depth of the
    ///   question needs more memory than the limit. [`NotEnoughMemory`](crate::NotEnoughMemory)
    ///   reports the solution that would fit.
    /// - [`Cancelled`](crate::ErrorKind::Cancelled): the work was cancelled.
    /// - [`Missing`](crate::ErrorKind::Missing),
    ///   [`Contradiction`](crate::ErrorKind::Contradiction): a table is damaged or wrong.
    pub fn answer(
        &self,
        position: &Position,
        question: &Question,
        control: &Control,
    ) -> Result<Answer, Error> {
        self.search(position, question, control, |search| search.answer())
    }

    /// Returns the same answer as [`Solver::answer`] if the tables contain it, or if it takes no
    /// more than about `boards` boards and fits in memory. One million boards take milliseconds.
    /// Otherwise returns `None`.
    ///
    /// # Errors
    /// As for [`Solver::answer`], except for a lack of memory.
    pub fn quick_answer(
        &self,
        position: &Position,
        question: &Question,
        control: &Control,
        boards: u64,
    ) -> Result<Option<Answer>, Error> {
        self.search(position, question, control, |search| search.quick_answer(boards.into()))
    }

    fn search<T: Send>(
        &self,
        position: &Position,
        question: &Question,
        control: &Control,
        ask: impl FnOnce(Search) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        let mut guard = self.rooted();
        let rooted = &mut *guard;
        self.threads.run(|| {
            let search = Search::new(position, question, rooted, control);
            #[cfg(feature = "tables")]
            let search = search.with(self.stored());
            ask(search)
        })
    }

    #[cfg(feature = "tables")]
    fn stored(&self) -> Stored<'_> {
        #[cfg(feature = "openings")]
        let openings = self.openings.as_ref().map(|openings| Stored::Openings(&openings.tables));
        #[cfg(not(feature = "openings"))]
        let openings = None;
        let tables = self.tablebase.as_ref().map(|tablebase| Stored::Tables(&tablebase.tables));
        tables.or(openings).unwrap_or_default()
    }

    fn rooted(&self) -> std::sync::MutexGuard<'_, RootedSolver> {
        // A poisoned lock is safe to use, because a solution reads no data of earlier solutions.
        lock(&self.rooted)
    }
}

impl SolverBuilder {
    /// Sets the rules. The default is [`Rules::default`].
    pub fn rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// Sets the memory limit of a solution in bytes. The default is 4 GB.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Sets the number of threads. The default is one thread for each CPU that this process may
    /// use.
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets the kernel. The default is the fastest kernel that this CPU supports. The kernel `gpu`
    /// requires a program that was compiled with this feature. If the machine has no GPU, each
    /// answer is an error.
    pub fn kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = Some(kernel);
        self
    }

    /// Sets the clock. The default is the system's clock, if there is one. Without a clock, time
    /// limits have no effect.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Enables or disables the published values of the first plies, which are built into the
    /// program. This setting has no effect on a solver with a tablebase; see
    /// [`Tablebase::with_openings`].
    #[cfg(feature = "openings")]
    pub fn openings(mut self, openings: bool) -> Self {
        self.openings = openings;
        self
    }

    /// Sets the tables to consult before anything is computed.
    #[cfg(feature = "tables")]
    pub fn tablebase(mut self, tablebase: Arc<Tablebase>) -> Self {
        self.tablebase = Some(tablebase);
        self
    }

    /// Estimates the cost of a solution that is `plies` plies deep, or ends earlier with the game.
    pub fn estimate(&self, position: &Position, plies: usize) -> Estimate {
        let kernel = self.kernel.unwrap_or_else(Kernel::best);
        let one = NonZeroUsize::MIN;
        let threads = self.threads.unwrap_or_else(|| std::thread::available_parallelism().unwrap_or(one));
        RootedSolver::new(self.rules, kernel, threads, 0).estimate(position, plies)
    }

    /// Makes a solver with these settings.
    ///
    /// # Errors
    /// [`Environment`](crate::ErrorKind::Environment) if the threads can't be started,
    /// [`Input`](crate::ErrorKind::Input) if the options of the rules contradict each other.
    pub fn build(self) -> Result<Solver, Error> {
        if !self.rules.fit() {
            return Err(Error::new(ErrorKind::Input, pentago_core::rules::DONT_FIT));
        }
        let memory = self.memory.unwrap_or(DEFAULT_MEMORY);
        let threads = Threads::new(self.threads)?;
        let kernel = self.kernel.unwrap_or_else(Kernel::best);
        let mut rooted = RootedSolver::new(self.rules, kernel, threads.count, memory);
        rooted.clock = self.clock;
        Ok(Solver {
            rooted: Mutex::new(rooted),
            rules: self.rules,
            threads,
            #[cfg(feature = "tables")]
            tablebase: self.tablebase,
            #[cfg(feature = "openings")]
            openings: if self.openings { Some(Tablebase::openings()?) } else { None },
        })
    }
}
