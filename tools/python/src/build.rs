//! The functions `build` and `plan`.

use crate::arguments::{self, Size};
use crate::position::{self, Position};
use crate::records;
use crate::watch::watched;
use pentago::{BelowRoot, Build, Buildable, Control, Error, WholeGame};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Runs a computation with the build of a target, a position or the rules of a whole game: `root`
/// below a position, or `game`.
#[allow(clippy::too_many_arguments)]
fn with_target<T: Send>(
    target: &Bound<'_, PyAny>,
    keep: Option<u8>,
    memory: Option<Size>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    root: impl FnOnce(Build<BelowRoot>) -> Result<T, Error> + Send,
    game: impl FnOnce(Build<WholeGame>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let (py, control) = (target.py(), Arc::new(Control::new()));
    if let Ok(position) = target.extract::<Position>() {
        let (rules, position) = position.pentago()?;
        let build = keep.into_iter().fold(Build::root(rules, position), Build::keep);
        let build = with(build, memory, threads, &control)?;
        return watched(py, &control, progress, || root(build));
    }
    let build = Build::game(position::rules(Some(target))?.unwrap_or_default());
    let build = with(keep.into_iter().fold(build, Build::down_to), memory, threads, &control)?;
    watched(py, &control, progress, || game(build))
}

/// Sets the options that both kinds of builds have.
fn with<T: Buildable>(
    mut build: Build<T>,
    memory: Option<Size>,
    threads: Option<usize>,
    control: &Arc<Control>,
) -> PyResult<Build<T>> {
    if let Some(memory) = memory {
        build = build.memory(memory.0);
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
    let (root, game) = (|build: Build<_>| build.run(&folder), |build: Build<_>| build.run(&folder));
    records::built(py, &with_target(target, keep, memory, threads, progress, root, game)?)
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
    let (root, game) = (|build: Build<_>| build.estimate(), |build: Build<_>| build.estimate());
    records::build_estimate(py, &with_target(target, keep, memory, threads, progress, root, game)?)
}
