//! Building tables.

use crate::arguments::{self, Size};
use crate::position::{self, Position};
use crate::records;
use crate::watch::watched;
use pentago::{BelowRoot, Build, BuildEstimate, Buildable, Built, Control, Error, WholeGame};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A request for tables.
enum Request {
    Root(Build<BelowRoot>),
    Game(Build<WholeGame>),
}

impl Request {
    /// The tables below a position, or of a whole game.
    fn new(
        target: &Bound<'_, PyAny>,
        keep: Option<u8>,
        memory: Option<Size>,
        threads: Option<usize>,
        control: &Arc<Control>,
    ) -> PyResult<Request> {
        Ok(match target.extract::<Position>() {
            Ok(root) => {
                let (rules, root) = root.pentago()?;
                let build = Build::root(rules, root);
                let build = keep.into_iter().fold(build, Build::keep);
                Request::Root(with(build, memory, threads, control)?)
            }
            Err(_) => {
                let build = Build::game(position::rules(Some(target))?.unwrap_or_default());
                let build = keep.into_iter().fold(build, Build::down_to);
                Request::Game(with(build, memory, threads, control)?)
            }
        })
    }

    fn run(self, folder: &Path) -> Result<Built, Error> {
        match self {
            Request::Root(build) => build.run(folder),
            Request::Game(build) => build.run(folder),
        }
    }

    fn estimate(&self) -> Result<BuildEstimate, Error> {
        match self {
            Request::Root(build) => build.estimate(),
            Request::Game(build) => build.estimate(),
        }
    }
}

/// A build with the options that both kinds have.
fn with<T: Buildable>(
    mut build: Build<T>,
    memory: Option<Size>,
    threads: Option<usize>,
    control: &Arc<Control>,
) -> PyResult<Build<T>> {
    if let Some(memory) = memory {
        build = build.memory(memory.bytes());
    }
    if let Some(threads) = arguments::threads(threads)? {
        build = build.threads(threads);
    }
    Ok(build.control(control.clone()))
}

/// Builds tables in a folder: of everything below a position, or of the whole game of some rules.
///
/// ``keep`` is the marbles of the last slice that is kept: below a position the one with the most,
/// of a game the one with the fewest. ``memory`` (4 GB unless given) is bytes or a text such as
/// ``8G``. A build that was stopped is continued by the same call. ``progress`` is called with a
/// Progress a few times a second; an exception of it stops the build, as Ctrl-C does.
///
/// Raises ValueError if there are no such tables, MemoryError if the memory doesn't suffice, OSError
/// if the disk doesn't or another process builds there.
#[pyfunction]
#[pyo3(signature = (target, folder, *, keep = None, memory = None, threads = None, progress = None))]
pub fn build<'py>(
    py: Python<'py>,
    target: &Bound<'py, PyAny>,
    folder: PathBuf,
    keep: Option<u8>,
    memory: Option<Size>,
    threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let control = Arc::new(Control::new());
    let build = Request::new(target, keep, memory, threads, &control)?;
    let built = watched(py, &control, progress, || build.run(&folder))?;
    records::built(py, &built)
}

/// Estimates what ``build`` with the same arguments takes.
///
/// Raises ValueError if there are no such tables, MemoryError if the memory doesn't suffice.
#[pyfunction]
#[pyo3(signature = (target, *, keep = None, memory = None, threads = None, progress = None))]
pub fn plan<'py>(
    py: Python<'py>,
    target: &Bound<'py, PyAny>,
    keep: Option<u8>,
    memory: Option<Size>,
    threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let control = Arc::new(Control::new());
    let build = Request::new(target, keep, memory, threads, &control)?;
    let estimate = watched(py, &control, progress, || build.estimate())?;
    records::build_estimate(py, &estimate)
}
