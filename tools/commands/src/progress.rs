//! Progress: a bar on a terminal, elsewhere a line every ten seconds; and a file for whoever watches
//! from afar.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pentago::{Control, Stage};
use pentago_games::SlicePlan;

#[cfg(unix)]
use crate::exit::bad_input;
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
    /// Where lines of JSON go.
    file: Option<&'a ProgressFile>,
    /// What is expected of the slices of a game, in the order in which they are built.
    expected: OnceLock<Vec<Expected>>,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    shown: Option<Shown>,
    bar: Option<ProgressBar>,
    ended: bool,
}

/// What is expected of a slice.
#[derive(Debug, Clone, Copy)]
struct Expected {
    entries: u64,
    seconds: f64,
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
        Progress::of(control, threads, quiet, None, None, work)
    }

    /// The same with a file for whoever watches from afar.
    pub fn with_file<T: Send>(
        control: &'a Control,
        threads: usize,
        quiet: bool,
        file: Option<&'a ProgressFile>,
        work: impl FnOnce(&Progress<'a>) -> T,
    ) -> T {
        Progress::of(control, threads, quiet, None, file, work)
    }

    /// The same for work that takes at most so much time, unless it says how far it is.
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

    /// Slices take as long as was estimated, in relation to each other: early ones are smaller and
    /// quicker than those that follow.
    pub fn expect(&self, slices: &[SlicePlan]) {
        let of = |slice: &SlicePlan| Expected { entries: slice.entries, seconds: slice.seconds };
        let _ = self.expected.set(slices.iter().map(of).collect());
    }

    /// Looks at the control at intervals until the work ends, and shows what it says.
    fn watch(&self) {
        let mut state = self.state();
        let mut last_line = Instant::now();
        let mut told = Told::default();
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
                told.tell(file, self, &shown);
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

    /// The current stage; a new one is announced.
    fn look(&self, state: &mut State) -> Option<Shown> {
        let (number, stage) = self.control.stage().filter(|(number, _)| *number > self.earlier)?;
        let known = state.shown.as_ref().filter(|shown| shown.number == number);
        let began = known.map_or_else(Instant::now, |shown| shown.began);
        if known.is_none()
            && !self.quiet
            && let Some(text) = self.announcement(&stage)
        {
            note_above(state.bar.as_ref(), text);
        }
        let shown = Shown { number, began, stage };
        state.shown = Some(shown.clone());
        Some(shown)
    }

    /// Seconds that the rest of a stage takes: what is expected of it, as far as that has come true
    /// here; or as much for each board as until now.
    fn left(&self, shown: &Shown) -> f64 {
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
            "searching {}{end}: {} boards, {} of memory",
            output::counted_plies(estimate.plies),
            output::thousands(estimate.boards),
            output::bytes(estimate.bytes)
        ))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Seconds that are expected for the last so many entries of slices, and whether these are whole
/// slices; none if there aren't so many.
fn expected_of_last(slices: &[Expected], entries: u64) -> Option<(f64, bool)> {
    let (mut rest, mut seconds) = (entries, 0.0);
    for slice in slices.iter().rev() {
        if rest < slice.entries {
            return Some((seconds + slice.seconds * rest as f64 / slice.entries as f64, rest == 0));
        }
        rest -= slice.entries;
        seconds += slice.seconds;
    }
    (rest == 0 && !slices.is_empty()).then_some((seconds, true))
}

/// When a line of JSON was written last, and about what.
#[derive(Default)]
struct Told {
    at: Option<Instant>,
    marks: BTreeMap<&'static str, String>,
}

impl Told {
    /// Writes a line if another slice was begun or compared, or enough time has passed.
    fn tell(&mut self, file: &ProgressFile, progress: &Progress, shown: &Shown) {
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

/// A file with a line of JSON for every slice that is begun or compared, and every ten seconds.
pub struct ProgressFile {
    /// None when it can't be written any more.
    file: Mutex<Option<File>>,
    path: PathBuf,
    /// Where the disk is watched.
    folder: PathBuf,
    began: Instant,
}

impl ProgressFile {
    /// Opens it, to write behind what it holds. `folder` lies on the disk that is watched.
    ///
    /// # Errors
    /// If it can't be written, or is a pipe or a folder.
    pub fn open(path: &Path, folder: &Path) -> anyhow::Result<ProgressFile> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileTypeExt;
            // A pipe would hold the build up until somebody reads it.
            let of = path.metadata().map(|found| found.file_type());
            if of.is_ok_and(|of| !of.is_file() && !of.is_char_device()) {
                let text = format!(
                    "{} is no file: the progress is written behind what a file holds",
                    path.display()
                );
                return Err(bad_input(text).into());
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.with_context(|| format!("cannot write the progress to {}", path.display()))?;
        let (file, path) = (Mutex::new(Some(file)), path.to_owned());
        Ok(ProgressFile { file, path, folder: folder.to_owned(), began: Instant::now() })
    }

    /// Writes an object with the time and the disk. Who can't write it any more says so once, and goes
    /// on all the same: what is watched is more than the watching.
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

/// Writes a line on standard error, above the bar if there is one.
fn note_above(bar: Option<&ProgressBar>, text: impl std::fmt::Display) {
    match bar {
        Some(bar) => bar.suspend(|| output::note(text)),
        None => output::note(text),
    }
}

impl Shown {
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

    /// What is done in a second; none if it is known only how much time the work may take.
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

/// A time in words. What would take longer than a clock can say has hardly begun.
fn human(seconds: f64) -> HumanDuration {
    HumanDuration(Duration::try_from_secs_f64(seconds.round()).unwrap_or(Duration::MAX))
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
        assert!(shown.line(0.0).starts_with("11 plies: 100%"), "{}", shown.line(0.0));
    }

    /// A tenth of the boards takes a half of the time here: what is left is said by the estimate, scaled by
    /// what has come true of it.
    #[test]
    fn early_slices_tell_how_long_late_ones_take() {
        let slices = [(10, 1.0), (90, 99.0)].map(|(entries, seconds)| Expected { entries, seconds });
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
            progress.left(&Shown { number, began, stage })
        });
        // Three seconds instead of one.
        assert!((left / 297.0 - 1.0).abs() < 0.1, "{left}");
    }
}
