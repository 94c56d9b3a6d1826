//! Shows the progress of a computation: as a bar on a terminal, otherwise as a line every ten
//! seconds. Also writes JSON lines to a file, for watching a build from another machine.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pentago::{Control, SliceEstimate, Stage};

#[cfg(unix)]
use crate::exit::bad_input;
use crate::output;

/// The time before the bar appears. Shorter work shows no bar.
const BAR_AFTER: Duration = Duration::from_millis(300);
const LOOK_EVERY: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(10);
/// The minimum time in seconds for which a rate must be measured before it yields a remaining time.
const MEASURED_SECONDS: f64 = 1.0;

/// The unit of progress for work that is limited only by time.
const MILLISECONDS: &str = "ms";

/// A rough time per board and chain of one thread, in nanoseconds. This time is used only to decide
/// which solutions are announced.
const NANOSECONDS: f64 = 5.0;
/// A solution is announced if it takes more than this time, or more than `ANNOUNCED_BYTES` of
/// memory.
const ANNOUNCED_SECONDS: f64 = 1.0;
const ANNOUNCED_BYTES: u64 = 1_000_000_000;

/// The progress of a computation, shown by a second thread.
pub struct Progress<'a> {
    control: &'a Control,
    /// The number of the latest stage of the control when this computation began.
    earlier: u64,
    threads: usize,
    quiet: bool,
    /// The time limit of work that reports no stages.
    limit: Option<Duration>,
    began: Instant,
    /// The file for progress reports as JSON lines.
    file: Option<&'a ProgressFile>,
    /// For each slice of a game, in the order of the build, the estimated number of entries and the
    /// estimated time in seconds.
    expected: OnceLock<Vec<(u64, f64)>>,
    /// The bar, which is hidden at first.
    bar: ProgressBar,
}

/// A stage, and the time at which this stage was first seen.
#[derive(Clone)]
struct CurrentStage {
    number: u64,
    began: Instant,
    stage: Stage,
}

impl<'a> Progress<'a> {
    /// Runs `work` while another thread shows its progress.
    pub fn during<T: Send>(control: &'a Control, threads: usize, work: impl FnOnce(&Progress<'a>) -> T) -> T {
        Progress::with(control, threads, None, None, work)
    }

    /// Runs `work` while another thread shows its progress and writes the progress to `file`. If
    /// the work reports no stages, the progress is the elapsed part of the time limit.
    pub fn with<T: Send>(
        control: &'a Control,
        threads: usize,
        limit: Option<Duration>,
        file: Option<&'a ProgressFile>,
        work: impl FnOnce(&Progress<'a>) -> T,
    ) -> T {
        let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::hidden());
        let earlier = control.stage().map_or(0, |(number, _)| number);
        let (began, expected) = (Instant::now(), OnceLock::new());
        let quiet = output::is_quiet();
        let progress = Progress { control, earlier, threads, quiet, limit, began, file, expected, bar };
        if quiet && file.is_none() {
            return work(&progress);
        }
        std::thread::scope(|scope| {
            // The watcher ends when the sender is dropped, which also happens if the work panics.
            let (_working, ended) = channel();
            let watch = || progress.watch(ended);
            // If the system refuses another thread, work without showing the progress.
            let _ = std::thread::Builder::new().spawn_scoped(scope, watch);
            work(&progress)
        })
    }

    /// Writes a line to standard error, above the bar if there is one.
    pub fn note(&self, text: impl std::fmt::Display) {
        self.bar.suspend(|| output::note(text));
    }

    /// Sets the estimates of the slices. The remaining time is computed from these estimates,
    /// because early slices are smaller and faster than later ones.
    pub fn expect(&self, slices: &[SliceEstimate]) {
        let _ = self.expected.set(slices.iter().map(|slice| (slice.entries, slice.seconds)).collect());
    }

    /// Polls the control until the sender of `ended` is dropped, and shows the stage of the work.
    fn watch(&self, ended: Receiver<()>) {
        let is_terminal = std::io::stderr().is_terminal();
        let (mut last_line, mut last_report, mut known) = (Instant::now(), None, None);
        while ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
            let Some(mut shown) = self.look(&mut known).or_else(|| self.searching()) else { continue };
            if let Some(step) = self.control.marks().get(Control::STEP) {
                shown.stage.what = format!("{step}: {}", shown.stage.what);
            }
            self.report(&mut last_report, &shown);
            if self.quiet {
                continue;
            }
            if is_terminal {
                if self.began.elapsed() >= BAR_AFTER {
                    shown.draw(&self.bar, self.left(&shown));
                }
            } else if last_line.elapsed() >= LINE_EVERY {
                output::note(shown.line(self.left(&shown)));
                last_line = Instant::now();
            }
        }
        self.bar.finish_and_clear();
    }

    /// Returns the current stage. If the stage is new, announces it. `known` is the stage that the
    /// previous call returned.
    fn look(&self, known: &mut Option<CurrentStage>) -> Option<CurrentStage> {
        let (number, stage) = self.control.stage().filter(|(number, _)| *number > self.earlier)?;
        let began = known.as_ref().filter(|known| known.number == number).map(|known| known.began);
        if began.is_none()
            && let Some(text) = self.announcement(&stage)
        {
            self.note(text);
        }
        *known = Some(CurrentStage { number, began: began.unwrap_or_else(Instant::now), stage });
        known.clone()
    }

    /// Writes a line to the file if a slice was started or compared, or if the previous line is at
    /// least ten seconds old. `last` holds the time and the marks of the previous line.
    fn report(&self, last: &mut Option<(Instant, BTreeMap<&'static str, String>)>, shown: &CurrentStage) {
        let Some(file) = self.file else { return };
        let mut marks = self.control.marks();
        let section = marks.remove("section");
        if last.as_ref().is_some_and(|(at, known)| *known == marks && at.elapsed() < LINE_EVERY) {
            return;
        }
        file.line(serde_json::json!({
            "doing": shown.stage.what,
            "slice": marks.get("slice").and_then(|slice| slice.parse::<u8>().ok()),
            "section": section,
            "counts": marks.get("counts"),
            "done": shown.stage.done / shown.stage.times.max(1),
            "total": shown.stage.boards,
            "unit": shown.stage.unit,
            "per_second": shown.boards_per_second(),
            "seconds_left": self.left(shown),
        }));
        *last = Some((Instant::now(), marks));
    }

    /// Returns the remaining seconds of a stage, at most until the time limit. Stages with an
    /// estimate, which are solutions, ignore the limit. Returns `None` if nothing is known about
    /// the time.
    fn left(&self, shown: &CurrentStage) -> Option<f64> {
        let limit = self.limit.filter(|_| shown.stage.estimate.is_none());
        let to_limit = limit.and_then(|limit| limit.checked_sub(self.began.elapsed()));
        self.estimated(shown).into_iter().chain(to_limit.map(|left| left.as_secs_f64())).reduce(f64::min)
    }

    /// Estimates the remaining seconds of a stage. If there are estimates of the slices, the
    /// estimate of the remaining slices is multiplied by the ratio of elapsed time to estimated
    /// time so far. Otherwise, the rate so far is assumed to continue. Returns `None` if the amount
    /// of work is unknown, or the rate was measured for less than `MEASURED_SECONDS`.
    fn estimated(&self, shown: &CurrentStage) -> Option<f64> {
        let Stage { done, earlier, .. } = shown.stage;
        let (total, passed) = (shown.stage.total(), shown.began.elapsed().as_secs_f64());
        let expected = self.expected.get().map_or(&[][..], Vec::as_slice);
        let ahead = |boards: u64| expected_of_last(expected, boards);
        match (ahead(total), ahead(total - earlier.min(total)), ahead(total - done.min(total))) {
            (Some((_, true)), Some((first, _)), Some((rest, _))) if shown.stage.unit != "bytes" => {
                let spent = first - rest;
                Some(rest * if spent > 0.0 { passed / spent } else { 1.0 })
            }
            _ => {
                let is_known = done > earlier && passed >= MEASURED_SECONDS && shown.stage.boards < u64::MAX;
                let here = done.saturating_sub(earlier) as f64;
                is_known.then(|| passed * (total.saturating_sub(done)) as f64 / here)
            }
        }
    }

    /// Returns a stage whose progress is the elapsed part of the time limit, or `None` without a
    /// limit.
    fn searching(&self) -> Option<CurrentStage> {
        let limit = self.limit?;
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let mut stage = Stage::new("searching", milliseconds(limit), 1);
        stage.unit = MILLISECONDS;
        stage.done = milliseconds(self.began.elapsed()).min(stage.total());
        Some(CurrentStage { number: 0, began: self.began, stage })
    }

    /// Returns the note at the start of a stage, or `None` if the stage is neither resumed nor
    /// long.
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
}

/// Returns the estimated time in seconds of the last `entries` entries of all slices, and `true` if
/// these entries are exactly some whole slices. Returns `None` if the slices have fewer entries in
/// total.
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

/// A file of JSON lines: one for every slice that is started or compared, and one every ten
/// seconds.
pub struct ProgressFile {
    /// The open file, or `None` after a write error.
    file: Mutex<Option<File>>,
    path: PathBuf,
    /// The folder on the disk whose free space is reported.
    folder: PathBuf,
    began: Instant,
}

impl ProgressFile {
    /// Opens a file for appending. `folder` lies on the disk whose free space is reported.
    ///
    /// # Errors
    /// If the file can't be written, or is a pipe or a folder.
    pub fn open(path: &Path, folder: &Path) -> anyhow::Result<ProgressFile> {
        let name = output::shown_path(path);
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileTypeExt;
            // Opening a pipe would block the build until a reader opens the pipe, so refuse pipes.
            let of = path.metadata().map(|found| found.file_type());
            if of.is_ok_and(|of| !of.is_file() && !of.is_char_device()) {
                let text = format!("{name} is no file: the progress is appended to a regular file");
                return Err(bad_input(text));
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.with_context(|| format!("cannot write the progress to {name}"))?;
        let (file, path) = (Mutex::new(Some(file)), path.to_owned());
        Ok(ProgressFile { file, path, folder: folder.to_owned(), began: Instant::now() })
    }

    /// Writes an object with the time and the free disk space. After the first write error, notes
    /// the error and writes nothing more, but the build continues.
    pub fn line(&self, mut object: serde_json::Value) {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        object["time"] = now.as_secs().into();
        object["seconds"] = self.began.elapsed().as_secs_f64().into();
        object["disk_free"] = pentago_memory::disk(&self.folder).map(|disk| disk.free).into();
        let mut file = pentago_base::lock(&self.file);
        if let Some(Err(error)) = file.as_mut().map(|file| writeln!(file, "{object}")) {
            let name = output::shown_path(&self.path);
            output::warn(format_args!("the progress is no longer written to {name}: {error}"));
            *file = None;
        }
    }
}

impl CurrentStage {
    fn draw(&self, bar: &ProgressBar, left: Option<f64>) {
        if bar.length() != Some(self.stage.total()) {
            bar.set_style(self.style());
            bar.set_length(self.stage.total());
        }
        let parts = self.rate_and_time(left);
        bar.set_message(format!("{}  {}", self.stage.what, parts.join("  ")));
        bar.set_position(self.stage.done);
        if bar.is_hidden() {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Returns a bar if the amount of work is known, and otherwise a count of the finished work.
    fn style(&self) -> ProgressStyle {
        let template = match (self.stage.boards, self.stage.unit) {
            (u64::MAX, "") => "{elapsed}  {wide_msg}",
            (u64::MAX, _) => "{pos}  {wide_msg}",
            _ => "{bar:16} {percent:>3}%  {wide_msg}",
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        if output::is_utf8() { style } else { style.progress_chars("#-") }
    }

    fn line(&self, left: Option<f64>) -> String {
        let Stage { what, done, unit, .. } = &self.stage;
        let share = 100.0 * *done as f64 / self.stage.total().max(1) as f64;
        let done = match () {
            () if unit.is_empty() => output::duration(self.began.elapsed().as_secs_f64()),
            () if self.stage.boards == u64::MAX => format!("{} {unit}", output::thousands(*done)),
            () if *unit == MILLISECONDS => format!("{share:.0}% of the time"),
            () => format!("{share:.0}%"),
        };
        [vec![format!("{what}: {done}")], self.rate_and_time(left)].concat().join(", ")
    }

    /// Returns the rate, unless it is below 1 or the stage is measured by time alone, and the
    /// remaining time if it is known.
    fn rate_and_time(&self, left: Option<f64>) -> Vec<String> {
        let unit = self.stage.unit;
        let about = if unit == MILLISECONDS { "at most" } else { "about" };
        let rate = Some(self.boards_per_second()).filter(|&rate| rate >= 1.0 && unit != MILLISECONDS);
        let pace = rate.map(|rate| format!("{} {unit}/s", output::rate(rate)));
        let left = left.map(|seconds| format!("{about} {} left", output::duration(seconds)));
        pace.into_iter().chain(left).collect()
    }

    fn boards_per_second(&self) -> f64 {
        self.stage.done.saturating_sub(self.stage.earlier) as f64
            / self.stage.times.max(1) as f64
            / self.began.elapsed().as_secs_f64().max(1e-3)
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
        let shown = Progress::during(&control, 1, |progress| {
            game.answer(&position, &question, &SearchContext::new(1 << 28, &control)).unwrap();
            progress.look(&mut None).unwrap()
        });
        assert_eq!(shown.stage.what, "11 plies");
        assert!(shown.line(None).starts_with("11 plies: 100%"), "{}", shown.line(None));
    }

    /// If the amount of work is unknown and the stage has no unit, the line shows the elapsed time.
    #[test]
    fn work_without_a_unit_is_shown_by_its_time() {
        let began = Instant::now().checked_sub(Duration::from_secs(9)).unwrap();
        let mut stage = Stage::new("estimating", u64::MAX, 1);
        stage.unit = "";
        assert_eq!(CurrentStage { number: 1, began, stage }.line(None), "estimating: 9 s");
    }

    /// A remaining time needs a measured rate, and ends with the time limit.
    #[test]
    fn the_remaining_time_is_bounded_or_unknown() {
        let began = Instant::now().checked_sub(Duration::from_secs(9)).unwrap();
        let known = [(100, 0, None, None), (100, 40, None, Some(8.0)), (u64::MAX, 40, None, None)];
        for (boards, done, limit, tens) in known.into_iter().chain([(100, 40, Some(20), Some(2.0))]) {
            let mut stage = Stage::new("work", boards, 4);
            stage.done = done;
            let (control, shown) = (Control::new(), CurrentStage { number: 1, began, stage });
            let left = |progress: &Progress| progress.left(&shown).map(|left| (left / 10.0).round());
            assert_eq!(Progress::with(&control, 1, limit.map(Duration::from_secs), None, left), tens);
        }
    }

    /// The remaining time is the estimate of the remaining slices, multiplied by the ratio of
    /// elapsed time to estimated time.
    #[test]
    fn early_slices_tell_how_long_late_ones_take() {
        let slices = [(10, 1.0), (90, 99.0)];
        assert_eq!(expected_of_last(&slices, 100), Some((100.0, true)));
        assert_eq!(expected_of_last(&slices, 90), Some((99.0, true)));
        assert_eq!(expected_of_last(&slices, 30), Some((33.0, false)));
        assert_eq!((expected_of_last(&slices, 0), expected_of_last(&slices, 101)), (Some((0.0, true)), None));
        let control = Control::new();
        let left = Progress::during(&control, 1, |progress| {
            progress.expected.set(slices.to_vec()).unwrap();
            control.begin(Stage::new("slices", 100, 1));
            control.add(10);
            let (number, stage) = control.stage().unwrap();
            let began = Instant::now().checked_sub(Duration::from_secs(3)).unwrap();
            progress.left(&CurrentStage { number, began, stage }).unwrap()
        });
        // The first slice took three seconds instead of one, so the remaining 99 seconds become
        // 297.
        assert!((left / 297.0 - 1.0).abs() < 0.1, "{left}");
    }
}
