//! The functions `build` and `plan`.

use crate::arguments::{self, Size};
use crate::position::{self, Position};
use crate::records;
use crate::watch::watched;
use pentago::{BelowRoot, Build, BuildEstimate, Buildable, Built, Control, Error, WholeGame};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A build of the tables below a position, or of a whole game.
enum TableBuild {
    Root(Build<BelowRoot>),
    Game(Build<WholeGame>),
}

impl TableBuild {
    /// Reads the target: a position, or rules for a whole game.
    fn new(
        target: &Bound<'_, PyAny>,
        keep: Option<u8>,
        memory: Option<Size>,
        threads: Option<usize>,
        control: &Arc<Control>,
    ) -> PyResult<TableBuild> {
        Ok(match target.extract::<Position>() {
            Ok(root) => {
                let (rules, root) = root.pentago()?;
                let build = Build::root(rules, root);
                let build = keep.into_iter().fold(build, Build::keep);
                TableBuild::Root(with(build, memory, threads, control)?)
            }
            Err(_) => {
                let build = Build::game(position::rules(Some(target))?.unwrap_or_default());
                let build = keep.into_iter().fold(build, Build::down_to);
                TableBuild::Game(with(build, memory, threads, control)?)
            }
        })
    }

    fn run(self, folder: &Path) -> Result<Built, Error> {
        match self {
            TableBuild::Root(build) => build.run(folder),
            TableBuild::Game(build) => build.run(folder),
        }
    }

    fn estimate(&self) -> Result<BuildEstimate, Error> {
        match self {
            TableBuild::Root(build) => build.estimate(),
            TableBuild::Game(build) => build.estimate(),
        }
    }
}

/// Sets the options that both kinds of builds have.
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

/// Builds tables in a folder: all positions below ``target`` if it is a position, or the whole game
/// if it is rules.
///
/// ``keep`` is the number of marbles of the last slice that is kept. Below a position, slices with
/// more marbles are dropped; of a game, slices with fewer. ``memory`` is the limit in bytes, or a
/// string such as ``8G``; the default is 4 GB. The same call resumes a stopped build. ``progress``
/// is called with a Progress a few times per second. An exception from ``progress`` stops the
/// build, and so does Ctrl-C.
///
/// Raises ValueError if there are no such tables, MemoryError if the memory doesn't suffice, and
/// OSError if the disk doesn't suffice or another process builds in the folder.
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
    let build = TableBuild::new(target, keep, memory, threads, &control)?;
    let built = watched(py, &control, progress, || build.run(&folder))?;
    records::built(py, &built)
}

/// Estimates the boards, memory, disk space and time of ``build`` with the same arguments.
///
/// Raises ValueError if there are no such tables, and MemoryError if the memory doesn't suffice.
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
    let build = TableBuild::new(target, keep, memory, threads, &control)?;
    let estimate = watched(py, &control, progress, || build.estimate())?;
    records::build_estimate(py, &estimate)
}
