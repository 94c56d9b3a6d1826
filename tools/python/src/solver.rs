//! The class `Solver`.

use crate::arguments::{self, Size};
use crate::errors::raised;
use crate::position::Position;
use crate::records;
use crate::tablebase::Tablebase;
use crate::watch::watched;
use pentago::{Control, Error, ErrorKind, Kernel};
use pentago_games::{Game, Question, SearchContext};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

/// The default memory limit of a solution, in bytes.
const MEMORY: u64 = 4_000_000_000;

/// The default time limit of a position whose full solution doesn't fit in memory.
const TIME: Duration = Duration::from_secs(10);

/// A solver of positions of all games. It looks positions up in ``tablebase`` first, if one is
/// given.
///
/// ``memory`` limits the memory of a solution, in bytes or as a string such as ``8G``. The default
/// is 4 GB; positions with 18 marbles take 0.3 GB, with 14 marbles 19 GB. ``threads`` defaults to
/// one per core. Several threads may share a solver, which answers one question at a time.
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
    pool: ThreadPool,
    /// The games of earlier questions, keyed by rules. Each game caches results for later
    /// questions.
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
        let pool = ThreadPoolBuilder::new().num_threads(threads.get()).build();
        let pool = pool.map_err(|error| raised(Error::new(ErrorKind::Environment, error)))?;
        if let Some(tablebase) = &tablebase {
            // Open the tables now: errors belong to the constructor, not to the first question.
            tablebase.get().of_all_games(py)?;
        }
        let memory = memory.map_or(MEMORY, |size| size.0);
        Ok(Solver { memory, threads, kernel, tablebase, pool, by_rules: Mutex::default() })
    }

    /// Returns the value of a position and of every move.
    ///
    /// ``distance`` adds the plies to the end of the game and a line of best moves, and takes about
    /// twice the time. ``depth`` limits the search to this number of plies. ``exact`` demands the
    /// full solution. ``time`` is the limit in seconds for positions whose full solution doesn't
    /// fit in memory; the default is 10. ``progress`` is called with a Progress a few times per
    /// second. An exception from ``progress`` stops the solution, and so does Ctrl-C.
    ///
    /// Raises MemoryError if the solution exceeds the memory limit, OSError if the system fails,
    /// and LookupError if ``exact`` is set and there is no full solution.
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
        let time = time.map_err(|error| PyValueError::new_err(format!("time: {error}")))?.unwrap_or(TIME);
        let tables = self.tablebase.as_ref().map(|tablebase| tablebase.get().of_all_games(py)).transpose()?;
        let control = Control::new();
        let question = Question { distance, depth, exact, time: Some(time), ..Question::default() };
        let context = SearchContext {
            threads: self.threads,
            kernel: self.kernel,
            tables: tables.as_deref(),
            ..SearchContext::new(self.memory, &control)
        };
        let work = || {
            // The lock is held during the answer: it admits one question at a time.
            let mut by_rules = self.by_rules.lock().unwrap_or_else(PoisonError::into_inner);
            let game = by_rules.entry(position.game.rules()).or_insert_with(|| position.game.clone());
            self.pool.install(|| game.answer(&position.inner, &question, &context))
        };
        let answer = watched(py, &control, progress, work)?;
        records::answer(py, &position, answer)
    }

    /// Estimates the plies, the boards and the bytes of memory of the full solution of a Pentago
    /// position.
    fn estimate<'py>(&self, py: Python<'py>, position: Position) -> PyResult<Bound<'py, PyAny>> {
        let (rules, position) = position.pentago()?;
        let solver = pentago::Solver::builder().rules(rules).build().map_err(raised)?;
        let estimate = py.detach(|| solver.estimate(&position));
        records::estimate(py, &estimate)
    }
}
