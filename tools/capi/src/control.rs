//! Observes and cancels computations from another thread.

use crate::border::{free, guarded, lent, make, pentago_status, put};
use pentago::Control;
use std::sync::Arc;

/// A control, which reports the progress of computations and cancels them. Thread-safe. A cancelled
/// control stays cancelled.
pub struct pentago_control {
    inner: Arc<Control>,
}

/// The progress of a computation: `done` of `total` boards or bytes of the current stage.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct pentago_progress {
    /// The number of the stage, from 1. 0 before the first stage.
    pub stage: u64,
    /// The units of the stage that are done.
    pub done: u64,
    /// All units of the stage.
    pub total: u64,
}

/// Returns the control of a handle, or a new control for null.
///
/// # Safety
/// The pointer is null or a handle that isn't freed during the call.
pub unsafe fn control(pointer: *const pentago_control) -> Arc<Control> {
    // SAFETY: the caller guarantees null or a handle that isn't freed during the call.
    unsafe { pointer.as_ref() }.map_or_else(Arc::default, |control| control.inner.clone())
}

/// Creates a control.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_control_new(out: *mut *mut pentago_control) -> pentago_status {
    // SAFETY: the header requires null or a valid pointer for writing a handle.
    unsafe { make(out, || Ok(pentago_control { inner: Arc::default() })) }
}

/// Cancels the computations of a control. They end with PENTAGO_STATUS_CANCELLED within
/// milliseconds. Thread-safe while they run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_control_cancel(control: *const pentago_control) -> pentago_status {
    guarded(|| {
        // SAFETY: the header requires null or a handle that isn't freed during the call.
        unsafe { lent(control, "control") }?.inner.cancel();
        Ok(())
    })
}

/// Writes the progress of the current computation to `out`. Thread-safe while it runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_control_progress(
    control: *const pentago_control,
    out: *mut pentago_progress,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header requires null or a handle that isn't freed during the call.
        let control = unsafe { lent(control, "control") }?;
        let progress = control.inner.stage().map_or_else(Default::default, |(stage, now)| pentago_progress {
            stage,
            done: now.done,
            total: now.total(),
        });
        // SAFETY: the header requires null or a valid pointer for writing the progress.
        unsafe { put(out, progress, "out") }
    })
}

/// Frees a control and sets the pointer to NULL. All computations of the control must have ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_control_free(control: *mut *mut pentago_control) {
    // SAFETY: the header requires null or a handle that no other thread uses.
    unsafe { free(control) }
}
