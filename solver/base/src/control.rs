//! Reports the progress of a long computation, and cancels the computation from another thread.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::{Clock, counted_plies, lock};

/// A handle to watch and to cancel a running computation from another thread.
///
/// The computation announces each part of its work as a [`Stage`], and counts the work that is
/// finished. Any thread may read the stage and the count at any time. A clone of a handle belongs
/// to the same computation.
///
/// ```
/// use pentago_base::{Clock, Control};
/// use std::time::Duration;
///
/// let whole = Control::new();
/// let part = whole.until(&Clock::default(), Some(Duration::from_secs(60)));
/// assert!(!part.is_cancelled());
/// whole.cancel();
/// assert!(part.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Control {
    stop: Arc<Stop>,
    done: Arc<AtomicU64>,
    stages: Arc<Mutex<Stages>>,
}

/// The conditions that stop a computation: cancellation, a time limit, or the end of a larger
/// computation.
#[derive(Debug, Default)]
struct Stop {
    cancelled: AtomicBool,
    /// The time limit: a clock, and the reading of the clock at which the computation stops.
    end: Option<(Clock, Duration)>,
    /// The conditions that stop the larger computation, or `None` if this computation is not part
    /// of a larger one.
    whole: Option<Arc<Stop>>,
}

/// The current stage of a computation, and the named details of its progress.
#[derive(Debug, Default)]
struct Stages {
    /// The number of stages that have begun.
    begun: u64,
    now: Option<Stage>,
    /// The number of finished computations when the current stage began.
    before: u64,
    marks: BTreeMap<&'static str, String>,
}

/// The estimated cost of a rooted solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// The depth of the solution in plies.
    pub plies: usize,
    /// The number of boards to compute.
    pub boards: u64,
    /// The required memory in bytes.
    pub bytes: u64,
}

/// A stage of a computation, with a known amount of work.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stage {
    /// A name for the work, in one or two words.
    pub what: String,
    /// The number of boards to process. If `unit` isn't `boards`, the number of supers or bytes.
    /// The number is `u64::MAX` if it is unknown.
    pub boards: u64,
    /// The number of times that each board is computed. Each of these times counts as one
    /// computation.
    pub times: u64,
    /// The number of computations that an earlier run of the program finished. It is at most
    /// `boards * times`.
    pub earlier: u64,
    /// The number of finished computations, at most `boards * times`. Computations that an earlier
    /// run finished are included.
    pub done: u64,
    /// The estimated cost of a rooted solution, or `None` for other work.
    pub estimate: Option<Estimate>,
    /// `true` if the work is a rooted solution that continues to the end of the game.
    pub to_the_end: bool,
    /// The plural name of the things that `boards` counts, such as `boards`, `supers` or `bytes`.
    /// A super covers 256 positions. The name is empty if nothing is counted.
    pub unit: &'static str,
}

impl Stage {
    /// Creates a stage that processes `boards` boards, each of them `times` times. `what` names the
    /// work.
    pub fn new(what: impl Into<String>, boards: u64, times: u64) -> Stage {
        let (what, unit) = (what.into(), "boards");
        Stage { what, boards, times, earlier: 0, done: 0, estimate: None, to_the_end: false, unit }
    }

    /// Creates a stage that computes or encodes a number of supers.
    pub fn supers(what: impl Into<String>, supers: u64) -> Stage {
        Stage { unit: "supers", ..Stage::new(what, supers, 1) }
    }

    /// Creates a stage that reads a number of bytes.
    pub fn bytes(what: impl Into<String>, bytes: u64) -> Stage {
        Stage { unit: "bytes", ..Stage::new(what, bytes, 1) }
    }

    /// Creates a stage that computes a rooted solution.
    pub fn rooted(estimate: Estimate, to_the_end: bool) -> Stage {
        let what = counted_plies(estimate.plies);
        Stage { estimate: Some(estimate), to_the_end, ..Stage::new(what, estimate.boards, 2) }
    }

    /// Sets the number of computations that an earlier run of the program finished.
    #[must_use]
    pub fn resumed(self, earlier: u64) -> Stage {
        Stage { earlier, ..self }
    }

    /// Returns `boards * times`, the final value of [`Stage::done`].
    pub fn total(&self) -> u64 {
        self.boards.saturating_mul(self.times)
    }
}

impl Control {
    /// The name of the detail that states the current step, such as `move 14 of 27`.
    pub const STEP: &'static str = "step";

    /// Creates the control of a computation that hasn't started.
    pub fn new() -> Control {
        Control::default()
    }

    /// Creates a control for a part of this computation. The part stops when the whole computation
    /// stops, when `clock` has passed the time `end`, or when the part is cancelled. Cancelling the
    /// part doesn't stop the whole computation. The part and the whole computation share their
    /// progress.
    pub fn until(&self, clock: &Clock, end: Option<Duration>) -> Control {
        let end = end.map(|end| (clock.clone(), end));
        let stop = Stop { cancelled: AtomicBool::new(false), end, whole: Some(self.stop.clone()) };
        Control { stop: Arc::new(stop), ..self.clone() }
    }

    /// Creates a control for a part of this computation that may take half of the remaining time.
    #[must_use]
    pub fn half(&self) -> Control {
        let clock = self.stop.clock().cloned().unwrap_or_default();
        let end = self.left().and_then(|left| Some(clock.now()? + left / 2));
        self.until(&clock, end)
    }

    /// Cancels the computation, which then stops within milliseconds.
    pub fn cancel(&self) {
        self.stop.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if the computation was cancelled or its time is up. Reads the clock if the
    /// computation has a time limit.
    pub fn is_cancelled(&self) -> bool {
        self.stop.is_over()
    }

    /// Returns the remaining time, or `None` if there is no time limit or no clock.
    pub fn left(&self) -> Option<Duration> {
        self.stop.left()
    }

    /// Returns an error if the computation must stop.
    ///
    /// # Errors
    /// If [`Control::is_cancelled`] returns `true`.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_cancelled() { Err(Stopped) } else { Ok(()) }
    }

    /// Returns the number of finished computations, summed over all stages. A board that is
    /// computed several times counts several times.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Returns the current stage and its number, counted from 1. Returns `None` before the first
    /// stage.
    pub fn stage(&self) -> Option<(u64, Stage)> {
        let stages = lock(&self.stages);
        let stage = stages.now.as_ref()?;
        let done = (self.done().saturating_sub(stages.before) + stage.earlier).min(stage.total());
        Some((stages.begun, Stage { done, ..stage.clone() }))
    }

    /// Begins a new stage of the computation.
    pub fn begin(&self, stage: Stage) {
        let mut stages = lock(&self.stages);
        let Stages { begun, marks, .. } = std::mem::take(&mut *stages);
        *stages = Stages { begun: begun + 1, now: Some(stage), before: self.done(), marks };
    }

    /// Sets a named detail of the progress, such as the current `slice`. The text `what` replaces
    /// an earlier text with the same name.
    pub fn mark(&self, name: &'static str, what: impl Into<String>) {
        lock(&self.stages).marks.insert(name, what.into());
    }

    /// Returns all named details of the progress: for each name, the latest text.
    pub fn marks(&self) -> BTreeMap<&'static str, String> {
        lock(&self.stages).marks.clone()
    }

    /// Adds to the number of boards in the current stage that an earlier run of the program
    /// computed.
    pub fn add_earlier(&self, boards: u64) {
        if let Some(stage) = &mut lock(&self.stages).now {
            stage.earlier += boards;
        }
    }

    /// Adds `boards` to the number of finished boards.
    pub fn add(&self, boards: u64) {
        self.done.fetch_add(boards, Ordering::Relaxed);
    }
}

impl Stop {
    fn is_over(&self) -> bool {
        if self.cancelled.load(Ordering::Relaxed) {
            return true;
        }
        let late = || self.end.as_ref().is_some_and(|(clock, end)| clock.now().is_some_and(|now| now > *end));
        let over = self.whole.as_ref().is_some_and(|whole| whole.is_over()) || late();
        if over {
            self.cancelled.store(true, Ordering::Relaxed);
        }
        over
    }

    fn clock(&self) -> Option<&Clock> {
        let own = self.end.as_ref().map(|(clock, _)| clock);
        own.or_else(|| self.whole.as_ref()?.clock())
    }

    fn left(&self) -> Option<Duration> {
        let own = self.end.as_ref().and_then(|(clock, end)| Some(end.saturating_sub(clock.now()?)));
        let of_whole = self.whole.as_ref().and_then(|whole| whole.left());
        own.into_iter().chain(of_whole).min()
    }
}

/// The error of a computation that ended early. Either its [`Budget`](crate::Budget) is exhausted,
/// its time is up, or its [`Control`] was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the computation was stopped before it was complete")]
pub struct Stopped;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_counts_from_where_it_begins() {
        let control = Control::new();
        assert_eq!(control.stage(), None);
        control.add(5);
        control.begin(Stage::new("all plies", 10, 2).resumed(3));
        control.add(4);
        let (number, stage) = control.stage().unwrap();
        assert_eq!((number, stage.done, stage.total()), (1, 7, 20));
        control.add_earlier(2);
        assert_eq!(control.stage().map(|(_, stage)| (stage.done, stage.earlier)), Some((9, 5)));
        control.add(100);
        assert_eq!(control.stage().unwrap().1.done, 20);
        control.begin(Stage::new("more", 1, 1));
        assert_eq!(control.stage().unwrap().1.done, 0);
        assert_eq!((control.stage().unwrap().0, control.done()), (2, 109));
        control.mark("slice", "34");
        control.mark("slice", "33");
        control.begin(Stage::new("the rest", 1, 1));
        assert_eq!(control.marks().into_iter().collect::<Vec<_>>(), [("slice", "33".to_owned())]);
    }

    #[test]
    fn a_part_stops_with_the_whole_and_by_itself() {
        let now = Arc::new(AtomicU64::new(0));
        let clock = Clock::new({
            let now = now.clone();
            move || Duration::from_secs(now.load(Ordering::Relaxed))
        });
        let whole = Control::new();
        let [short, long] = [1, 5].map(|seconds| whole.until(&clock, Some(Duration::from_secs(seconds))));
        let inner = long.until(&clock, None);
        let over = || [&whole, &short, &long, &inner].map(Control::is_cancelled);
        assert_eq!(over(), [false; 4]);
        let left =
            || [&whole, &short, &long, &inner].map(|control| control.left().map(|left| left.as_secs()));
        assert_eq!(left(), [None, Some(1), Some(5), Some(5)]);
        assert_eq!(long.half().left(), Some(Duration::from_millis(2500)));
        now.store(2, Ordering::Relaxed);
        assert_eq!(over(), [false, true, false, false]);
        assert_eq!(left(), [None, Some(0), Some(3), Some(3)]);
        inner.cancel();
        assert_eq!(over(), [false, true, false, true]);
        inner.add(7);
        assert_eq!((whole.done(), long.check()), (7, Ok(())));
        whole.cancel();
        assert_eq!((over(), long.check()), ([true; 4], Err(Stopped)));
        assert!(!Control::new().until(&Clock::none(), Some(Duration::ZERO)).is_cancelled());
    }
}
