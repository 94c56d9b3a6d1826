//! The solver.

use crate::arguments::{self, Size};
use crate::errors::raised;
use crate::position::Position;
use crate::records;
use crate::tablebase::Tablebase;
use crate::watch::watched;
use pentago::{Control, Kernel, Request};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Solves positions exactly, with tables if it was given some, and by retrograde analysis.
///
/// ``memory`` is what a solution may take, as bytes or a text such as ``8G`` (4 GB unless given; 18
/// marbles take 0.3 GB, 14 take 19 GB); ``threads`` is one for each processor unless given. It may
/// be used by several threads, and answers one question at a time.
///
/// >>> Solver(memory="1G").solve(Position("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o")).value
/// Value.WIN
#[pyclass(frozen, module = "pentago")]
pub struct Solver {
    memory: Option<u64>,
    threads: Option<NonZeroUsize>,
    kernel: Option<Kernel>,
    tablebase: Option<Py<Tablebase>>,
    /// The library's answer for one set of rules each.
    by_rules: Mutex<HashMap<pentago::Rules, Arc<pentago::Solver>>>,
}

impl Solver {
    fn of(&self, rules: pentago::Rules) -> PyResult<Arc<pentago::Solver>> {
        let mut by_rules = self.by_rules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(solver) = by_rules.get(&rules) {
            return Ok(solver.clone());
        }
        let mut builder = pentago::Solver::builder().rules(rules);
        if let Some(bytes) = self.memory {
            builder = builder.memory(bytes);
        }
        if let Some(threads) = self.threads {
            builder = builder.threads(threads);
        }
        if let Some(kernel) = self.kernel {
            builder = builder.kernel(kernel);
        }
        if let Some(tablebase) = &self.tablebase {
            builder = builder.tablebase(tablebase.get().opened()?);
        }
        let solver = Arc::new(builder.build().map_err(raised)?);
        by_rules.insert(rules, solver.clone());
        Ok(solver)
    }
}

#[pymethods]
impl Solver {
    #[new]
    #[pyo3(signature = (memory = None, threads = None, *, kernel = None, tablebase = None))]
    fn new(
        memory: Option<Size>,
        threads: Option<usize>,
        kernel: Option<&str>,
        tablebase: Option<Py<Tablebase>>,
    ) -> PyResult<Solver> {
        let kernel = kernel.map(str::parse::<Kernel>).transpose();
        Ok(Solver {
            memory: memory.map(|size| size.bytes()),
            threads: arguments::threads(threads)?,
            kernel: kernel.map_err(|error| PyValueError::new_err(error.to_string()))?,
            tablebase,
            by_rules: Mutex::default(),
        })
    }

    /// The value of a position and of every move.
    ///
    /// With ``distance`` also the plies to the end of the game and a line of best moves, in about
    /// twice the time. ``depth`` limits the search to this number of plies; with ``exact`` only the full
    /// solution will do; ``time`` is the seconds for positions whose full solution doesn't fit in
    /// memory. ``progress`` is called with a Progress a few times a second; an exception of it stops
    /// the solution, as Ctrl-C does.
    ///
    /// Raises MemoryError if it takes more memory than it may, OSError if the system fails.
    #[pyo3(signature = (position, *, distance = false, depth = None, exact = false, time = None, progress = None))]
    #[allow(clippy::too_many_arguments)]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        position: Position,
        distance: bool,
        depth: Option<usize>,
        exact: bool,
        time: Option<f64>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let time = time.map(Duration::try_from_secs_f64).transpose();
        let time = time.map_err(|error| PyValueError::new_err(format!("time: {error}")))?;
        let request = Request { depth, exact, distance, time, ..Request::default() };
        let (solver, control) = (self.of(position.rules)?, Control::new());
        let work = || solver.answer(&position.inner, &request, &control);
        let answer = watched(py, &control, progress, work)?;
        records::answer(py, &position, &answer)
    }

    /// What the full solution of a position takes: plies, boards and bytes of memory.
    fn estimate<'py>(&self, py: Python<'py>, position: Position) -> PyResult<Bound<'py, PyAny>> {
        if position.inner.shape() != position.rules.shape {
            return Err(PyValueError::new_err("the position lies on another board than that of its rules"));
        }
        let solver = self.of(position.rules)?;
        let estimate = py.detach(|| solver.estimate(&position.inner));
        records::estimate(py, &estimate)
    }
}
