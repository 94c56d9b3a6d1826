//! Watching and stopping a computation from another thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Watches and stops a running computation from another thread.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    done: AtomicU64,
}

impl Control {
    /// Nothing done, not cancelled.
    #[must_use]
    pub const fn new() -> Control {
        Control { cancelled: AtomicBool::new(false), done: AtomicU64::new(0) }
    }

    /// Asks the computation to stop; it does within milliseconds.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Boards of dense solutions computed so far, each chain for itself.
    #[must_use]
    pub fn boards_done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, boards: u64) {
        self.done.fetch_add(boards, Ordering::Relaxed);
    }
}

/// The computation was stopped by [`Control::cancel`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the values were complete")]
pub struct Cancelled;
