//! The solver.

use crate::arguments::{self, Size};
use crate::errors::raised;
use crate::position::Position;
use crate::records;
use crate::tablebase::Tablebase;
use crate::watch::watched;
use pentago::{Control, Error, ErrorKind, Kernel};
use pentago_games::{Game, Question};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

/// Bytes of memory that a solution may take unless something else was said.
const MEMORY: u64 = 4_000_000_000;

/// The time for a position that can't be solved to the end unless something else was said.
const TIME: Duration = Duration::from_secs(10);

/// Solves positions of all games exactly, with tables if it was given some.
///
/// ``memory`` is what a solution may take, as bytes or a text such as ``8G`` (4 GB unless given; 18
/// marbles take 0.3 GB, 14 take 19 GB); ``threads`` is one for each processor unless given. It may
/// be used by several threads, and answers one question at a time.
///
/// >>> Solver(memory="1G").solve(Position("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o")).value
/// Value.WIN
#[pyclass(frozen, module = "pentago_solver")]
pub struct Solver {
    memory: u64,
    threads: usize,
    kernel: Option<Kernel>,
    /// The tables that are looked up before a position is solved.
    tablebase: Option<Py<Tablebase>>,
    pool: ThreadPool,
    /// A game by each set of rules, with what it keeps from one question to the next.
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
        let all = || available_parallelism().map_or(1, |threads| threads.get());
        let threads = arguments::threads(threads)?.map_or_else(all, |threads| threads.get());
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| raised(Error::new(ErrorKind::Environment, error)))?;
        if let Some(tablebase) = &tablebase {
            // Opened now, so that an error is raised here and not by the first question.
            tablebase.get().of_all_games(py)?;
        }
        let memory = memory.map_or(MEMORY, |size| size.bytes());
        Ok(Solver { memory, threads, kernel, tablebase, pool, by_rules: Mutex::default() })
    }

    /// The value of a position and of every move.
    ///
    /// With ``distance`` also the plies to the end of the game and a line of best moves, in about
    /// twice the time. ``depth`` limits the search to this number of plies; with ``exact`` only the full
    /// solution will do; ``time`` is the seconds for positions whose full solution doesn't fit in
    /// memory. ``progress`` is called with a Progress a few times a second; an exception of it stops
    /// the solution, as Ctrl-C does.
    ///
    /// Raises MemoryError if it takes more memory than it may, OSError if the system fails, LookupError
    /// if only the full solution will do and wasn't found.
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
        let question = Question {
            distance,
            depth,
            exact,
            threads: self.threads,
            kernel: self.kernel,
            tables: tables.as_deref(),
            ..Question::new(time, self.memory, &control)
        };
        let work = || {
            // The lock is what makes it answer one question at a time.
            let mut by_rules = self.by_rules.lock().unwrap_or_else(PoisonError::into_inner);
            let game = by_rules.entry(position.game.rules()).or_insert_with(|| position.game.clone());
            self.pool.install(|| game.answer(&position.inner, &question))
        };
        let answer = watched(py, &control, progress, work)?;
        records::answer(py, &position, answer)
    }

    /// What the full solution of a position of Pentago takes: plies, boards and bytes of memory.
    fn estimate<'py>(&self, py: Python<'py>, position: Position) -> PyResult<Bound<'py, PyAny>> {
        let (rules, position) = position.pentago()?;
        let solver = pentago::Solver::builder().rules(rules).build().map_err(raised)?;
        let estimate = py.detach(|| solver.estimate(&position));
        records::estimate(py, &estimate)
    }
}
