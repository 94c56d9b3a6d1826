//! How a computation is watched and stopped from another thread.

use crate::border::{free, guarded, lent, make, pentago_status, put};
use pentago::Control;
use std::sync::Arc;

/// Watches and stops the computations that it is given to. Thread-safe; once cancelled it stays so.
pub struct pentago_control {
    inner: Arc<Control>,
}

/// How far a computation is: `done` of `total` boards or bytes of its stage.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct pentago_progress {
    /// The number of the stage, from 1; 0 before the first.
    pub stage: u64,
    /// What is done of it.
    pub done: u64,
    /// All that is to be done.
    pub total: u64,
}

/// The control that a pointer stands for; a new one for null.
///
/// # Safety
/// It is null or a handle that isn't freed during the call.
pub unsafe fn control(pointer: *const pentago_control) -> Arc<Control> {
    // SAFETY: as the caller promises.
    unsafe { pointer.as_ref() }.map_or_else(Arc::default, |control| control.inner.clone())
}

/// Makes a control.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_control_new(out: *mut *mut pentago_control) -> pentago_status {
    // SAFETY: the header asks for null or room for a handle.
    unsafe { make(out, || Ok(pentago_control { inner: Arc::default() })) }
}

/// Asks the computations to stop; they end with PENTAGO_STATUS_CANCELLED within milliseconds. Safe
/// in any thread while they run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_control_cancel(control: *const pentago_control) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
        unsafe { lent(control, "control") }?.inner.cancel();
        Ok(())
    })
}

/// How far a computation is. Safe in any thread while it runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_control_progress(
    control: *const pentago_control,
    out: *mut pentago_progress,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
        let control = unsafe { lent(control, "control") }?;
        let progress = control.inner.stage().map_or_else(Default::default, |(stage, now)| pentago_progress {
            stage,
            done: now.done,
            total: now.total(),
        });
        // SAFETY: the header asks for null or room for it.
        unsafe { put(out, progress, "out") }
    })
}

/// Frees a control and sets the pointer to NULL. The computations that it was given to must have
/// ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_control_free(control: *mut *mut pentago_control) {
    // SAFETY: the header asks for null or a handle that no other thread uses.
    unsafe { free(control) }
}
