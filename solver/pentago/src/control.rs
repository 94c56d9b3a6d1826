//! How a long computation is watched and stopped from another thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::answer::Estimate;

/// Watches and stops a running computation from another thread.
///
/// The computation announces what it does as a [`Stage`] and counts what is done; whoever watches
/// looks at both as often as he likes.
///
/// ```
/// use pentago::{Control, ErrorKind, Solver};
///
/// let solver = Solver::builder().memory(1_000_000_000).build()?;
/// solver.control().cancel();
/// let position = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o".parse()?;
/// assert_eq!(solver.solve(&position).unwrap_err().kind(), ErrorKind::Cancelled);
/// # Ok::<(), pentago::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    done: AtomicU64,
    stages: Mutex<Stages>,
}

#[derive(Debug, Default)]
struct Stages {
    begun: u64,
    now: Option<Stage>,
    /// What was done before it began.
    before: u64,
}

/// A piece of work whose size is known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stage {
    /// What is done, in a word or two.
    pub what: String,
    /// Boards or entries that it goes through.
    pub boards: u64,
    /// How often each of them is computed and counted.
    pub times: u64,
    /// Of `boards * times`, how many were computed by an earlier run of the program.
    pub earlier: u64,
    /// Of `boards * times`, how many are done, those of an earlier run included.
    pub done: u64,
    /// For a rooted solution what it takes.
    pub estimate: Option<Estimate>,
    /// Whether a rooted solution goes to the end of the game.
    pub to_the_end: bool,
    /// What is counted: boards, or bytes where files are read.
    pub unit: &'static str,
}

impl Stage {
    /// A number of boards, each counted `times` times.
    pub(crate) fn new(what: impl Into<String>, boards: u64, times: u64) -> Stage {
        let (what, unit) = (what.into(), "boards");
        Stage { what, boards, times, earlier: 0, done: 0, estimate: None, to_the_end: false, unit }
    }

    /// So many bytes that are read.
    #[cfg(feature = "tables")]
    pub(crate) fn bytes(what: impl Into<String>, bytes: u64) -> Stage {
        Stage { unit: "bytes", ..Stage::new(what, bytes, 1) }
    }

    /// A rooted solution.
    pub(crate) fn rooted(estimate: Estimate, to_the_end: bool) -> Stage {
        let what = format!("{} plies", estimate.plies);
        Stage { estimate: Some(estimate), to_the_end, ..Stage::new(what, estimate.boards, 2) }
    }

    /// `boards * times`: what [`Stage::done`] ends with.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.boards.saturating_mul(self.times)
    }
}

impl Control {
    /// Nothing done, not cancelled.
    pub const fn new() -> Control {
        let stages = Stages { begun: 0, now: None, before: 0 };
        Control { cancelled: AtomicBool::new(false), done: AtomicU64::new(0), stages: Mutex::new(stages) }
    }

    /// Asks the computation to stop; it does within milliseconds.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Boards computed so far, each as often as it was computed.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// The stage that is being worked on, and its number, from 1; none before the first.
    pub fn stage(&self) -> Option<(u64, Stage)> {
        let stages = self.stages();
        let stage = stages.now.as_ref()?;
        let done = (self.done().saturating_sub(stages.before) + stage.earlier).min(stage.total());
        Some((stages.begun, Stage { done, ..stage.clone() }))
    }

    /// Begins a stage.
    pub(crate) fn begin(&self, stage: Stage) {
        let mut stages = self.stages();
        *stages = Stages { begun: stages.begun + 1, now: Some(stage), before: self.done() };
    }

    pub(crate) fn add(&self, boards: u64) {
        self.done.fetch_add(boards, Ordering::Relaxed);
    }

    fn stages(&self) -> MutexGuard<'_, Stages> {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The computation was stopped by [`Control::cancel`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the solution was complete")]
pub struct Cancelled;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_counts_from_where_it_begins() {
        let control = Control::new();
        assert_eq!(control.stage(), None);
        control.add(5);
        control.begin(Stage { earlier: 3, ..Stage::new("all plies", 10, 2) });
        control.add(4);
        let (number, stage) = control.stage().unwrap();
        assert_eq!((number, stage.done, stage.total()), (1, 7, 20));
        control.add(100);
        assert_eq!(control.stage().unwrap().1.done, 20);
        control.begin(Stage::new("more", 1, 1));
        assert_eq!(control.stage().unwrap().1.done, 0);
        assert_eq!((control.stage().unwrap().0, control.done()), (2, 109));
    }
}
