//! Reports the progress of computations, and cancels them from another thread.

use crate::border::{free, guarded, lent, make, pentago_status, put};
use pentago::Control;
use std::sync::Arc;

/// A control reports the progress of computations, and can cancel them. Thread-safe. Once
/// cancelled, a control stays cancelled.
pub struct pentago_control {
    inner: Arc<Control>,
}

/// The progress of a computation in its current stage: `done` of `total` units. A unit is a board,
/// a set of 256 rotations of a board, or a byte.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct pentago_progress {
    /// The number of the current stage, counted from 1, or 0 if no stage has begun.
    pub stage: u64,
    /// The number of finished units in the stage.
    pub done: u64,
    /// The number of all units in the stage.
    pub total: u64,
}

/// Returns the control that belongs to a handle, or a new control if the pointer is null.
///
/// # Safety
/// The pointer is null or a handle that isn't freed during the call.
pub unsafe fn control(pointer: *const pentago_control) -> Arc<Control> {
    // SAFETY: the caller guarantees that the pointer is null, or a handle that isn't freed during
    // the call.
    unsafe { pointer.as_ref() }.map_or_else(Arc::default, |control| control.inner.clone())
}

/// Creates a control, which can be passed to computations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_control_new(out: *mut *mut pentago_control) -> pentago_status {
    // SAFETY: the C caller guarantees that `out` is null or valid for writing a handle.
    unsafe { make(out, || Ok(pentago_control { inner: Arc::default() })) }
}

/// Cancels all computations that use the control. The computations return PENTAGO_STATUS_CANCELLED
/// within milliseconds. Thread-safe: another thread may call this function during a computation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_control_cancel(control: *const pentago_control) -> pentago_status {
    guarded(|| {
        // SAFETY: the C caller guarantees that `control` is null, or a handle that isn't freed
        // during the call.
        unsafe { lent(control, "control") }?.inner.cancel();
        Ok(())
    })
}

/// Writes the progress of the current computation to `out`. Thread-safe: another thread may call
/// this function during a computation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_control_progress(
    control: *const pentago_control,
    out: *mut pentago_progress,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the C caller guarantees that `control` is null, or a handle that isn't freed
        // during the call.
        let control = unsafe { lent(control, "control") }?;
        let progress = control.inner.stage().map_or_else(Default::default, |(stage, now)| pentago_progress {
            stage,
            done: now.done,
            total: now.total(),
        });
        // SAFETY: the C caller guarantees that `out` is null or valid for writing the progress.
        unsafe { put(out, progress, "out") }
    })
}

/// Frees a control, and sets the pointer to NULL. All computations that use the control must have
/// ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_control_free(control: *mut *mut pentago_control) {
    // SAFETY: the C caller guarantees that `control` is null, or points to a handle that no other
    // thread uses.
    unsafe { free(control) }
}
