//! What ends a search before it is done: the boards, the time, or whoever watches it.

use pentago_base::Clock;
use pentago_base::{Control, Stopped};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Why a search ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It was stopped.
    Cancelled,
    /// The boards or the time that it was given are used up.
    Spent,
    /// The search for the other player's wins has decided the position.
    Decided,
    /// It is the other search's turn.
    Paused,
}

impl From<Stopped> for End {
    fn from(_: Stopped) -> End {
        End::Cancelled
    }
}

/// Looks out for the end of a search.
#[derive(Clone, Debug)]
pub(super) struct Watch<'a> {
    /// Where boards are counted, and whoever watches stops it.
    pub control: &'a Control,
    /// The clock's time when it ends.
    pub end: Option<Duration>,
    /// The clock.
    pub clock: Clock,
    /// Set as soon as the position is decided.
    pub decided: &'a AtomicBool,
}

#[cfg(test)]
static NEVER: AtomicBool = AtomicBool::new(false);

impl<'a> Watch<'a> {
    /// Without an end of its own.
    #[cfg(test)]
    pub fn new(control: &'a Control) -> Watch<'a> {
        Watch { control, end: None, clock: Clock::none(), decided: &NEVER }
    }

    /// Whether it is to end now. This reads the clock, which takes as long as 10 boards.
    pub fn ended(&self) -> Option<End> {
        if self.control.is_cancelled() {
            return Some(End::Cancelled);
        }
        if self.decided.load(Ordering::Relaxed) {
            return Some(End::Decided);
        }
        let end = self.end?;
        self.clock.now().filter(|now| *now > end).map(|_| End::Spent)
    }

    /// The time that is left, if it has to end at some time.
    pub fn left(&self) -> Option<Duration> {
        let (end, now) = self.end.zip(self.clock.now())?;
        Some(end.saturating_sub(now))
    }
}
