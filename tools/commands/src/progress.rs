//! Progress: a bar on a terminal, otherwise a line every ten seconds; and a file of JSON lines for
//! watching a build from another machine.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pentago::{Control, SliceEstimate, Stage};

#[cfg(unix)]
use crate::exit::bad_input;
use crate::output;

/// The time before the bar appears. Shorter work shows no bar.
const BAR_AFTER: Duration = Duration::from_millis(300);
const LOOK_EVERY: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The unit of work that is limited by time alone.
const MILLISECONDS: &str = "ms";

/// A rough time per board and chain of one thread in nanoseconds. The time decides only which solutions
/// are announced.
const NANOSECONDS: f64 = 5.0;
/// Solutions that take more time or more memory are announced.
const ANNOUNCED_SECONDS: f64 = 1.0;
const ANNOUNCED_BYTES: u64 = 1_000_000_000;

/// The progress of a computation, shown by a second thread.
pub struct Progress<'a> {
    control: &'a Control,
    /// The number of the control's last stage before this computation.
    earlier: u64,
    threads: usize,
    quiet: bool,
    /// The time limit, for work without stages.
    limit: Option<Duration>,
    terminal: bool,
    began: Instant,
    /// The file for lines of JSON.
    file: Option<&'a ProgressFile>,
    /// The estimated entries and seconds of the slices of a game, in the order of the build.
    expected: OnceLock<Vec<(u64, f64)>>,
    state: Mutex<Display>,
    ended: Condvar,
}

/// The state of the display.
#[derive(Default)]
struct Display {
    shown: Option<CurrentStage>,
    bar: Option<ProgressBar>,
    ended: bool,
}

/// A stage, with the time since it was first seen.
#[derive(Clone)]
struct CurrentStage {
    number: u64,
    began: Instant,
    stage: Stage,
}

impl<'a> Progress<'a> {
    /// Runs `work` while another thread shows its progress.
    pub fn during<T: Send>(
        control: &'a Control,
        threads: usize,
        quiet: bool,
        work: impl FnOnce(&Progress<'a>) -> T,
    ) -> T {
        Progress::of(control, threads, quiet, None, None, work)
    }

    /// Runs `work` while another thread shows its progress and writes it to `file`.
    pub fn with_file<T: Send>(
        control: &'a Control,
        threads: usize,
        quiet: bool,
        file: Option<&'a ProgressFile>,
        work: impl FnOnce(&Progress<'a>) -> T,
    ) -> T {
        Progress::of(control, threads, quiet, None, file, work)
    }

    /// Runs `work` while another thread shows its progress; work without stages is measured against the
    /// time limit.
    pub fn within<T: Send>(
        control: &'a Control,
        threads: usize,
        quiet: bool,
        limit: Option<Duration>,
        work: impl FnOnce(&Progress<'a>) -> T,
    ) -> T {
        Progress::of(control, threads, quiet, limit, None, work)
    }

    fn of<T: Send>(
        control: &'a Control,
        threads: usize,
        quiet: bool,
        limit: Option<Duration>,
        file: Option<&'a ProgressFile>,
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
            file,
            expected: OnceLock::new(),
            state: Mutex::default(),
            ended: Condvar::new(),
        };
        if quiet && file.is_none() {
            return work(&progress);
        }
        std::thread::scope(|scope| {
            scope.spawn(|| progress.watch());
            // Drop the guard even if the work panics: otherwise the scope waits for the watcher forever.
            let _guard = EndGuard(&progress);
            work(&progress)
        })
    }

    /// Writes a line to standard error, above the bar if there is one.
    pub fn note(&self, text: impl std::fmt::Display) {
        if !self.quiet {
            note_above(self.state().bar.as_ref(), text);
        }
    }

    /// Sets the estimates of the slices. The remaining time follows their ratios, because early slices
    /// are smaller and faster than later ones.
    pub fn expect(&self, slices: &[SliceEstimate]) {
        let _ = self.expected.set(slices.iter().map(|slice| (slice.entries, slice.seconds)).collect());
    }

    /// Polls the control until the work ends, and shows its stage.
    fn watch(&self) {
        let mut state = self.state();
        let mut last_line = Instant::now();
        let mut last_report = LastReport::default();
        while !state.ended {
            state = self
                .ended
                .wait_timeout(state, LOOK_EVERY)
                .map_or_else(|error| error.into_inner().0, |(state, _)| state);
            if state.ended {
                break;
            }
            let Some(shown) = self.look(&mut state).or_else(|| self.searching()) else { continue };
            if let Some(file) = self.file {
                last_report.write(file, self, &shown);
            }
            if self.quiet {
                continue;
            }
            if self.terminal {
                if self.began.elapsed() >= BAR_AFTER {
                    shown.draw(&mut state.bar, self.left(&shown));
                }
            } else if last_line.elapsed() >= LINE_EVERY {
                output::note(shown.line(self.left(&shown)));
                last_line = Instant::now();
            }
        }
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Returns the current stage, and announces a new one.
    fn look(&self, state: &mut Display) -> Option<CurrentStage> {
        let (number, stage) = self.control.stage().filter(|(number, _)| *number > self.earlier)?;
        let known = state.shown.as_ref().filter(|shown| shown.number == number);
        let began = known.map_or_else(Instant::now, |shown| shown.began);
        if known.is_none()
            && !self.quiet
            && let Some(text) = self.announcement(&stage)
        {
            note_above(state.bar.as_ref(), text);
        }
        let shown = CurrentStage { number, began, stage };
        state.shown = Some(shown.clone());
        Some(shown)
    }

    /// Returns the remaining seconds of a stage. With estimates of slices, the rest of the estimate is
    /// scaled by the ratio of passed to estimated time so far; otherwise the rate so far goes on.
    fn left(&self, shown: &CurrentStage) -> f64 {
        let Stage { done, earlier, .. } = shown.stage;
        let (total, passed) = (shown.stage.total(), shown.began.elapsed().as_secs_f64());
        let expected = self.expected.get().map_or(&[][..], Vec::as_slice);
        let ahead = |boards: u64| expected_of_last(expected, boards);
        match (ahead(total), ahead(total - earlier.min(total)), ahead(total - done.min(total))) {
            (Some((_, true)), Some((first, _)), Some((rest, _))) if shown.stage.unit != "bytes" => {
                let spent = first - rest;
                rest * if spent > 0.0 { passed / spent } else { 1.0 }
            }
            _ => {
                let here = (done as f64 - earlier as f64).max(1e-9);
                passed * (total.saturating_sub(done)) as f64 / here
            }
        }
    }

    /// Returns a stage that measures the time so far against the time limit.
    fn searching(&self) -> Option<CurrentStage> {
        let limit = self.limit?;
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let mut stage = Stage::new("searching", milliseconds(limit), 1);
        stage.unit = MILLISECONDS;
        stage.done = milliseconds(self.began.elapsed()).min(stage.total());
        Some(CurrentStage { number: 0, began: self.began, stage })
    }

    /// Returns the note at the start of a stage, if the stage is resumed or long.
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
            "searching {}{end}: {} boards, {} of memory",
            output::counted_plies(estimate.plies),
            output::thousands(estimate.boards),
            output::bytes(estimate.bytes)
        ))
    }

    fn state(&self) -> MutexGuard<'_, Display> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the estimated seconds of the last `entries` entries of all slices, and whether these are
/// whole slices. Returns `None` if there are fewer entries.
fn expected_of_last(slices: &[(u64, f64)], entries: u64) -> Option<(f64, bool)> {
    let (mut rest, mut seconds) = (entries, 0.0);
    for &(of_slice, time) in slices.iter().rev() {
        if rest < of_slice {
            return Some((seconds + time * rest as f64 / of_slice as f64, rest == 0));
        }
        rest -= of_slice;
        seconds += time;
    }
    (rest == 0 && !slices.is_empty()).then_some((seconds, true))
}

/// The time and the marks of the last line of JSON.
#[derive(Default)]
struct LastReport {
    at: Option<Instant>,
    marks: BTreeMap<&'static str, String>,
}

impl LastReport {
    /// Writes a line if a slice was started or compared, or the last line is old enough.
    fn write(&mut self, file: &ProgressFile, progress: &Progress, shown: &CurrentStage) {
        let mut marks = progress.control.marks();
        let section = marks.remove("section");
        let is_new = marks != self.marks || self.at.is_none_or(|at| at.elapsed() >= LINE_EVERY);
        if !is_new {
            return;
        }
        (self.at, self.marks) = (Some(Instant::now()), marks);
        let word = |name: &str| self.marks.get(name);
        file.line(serde_json::json!({
            "doing": shown.stage.what,
            "slice": word("slice").and_then(|slice| slice.parse::<u8>().ok()),
            "section": section,
            "counts": word("counts"),
            "done": shown.stage.done,
            "total": shown.stage.total(),
            "unit": shown.stage.unit,
            "per_second": shown.boards_per_second(),
            "seconds_left": progress.left(shown),
        }));
    }
}

/// A file of JSON lines: one for every slice that is started or compared, and one every ten seconds.
pub struct ProgressFile {
    /// The open file, or `None` after a write error.
    file: Mutex<Option<File>>,
    path: PathBuf,
    /// The folder on the disk whose free space is reported.
    folder: PathBuf,
    began: Instant,
}

impl ProgressFile {
    /// Opens a file to append to. `folder` lies on the disk whose free space is reported.
    ///
    /// # Errors
    /// If the file can't be written, or is a pipe or a folder.
    pub fn open(path: &Path, folder: &Path) -> anyhow::Result<ProgressFile> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileTypeExt;
            // Opening a pipe would block the build until a reader opens it, too.
            let of = path.metadata().map(|found| found.file_type());
            if of.is_ok_and(|of| !of.is_file() && !of.is_char_device()) {
                let text =
                    format!("{} is no file: the progress is appended to a regular file", path.display());
                return Err(bad_input(text));
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.with_context(|| format!("cannot write the progress to {}", path.display()))?;
        let (file, path) = (Mutex::new(Some(file)), path.to_owned());
        Ok(ProgressFile { file, path, folder: folder.to_owned(), began: Instant::now() })
    }

    /// Writes an object with the time and the free disk space. A write error is noted once and ends the
    /// reports, but not the build.
    pub fn line(&self, mut object: serde_json::Value) {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        object["time"] = now.as_secs().into();
        object["seconds"] = self.began.elapsed().as_secs_f64().into();
        object["disk_free"] = pentago_memory::disk(&self.folder).map(|disk| disk.free).into();
        let mut file = pentago_base::lock(&self.file);
        if let Some(Err(error)) = file.as_mut().map(|file| writeln!(file, "{object}")) {
            output::note(format_args!(
                "the progress is no longer written to {}: {error}",
                self.path.display()
            ));
            *file = None;
        }
    }
}

/// Writes a line to standard error, above the bar if there is one.
fn note_above(bar: Option<&ProgressBar>, text: impl std::fmt::Display) {
    match bar {
        Some(bar) => bar.suspend(|| output::note(text)),
        None => output::note(text),
    }
}

impl CurrentStage {
    fn draw(&self, bar: &mut Option<ProgressBar>, left: f64) {
        let bar = bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg} left");
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr());
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        if bar.length() != Some(self.stage.total()) {
            bar.set_length(self.stage.total());
            bar.set_position(self.stage.earlier);
            bar.reset_eta();
        }
        let pace = self.pace().map_or_else(|| "at most ".to_owned(), |pace| pace + "  ");
        bar.set_message(format!("{}  {pace}{}", self.stage.what, human(left)));
        bar.set_position(self.stage.done);
    }

    fn line(&self, left: f64) -> String {
        let share = 100.0 * self.stage.done as f64 / self.stage.total().max(1) as f64;
        let (what, left) = (&self.stage.what, human(left));
        match self.pace() {
            Some(pace) => format!("{what}: {share:.0}%, {pace}, about {left} left"),
            None => format!("{what}: {share:.0}% of the time, at most {left} left"),
        }
    }

    /// Formats the rate, or returns `None` if the stage is measured by time alone.
    fn pace(&self) -> Option<String> {
        let unit = self.stage.unit;
        (unit != MILLISECONDS).then(|| format!("{} {unit}/s", output::rate(self.boards_per_second())))
    }

    fn boards_per_second(&self) -> f64 {
        self.stage.done.saturating_sub(self.stage.earlier) as f64
            / self.stage.times.max(1) as f64
            / self.began.elapsed().as_secs_f64().max(1e-3)
    }
}

/// Formats a time in words. A time that overflows, early in a stage, becomes the longest time.
fn human(seconds: f64) -> HumanDuration {
    HumanDuration(Duration::try_from_secs_f64(seconds.round()).unwrap_or(Duration::MAX))
}

/// Ends the watcher when dropped.
struct EndGuard<'p, 'c>(&'p Progress<'c>);

impl Drop for EndGuard<'_, '_> {
    fn drop(&mut self) {
        self.0.state().ended = true;
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_games::{Question, SearchContext, read_rules};

    #[test]
    fn a_solution_is_shown_and_the_watcher_ends_with_it() {
        let control = Control::new();
        let game = read_rules("pentago").unwrap();
        let position = game.read("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o").unwrap();
        let question = Question { time: Some(Duration::from_secs(60)), ..Question::default() };
        let shown = Progress::during(&control, 1, false, |progress| {
            game.answer(&position, &question, &SearchContext::new(1 << 28, &control)).unwrap();
            progress.look(&mut Display::default()).unwrap()
        });
        assert_eq!(shown.stage.what, "11 plies");
        assert!(shown.line(0.0).starts_with("11 plies: 100%"), "{}", shown.line(0.0));
    }

    /// The remaining time is the rest of the estimate, scaled by the ratio of passed to estimated time.
    #[test]
    fn early_slices_tell_how_long_late_ones_take() {
        let slices = [(10, 1.0), (90, 99.0)];
        assert_eq!(expected_of_last(&slices, 100), Some((100.0, true)));
        assert_eq!(expected_of_last(&slices, 90), Some((99.0, true)));
        assert_eq!(expected_of_last(&slices, 30), Some((33.0, false)));
        assert_eq!((expected_of_last(&slices, 0), expected_of_last(&slices, 101)), (Some((0.0, true)), None));
        let control = Control::new();
        let left = Progress::during(&control, 1, true, |progress| {
            progress.expected.set(slices.to_vec()).unwrap();
            control.begin(Stage::new("slices", 100, 1));
            control.add(10);
            let (number, stage) = control.stage().unwrap();
            let began = Instant::now().checked_sub(Duration::from_secs(3)).unwrap();
            progress.left(&CurrentStage { number, began, stage })
        });
        // Three seconds instead of one.
        assert!((left / 297.0 - 1.0).abs() < 0.1, "{left}");
    }
}
