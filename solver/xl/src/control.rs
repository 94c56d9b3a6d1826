//! Watching and stopping a computation from another thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Asked whether to stop, from any thread.
type Stop<'h> = Box<dyn Fn() -> bool + Send + Sync + 'h>;

/// Watches and stops a running computation: from another thread, or by a hook that the computation
/// asks itself.
#[derive(Default)]
pub struct Control<'h> {
    cancelled: AtomicBool,
    done: AtomicU64,
    stop: Option<Stop<'h>>,
}

impl<'h> Control<'h> {
    /// Nothing done, not cancelled.
    #[must_use]
    pub const fn new() -> Control<'h> {
        Control { cancelled: AtomicBool::new(false), done: AtomicU64::new(0), stop: None }
    }

    /// Stops once `stop` says true. It is asked every millisecond or so, by all threads that take
    /// part. A clock goes here.
    #[must_use]
    pub fn with_stop(stop: impl Fn() -> bool + Send + Sync + 'h) -> Control<'h> {
        Control { stop: Some(Box::new(stop)), ..Control::new() }
    }

    /// Asks the computation to stop; it does within milliseconds.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        if self.cancelled.load(Ordering::Relaxed) {
            return true;
        }
        let stop = self.stop.as_ref().is_some_and(|stop| stop());
        if stop {
            self.cancel();
        }
        stop
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

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cancelled = self.cancelled.load(Ordering::Relaxed);
        f.debug_struct("Control").field("cancelled", &cancelled).field("done", &self.boards_done()).finish()
    }
}

/// The computation was stopped by its [`Control`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the values were complete")]
pub struct Cancelled;
