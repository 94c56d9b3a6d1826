//! Runs a computation in a worker thread. Meanwhile, the Python thread handles signals and reports
//! progress.

use crate::errors::raised;
use crate::records;
use pentago::{Control, Error};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The interval at which the Python thread checks for signals and reports progress.
const TICK: Duration = Duration::from_millis(50);

/// The number of computing calls in the lower 32 bits, and the process that counts the calls in the
/// upper 32 bits.
static CALLS: AtomicU64 = AtomicU64::new(0);

/// A call that computes without holding the interpreter. Dropping the value ends the call.
pub struct Call;

impl Call {
    /// Begins a call.
    ///
    /// Raises RuntimeError if the process was forked while a thread was computing. That thread is
    /// not in this process, but may have taken locks, so waiting for the locks would never end.
    pub fn begin() -> PyResult<Call> {
        let first = u64::from(process::id()) << 32 | 1;
        let next = |calls: u64| match calls >> 32 == first >> 32 {
            true => Some(calls + 1),
            false => (calls as u32 == 0).then_some(first),
        };
        match CALLS.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next) {
            Ok(_) => Ok(Call),
            Err(_) => Err(PyRuntimeError::new_err(
                "the process was forked while another thread was computing: start processes with \
                 multiprocessing.get_context(\"spawn\")",
            )),
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        CALLS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs `work` in a worker thread with the interpreter released. Calls `progress` with a Progress
/// many times per second, and once at the end. Ctrl-C or an exception from `progress` cancels the
/// work. The exception is then raised.
pub fn watched<T: Send>(
    py: Python<'_>,
    control: &Control,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    let _call = Call::begin()?;
    let (finished, waiting) = (Mutex::new(false), Condvar::new());
    let run = || {
        let result = catch_unwind(AssertUnwindSafe(work));
        *finished.lock().unwrap_or_else(PoisonError::into_inner) = true;
        waiting.notify_all();
        result
    };
    let wait = || {
        let guard = finished.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = waiting.wait_timeout_while(guard, TICK, |finished| !*finished);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    };
    let (result, stopped) = thread::scope(|scope| {
        let worker = match thread::Builder::new().name("pentago".to_owned()).spawn_scoped(scope, run) {
            Ok(worker) => worker,
            Err(error) => return (None, Some(PyOSError::new_err(error.to_string()))),
        };
        let mut stopped: Option<PyErr> = None;
        while !py.detach(wait) {
            if stopped.is_none()
                && let Err(error) = py.check_signals().and_then(|()| report(py, control, progress))
            {
                control.cancel();
                stopped = Some(error);
            }
        }
        (Some(joined(worker.join())), stopped)
    });
    if let Some(stopped) = stopped {
        return Err(stopped);
    }
    let result = result.expect("a worker that was not stopped has a result").map_err(raised)?;
    report(py, control, progress)?;
    Ok(result)
}

/// Returns the result of the worker thread. If the worker has panicked, resumes the panic, which
/// Python raises as an exception.
fn joined<T>(result: thread::Result<thread::Result<T>>) -> T {
    match result {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) | Err(panic) => resume_unwind(panic),
    }
}

fn report(py: Python<'_>, control: &Control, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let (Some(progress), Some((number, stage))) = (progress, control.stage()) else { return Ok(()) };
    progress.call1((records::progress(py, number, &stage)?,))?;
    Ok(())
}
