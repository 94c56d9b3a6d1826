//! The Python class `Solver`.

use crate::arguments::{self, Size};
use crate::errors::raised;
use crate::position::Position;
use crate::records;
use crate::tablebase::Tablebase;
use crate::watch::watched;
use pentago::{Control, Kernel, Pool};
use pentago_games::{Game, Question, SearchContext};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

/// The default memory limit of a solution, in bytes.
const MEMORY: u64 = 4_000_000_000;

/// The default time limit for a position whose full solution doesn't fit in memory.
const TIME: Duration = Duration::from_secs(10);

/// A solver for positions of all games. If ``tablebase`` is given, the solver looks up each
/// position in the tables first.
///
/// ``memory`` is the memory limit of a solution: a number of bytes, or a string such as ``8G``. The
/// default is 4 GB. A position with 18 marbles takes 0.3 GB, and a position with 14 marbles takes
/// 19 GB. ``threads`` is the number of threads; the default is one per core. Several threads may
/// share a solver, but it answers only one question at a time.
///
/// >>> Solver(memory="1G").solve(Position("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o")).value
/// Value.WIN
#[pyclass(frozen, module = "pentago_solver")]
pub struct Solver {
    memory: u64,
    threads: NonZeroUsize,
    kernel: Option<Kernel>,
    /// The tables in which positions are looked up before they are solved.
    tablebase: Option<Py<Tablebase>>,
    pool: Pool,
    /// The games of earlier questions. The key is the rules. Each game caches results that speed up
    /// later questions.
    by_rules: Mutex<HashMap<String, Arc<dyn Game>>>,
}

#[pymethods]
impl Solver {
    #[new]
    #[pyo3(signature = (memory = None, threads = None, *, kernel = None, tablebase = None))]
    fn new(
        py: Python<'_>,
        memory: Option<Size>,
        threads: Option<usize>,
        kernel: Option<&str>,
        tablebase: Option<Py<Tablebase>>,
    ) -> PyResult<Solver> {
        let kernel = kernel.map(str::parse::<Kernel>).transpose();
        let kernel = kernel.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let all = || available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let threads = arguments::threads(threads)?.unwrap_or_else(all);
        if let Some(tablebase) = &tablebase {
            // Open the tables now, so that the constructor raises the error if a table is bad.
            // Otherwise the first call of `solve` would raise it.
            tablebase.get().of_all_games(py)?;
        }
        let memory = memory.map_or(MEMORY, |size| size.0);
        let pool = Pool::new(Some(threads));
        Ok(Solver { memory, threads, kernel, tablebase, pool, by_rules: Mutex::default() })
    }

    /// Returns the value of a position and of every move.
    ///
    /// If ``distance`` is true, the answer also contains the number of plies to the end of the game
    /// and a line of best moves, which takes about twice the time. ``depth`` is the maximum depth
    /// of the search in plies. If ``exact`` is true, the full solution is required. ``time`` is the
    /// time limit in seconds. The default is 10 for positions whose full solution doesn't fit in
    /// memory, and no limit for other positions. ``progress`` is called with a Progress a few times
    /// per second. An exception from ``progress`` stops the solution, and so does Ctrl-C.
    ///
    /// Raises MemoryError if the solution exceeds the memory limit, OSError if the operating system
    /// reports an error, and LookupError if ``exact`` is true and there is no full solution.
    #[pyo3(signature = (position, *, distance = false, depth = None, exact = false, time = None, progress = None))]
    #[allow(clippy::too_many_arguments)]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        position: Position,
        distance: bool,
        depth: Option<u32>,
        exact: bool,
        time: Option<f64>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let time = time.map(Duration::try_from_secs_f64).transpose();
        let time = time.map_err(|error| PyValueError::new_err(format!("time: {error}")))?;
        let tables = self.tablebase.as_ref().map(|tablebase| tablebase.get().of_all_games(py)).transpose()?;
        let control = Control::new();
        let (time, finish) = (Some(time.unwrap_or(TIME)), time.is_none().then_some(Duration::MAX));
        let question = Question { distance, depth, exact, time, finish, ..Question::default() };
        let context = SearchContext {
            threads: self.threads,
            kernel: self.kernel,
            tables: tables.as_deref(),
            ..SearchContext::new(self.memory, &control)
        };
        let work = || {
            // Hold the lock until the answer is found, because a solver answers one question at a
            // time.
            let mut by_rules = self.by_rules.lock().unwrap_or_else(PoisonError::into_inner);
            let game = by_rules.entry(position.game.rules()).or_insert_with(|| position.game.clone());
            self.pool.get()?.install(|| game.answer(&position.inner, &question, &context))
        };
        let answer = watched(py, &control, progress, work)?;
        records::answer(py, &position, answer)
    }

    /// Estimates the depth in plies, the number of boards, and the memory in bytes of the full
    /// solution of a Pentago position.
    fn estimate<'py>(&self, py: Python<'py>, position: Position) -> PyResult<Bound<'py, PyAny>> {
        let (rules, position) = position.pentago()?;
        let solver = pentago::Solver::builder().rules(rules).build().map_err(raised)?;
        let estimate = py.detach(|| solver.estimate(&position));
        records::estimate(py, &estimate)
    }
}
