//! The Python functions `build` and `plan`.

use crate::arguments::{self, Size};
use crate::position::{self, Position};
use crate::records;
use crate::watch::watched;
use pentago::{Build, Control, Error};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Creates the build for a target, which is a position or the rules of a whole game, and calls
/// `work` with the build.
#[allow(clippy::too_many_arguments)]
fn with_target<T: Send>(
    target: &Bound<'_, PyAny>,
    keep: Option<u8>,
    memory: Option<Size>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(Build) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let (py, control) = (target.py(), Arc::new(Control::new()));
    let build = match target.extract::<Position>() {
        Ok(position) => {
            let (rules, position) = position.pentago()?;
            Build::root(rules, position)
        }
        Err(_) => Build::game(position::rules(Some(target))?.unwrap_or_default()),
    };
    let mut build = keep.into_iter().fold(build, Build::keep).control(control.clone());
    if let Some(memory) = memory {
        build = build.memory(memory.0);
    }
    if let Some(threads) = arguments::threads(threads)? {
        build = build.threads(threads);
    }
    watched(py, &control, progress, || work(build))
}

/// Builds tables in a folder. If ``target`` is a position, the tables contain all positions below
/// it. If ``target`` is rules, the tables contain the whole game.
///
/// ``keep`` is the number of marbles of the last slice that is kept. Below a position, slices with
/// more marbles are dropped. In a whole game, slices with fewer marbles are dropped. ``memory`` is
/// the memory limit in bytes, or a string such as ``8G``; the default is 4 GB. If a build was
/// stopped, the same call resumes it. ``progress`` is called with a Progress a few times per
/// second. An exception from ``progress`` stops the build, and so does Ctrl-C.
///
/// Raises ValueError if there are no such tables, MemoryError if memory doesn't suffice, and
/// OSError if disk space doesn't suffice or another process builds in the folder.
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
    let run = |build: Build| build.run(&folder);
    records::built(py, &with_target(target, keep, memory, threads, progress, run)?)
}

/// Estimates the boards, memory, disk space and time that ``build`` needs with the same arguments.
///
/// Raises ValueError if there are no such tables, and MemoryError if memory doesn't suffice.
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
    let estimate = |build: Build| build.estimate();
    records::build_estimate(py, &with_target(target, keep, memory, threads, progress, estimate)?)
}
