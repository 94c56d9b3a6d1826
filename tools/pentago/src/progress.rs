//! Progress: a bar on a terminal, elsewhere a line every ten seconds.

use std::io::IsTerminal;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pentago::{Control, Stage};

use crate::output;

/// Shorter work shows no bar.
const BAR_AFTER: Duration = Duration::from_millis(300);
const LOOK_EVERY: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The unit of work of which only the time is known.
const MILLISECONDS: &str = "ms";

/// Rough time per board and chain of one thread; decides only what is announced.
const NANOSECONDS: f64 = 5.0;
/// Solutions that take longer, or more memory, are announced.
const ANNOUNCED_SECONDS: f64 = 1.0;
const ANNOUNCED_BYTES: u64 = 1_000_000_000;

/// Shows how far a computation is while another thread does it.
pub struct Progress<'a> {
    control: &'a Control,
    /// Stages that the control had before.
    earlier: u64,
    threads: usize,
    quiet: bool,
    /// The longest time, for work that doesn't say how far it is.
    limit: Option<Duration>,
    terminal: bool,
    began: Instant,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    shown: Option<Shown>,
    bar: Option<ProgressBar>,
    ended: bool,
}

/// The stage that is shown, and since when.
#[derive(Clone)]
struct Shown {
    number: u64,
    began: Instant,
    stage: Stage,
}

impl<'a> Progress<'a> {
    /// Runs `work` while another thread shows how far it is.
    pub fn during<T: Send>(
        control: &'a Control,
        threads: usize,
        quiet: bool,
        work: impl FnOnce(&Progress<'a>) -> T,
    ) -> T {
        Progress::within(control, threads, quiet, None, work)
    }

    /// The same for work that takes at most so much time, unless it says how far it is.
    pub fn within<T: Send>(
        control: &'a Control,
        threads: usize,
        quiet: bool,
        limit: Option<Duration>,
        work: impl FnOnce(&Progress<'a>) -> T,
    ) -> T {
        let progress = Progress {
            control,
            earlier: control.stage().map_or(0, |(number, _)| number),
            threads,
            quiet,
            limit,
            terminal: std::io::stderr().is_terminal(),
            began: Instant::now(),
            state: Mutex::default(),
            ended: Condvar::new(),
        };
        if quiet {
            return work(&progress);
        }
        std::thread::scope(|scope| {
            scope.spawn(|| progress.watch());
            // Dropped even if the work panics; otherwise the scope would wait for the watcher
            // forever.
            let _end = End(&progress);
            work(&progress)
        })
    }

    /// Writes a line on standard error, above the bar if there is one.
    pub fn note(&self, text: impl std::fmt::Display) {
        if !self.quiet {
            note_above(self.state().bar.as_ref(), text);
        }
    }

    /// Looks at the control at intervals until the work ends, and shows what it says.
    fn watch(&self) {
        let mut state = self.state();
        let mut last_line = Instant::now();
        while !state.ended {
            state = self
                .ended
                .wait_timeout(state, LOOK_EVERY)
                .map_or_else(|error| error.into_inner().0, |(state, _)| state);
            if state.ended {
                break;
            }
            let Some(shown) = self.look(&mut state).or_else(|| self.searching()) else { continue };
            if self.terminal {
                if self.began.elapsed() >= BAR_AFTER {
                    shown.draw(&mut state.bar);
                }
            } else if last_line.elapsed() >= LINE_EVERY {
                output::note(shown.line());
                last_line = Instant::now();
            }
        }
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// The current stage; a new one is announced.
    fn look(&self, state: &mut State) -> Option<Shown> {
        let (number, stage) = self.control.stage().filter(|(number, _)| *number > self.earlier)?;
        let known = state.shown.as_ref().filter(|shown| shown.number == number);
        let began = known.map_or_else(Instant::now, |shown| shown.began);
        if known.is_none()
            && let Some(text) = self.announcement(&stage)
        {
            note_above(state.bar.as_ref(), text);
        }
        let shown = Shown { number, began, stage };
        state.shown = Some(shown.clone());
        Some(shown)
    }

    /// How much of its time work has taken that doesn't say more.
    fn searching(&self) -> Option<Shown> {
        let limit = self.limit?;
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let mut stage = Stage::new("searching", milliseconds(limit), 1);
        stage.unit = MILLISECONDS;
        stage.done = milliseconds(self.began.elapsed()).min(stage.total());
        Some(Shown { number: 0, began: self.began, stage })
    }

    /// What is said at the beginning of a stage.
    fn announcement(&self, stage: &Stage) -> Option<String> {
        if stage.earlier > 0 {
            let share = 100.0 * stage.earlier as f64 / stage.total().max(1) as f64;
            return Some(format!("resuming: {share:.0}% already done"));
        }
        let estimate = stage.estimate?;
        let seconds = 2.0 * estimate.boards as f64 * NANOSECONDS * 1e-9 / self.threads as f64;
        if seconds <= ANNOUNCED_SECONDS && estimate.bytes <= ANNOUNCED_BYTES {
            return None;
        }
        let end = if stage.to_the_end { " (to the end of the game)" } else { "" };
        Some(format!(
            "searching {} plies{end}: {} boards, {} of memory",
            estimate.plies,
            output::thousands(estimate.boards),
            output::bytes(estimate.bytes)
        ))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a line on standard error, above the bar if there is one.
fn note_above(bar: Option<&ProgressBar>, text: impl std::fmt::Display) {
    match bar {
        Some(bar) => bar.suspend(|| output::note(text)),
        None => output::note(text),
    }
}

impl Shown {
    fn draw(&self, bar: &mut Option<ProgressBar>) {
        let bar = bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg}  {eta} left");
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr());
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        if bar.length() != Some(self.stage.total()) {
            bar.set_length(self.stage.total());
            bar.set_position(self.stage.earlier);
            bar.reset_eta();
        }
        bar.set_message(format!("{}  {}", self.stage.what, self.pace()));
        bar.set_position(self.stage.done);
    }

    fn line(&self) -> String {
        let (done, total) = (self.stage.done as f64, self.stage.total() as f64);
        let here = (done - self.stage.earlier as f64).max(1e-9);
        let left = self.began.elapsed().as_secs_f64() * (total - done) / here;
        // What would take longer than a clock can say has hardly begun.
        let left = HumanDuration(Duration::try_from_secs_f64(left.round()).unwrap_or(Duration::MAX));
        let share = 100.0 * done / total.max(1.0);
        format!("{}: {share:.0}%, {}, about {left} left", self.stage.what, self.pace())
    }

    /// What is done in a second; of work of which only the time is known, that.
    fn pace(&self) -> String {
        match self.stage.unit {
            MILLISECONDS => "of the time that it may take".to_owned(),
            unit => format!("{} {unit}/s", output::rate(self.boards_per_second())),
        }
    }

    fn boards_per_second(&self) -> f64 {
        self.stage.done.saturating_sub(self.stage.earlier) as f64
            / self.stage.times.max(1) as f64
            / self.began.elapsed().as_secs_f64().max(1e-3)
    }
}

/// Ends the watching when it is dropped.
struct End<'p, 'c>(&'p Progress<'c>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        self.0.state().ended = true;
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_games::{Question, read_rules};

    #[test]
    fn a_solution_is_shown_and_the_watcher_ends_with_it() {
        let control = Control::new();
        let game = read_rules("pentago").unwrap();
        let position = game.read("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o").unwrap();
        let question = Question::new(Duration::from_secs(60), 1 << 28, &control);
        let shown = Progress::during(&control, 1, false, |progress| {
            game.answer(&position, &question).unwrap();
            progress.look(&mut State::default()).unwrap()
        });
        assert_eq!(shown.stage.what, "11 plies");
        assert!(shown.line().starts_with("11 plies: 100%"), "{}", shown.line());
    }
}
