//! How far a solution is: a bar on a terminal, now and then a line elsewhere.

use std::io::IsTerminal;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pentago::answer::Estimate;
use pentago::solve::Control;

use crate::output;

/// What ends sooner needs no bar.
const BAR_AFTER: Duration = Duration::from_millis(300);
const BAR_EVERY: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(10);

/// What one thread takes about for a board in one chain. For the announcement alone.
const NANOSECONDS: f64 = 5.0;
/// Longer solutions, and those that take more memory, are announced.
const ANNOUNCED_SECONDS: f64 = 1.0;
const ANNOUNCED_BYTES: u64 = 1_000_000_000;

/// The progress of one answer, which may take several stages.
pub struct Progress<'a> {
    control: &'a Control,
    threads: usize,
    quiet: bool,
    terminal: bool,
    began: Instant,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    stage: Option<Stage>,
    bar: Option<ProgressBar>,
    ended: bool,
}

/// One piece of work whose size is known.
#[derive(Clone)]
struct Stage {
    began: Instant,
    /// Boards that were done before it.
    before: u64,
    /// Boards of it that were done by an earlier run of the program.
    earlier: u64,
    /// Boards to do, each as often as it is computed.
    total: u64,
    /// How often that is.
    times: u64,
    what: String,
}

impl<'a> Progress<'a> {
    /// Runs `work` while another thread shows how far it is.
    pub fn during<T: Send>(
        control: &'a Control,
        threads: usize,
        quiet: bool,
        work: impl FnOnce(&Progress<'a>) -> T,
    ) -> T {
        let progress = Progress {
            control,
            threads,
            quiet,
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
            // Also where the work panics, or the watcher would be waited for without end.
            let _end = End(&progress);
            work(&progress)
        })
    }

    /// Announces the next rooted solution.
    pub fn stage(&self, estimate: Estimate, all_plies: usize) {
        let mut state = self.state();
        state.stage = Some(Stage {
            began: Instant::now(),
            before: self.control.done(),
            earlier: 0,
            total: 2 * estimate.boards,
            times: 2,
            what: format!("{} plies", estimate.plies),
        });
        let seconds = 2.0 * estimate.boards as f64 * NANOSECONDS * 1e-9 / self.threads as f64;
        if self.quiet || seconds <= ANNOUNCED_SECONDS && estimate.bytes <= ANNOUNCED_BYTES {
            return;
        }
        let end = if estimate.plies >= all_plies { ", to the end" } else { "" };
        let text = format!(
            "looking {} plies ahead{end}: {} boards, {} of memory",
            estimate.plies,
            output::thousands(estimate.boards),
            output::bytes(estimate.bytes)
        );
        match &state.bar {
            Some(bar) => bar.suspend(|| output::note(text)),
            None => output::note(text),
        }
    }

    /// The next piece of work: `boards` of `what`, each computed `times` times; of them `earlier` computations were made by an earlier
    /// run of the program.
    pub fn work(&self, what: &str, boards: u64, times: u64, earlier: u64) {
        self.state().stage = Some(Stage {
            began: Instant::now(),
            before: self.control.done(),
            earlier,
            total: times * boards,
            times,
            what: what.to_owned(),
        });
    }

    /// Writes a line on standard error, above the bar if there is one.
    pub fn note(&self, text: impl std::fmt::Display) {
        match &self.state().bar {
            _ if self.quiet => {}
            Some(bar) => bar.suspend(|| output::note(text)),
            None => output::note(text),
        }
    }

    /// Shows the state from time to time, until the work ends.
    fn watch(&self) {
        let every = if self.terminal { BAR_EVERY } else { LINE_EVERY };
        let mut state = self.state();
        while !state.ended {
            state = self
                .ended
                .wait_timeout(state, every)
                .map_or_else(|error| error.into_inner().0, |(state, _)| state);
            if state.ended {
                break;
            }
            let Some(stage) = state.stage.clone() else { continue };
            if self.terminal {
                if self.began.elapsed() >= BAR_AFTER {
                    self.draw(&mut state, &stage);
                }
            } else {
                output::note(self.line(&stage));
            }
        }
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn draw(&self, state: &mut State, stage: &Stage) {
        let bar = state.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg}  {eta} left");
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr());
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        if bar.length() != Some(stage.total) {
            bar.set_length(stage.total);
            bar.set_position(stage.earlier);
            bar.reset_eta();
        }
        let rate = output::rate(self.boards_per_second(stage));
        bar.set_message(format!("{}  {rate} boards/s", stage.what));
        bar.set_position(self.done(stage));
    }

    fn line(&self, stage: &Stage) -> String {
        let done = self.done(stage) as f64;
        let here = (done - stage.earlier as f64).max(1e-9);
        let left = stage.began.elapsed().as_secs_f64() * (stage.total as f64 - done) / here;
        let done = done / stage.total.max(1) as f64;
        let rate = output::rate(self.boards_per_second(stage));
        format!("{}: {:.0}%, {rate} boards/s, about {left:.0} s left", stage.what, 100.0 * done)
    }

    /// Computations of this stage that are done.
    fn done(&self, stage: &Stage) -> u64 {
        (self.control.done().saturating_sub(stage.before) + stage.earlier).min(stage.total)
    }

    fn boards_per_second(&self, stage: &Stage) -> f64 {
        (self.done(stage) - stage.earlier) as f64
            / stage.times as f64
            / stage.began.elapsed().as_secs_f64().max(1e-3)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn the_watcher_ends_with_the_work() {
        let control = Control::new();
        let estimate = Estimate { plies: 3, boards: 100, bytes: 1000 };
        let done = Progress::during(&control, 1, false, |progress| {
            progress.stage(estimate, 5);
            let stage = progress.state().stage.clone().unwrap();
            assert!(progress.line(&stage).starts_with("3 plies: 0%"));
            progress.done(&stage)
        });
        assert_eq!(done, 0);
    }
}
