//! Values from values: the exact solution of everything downstream of one position.
//!
//! A *rooted* solution fixes the empty sockets of its root and computes all boards below it slice by slice, from the last
//! one back to the root (`chain`), 128 rotations at a time. What it takes is known before it starts ([`plan`]). Truncated at
//! k plies it proves what is decided within k plies, which is how positions are answered that are too far from the end, and how
//! distances are found (`answer`).

mod proof;
pub mod rooted;
mod sections;

pub use rooted::{Solution, SolveError, Solver, board_count};
pub use sections::{Next, Report, SectionSolver, SectionsError, Tally};

use crate::solve::rooted::SpillError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Watches and stops a running solution from another thread.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    done: AtomicU64,
}

impl Control {
    /// Nothing done, not cancelled.
    pub const fn new() -> Control {
        Control { cancelled: AtomicBool::new(false), done: AtomicU64::new(0) }
    }

    /// Asks the solution to stop; it does within milliseconds.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Boards computed so far, each chain for itself.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, boards: u64) {
        self.done.fetch_add(boards, Ordering::Relaxed);
    }
}

/// The computation was stopped by [`Control::cancel`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the solution was complete")]
pub struct Cancelled;

/// Why a computation ended early.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// It was asked to.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// Values could not be put by, or not be had back.
    #[error(transparent)]
    Spill(#[from] SpillError),
}
