//! The options that commands share.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::num::NonZero;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Once};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use pentago::Control;
use pentago::Kernel;
use pentago_games::{Game, Question, Resources, SearchContext, read_rules_of};

use crate::exit::bad_input;
use crate::games::kinds;
use crate::output::{check_file, note, shown_path, thousands};
use crate::rates;

/// The largest number of threads for each CPU.
const EACH: NonZero<usize> = NonZero::new(4).unwrap();

/// The environment variable with the default of `--kernel`.
pub const KERNEL_VARIABLE: &str = "PENTAGO_KERNEL";

/// Returns the value of an environment variable. An empty variable counts as not set.
pub fn variable(name: impl AsRef<OsStr>) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// A text that only the exported page of `serve --export` contains.
pub const PAGE_MARK: &str = "<meta name=\"pentago-tables\"";

/// The option that allows files of other programs to be replaced.
#[derive(Debug, Args)]
pub struct Overwrite {
    /// Replace existing files that this program didn't write
    #[arg(long)]
    force: bool,
}

impl Overwrite {
    /// Checks that writing to `path` replaces nothing, or a file that this program wrote. Such a
    /// file contains one of the texts `marks`.
    ///
    /// # Errors
    /// If there is another file and no `--force`, if the file can't be read, or if [`check_file`]
    /// rejects the path.
    pub fn check(&self, path: &Path, marks: &[&str]) -> anyhow::Result<()> {
        check_file(path)?;
        if self.force || !path.is_file() {
            return Ok(());
        }
        let name = shown_path(path);
        let mut text = Vec::new();
        let read = File::open(path).and_then(|file| file.take(1 << 20).read_to_end(&mut text));
        read.with_context(|| format!("cannot read {name}"))?;
        let has = |mark: &&str| text.windows(mark.len()).any(|part| part == mark.as_bytes());
        if text.is_empty() || marks.iter().any(has) {
            return Ok(());
        }
        let advice = "name another place, or replace it with --force";
        Err(bad_input(format!("{name} exists already, and isn't such a file of this program: {advice}")))
    }
}

/// The resources of the solver: kernel, threads and memory.
#[derive(Debug, Clone, Args)]
pub struct SolverArgs {
    /// Kernel: avx512, avx2, portable, or gpu if the program was built with it [default: auto, the
    /// fastest]
    #[arg(long, value_name = "NAME", env = KERNEL_VARIABLE, hide_env_values = true, value_parser = Kernel::everywhere)]
    pub kernel: Option<Kernel>,

    /// Number of threads [default: all available CPUs]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZero<usize>>,

    /// Memory limit, such as 500M, 8G or 8GiB [default: 7/8 of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = pentago_memory::parse_memory)]
    pub memory: Option<u64>,
}

impl SolverArgs {
    /// Returns the kernel to use.
    pub fn kernel(&self) -> Kernel {
        self.kernel.unwrap_or_else(Kernel::best)
    }

    /// Returns the number of threads to use.
    pub fn threads(&self) -> NonZero<usize> {
        threads_or_all(self.threads)
    }

    /// Returns `true` if the kernel was chosen by `--kernel`, not by the environment variable.
    pub fn names_kernel(&self) -> bool {
        self.kernel.is_some() && variable(KERNEL_VARIABLE).is_none()
    }

    /// Returns a context with the threads, the memory and the kernel of these options.
    pub fn context<'c>(&self, control: &'c Control) -> SearchContext<'c> {
        SearchContext {
            threads: self.threads(),
            kernel: self.kernel,
            rate: Some(rates::load().pentago.root.per_board()),
            ..SearchContext::new(self.memory(), control)
        }
    }

    /// Returns the resources of these options, with `scratch` as the folder for temporary data.
    /// `scratch_limit` is the largest size of temporary data in bytes.
    pub fn resources(&self, scratch: PathBuf, scratch_limit: u64) -> Resources {
        let (kernel, threads, memory) = (self.kernel(), self.threads(), self.memory());
        Resources { kernel, threads, memory, scratch, scratch_limit }
    }

    /// Returns the memory limit in bytes.
    pub fn memory(&self) -> u64 {
        self.memory.unwrap_or_else(pentago_memory::usable)
    }
}

/// The rules of any game.
#[derive(Debug, Clone, Args)]
pub struct GameArg {
    /// Rules: a preset, or a preset with options such as pentago:dir=cw,last=stop, xl:seats=4 or
    /// pente:n=5,k=4,opening=free (see `pentago rules`)
    #[arg(long, value_name = "RULES", default_value = "pentago", value_parser = game)]
    pub rules: Arc<dyn Game>,
}

/// Parses the rules of a game.
pub fn game(text: &str) -> Result<Arc<dyn Game>, String> {
    read_rules_of(kinds(), text).map_err(|error| error.to_string())
}

/// Returns a question with a time limit. If `time` is `None`, `default` limits all searches except
/// full solutions.
pub fn limited(time: Option<Duration>, default: Duration) -> Question {
    let finish = time.is_none().then_some(Duration::MAX);
    Question { time: Some(time.unwrap_or(default)), finish, ..Question::default() }
}

/// Returns the option for these rules, after a space, or an empty text for the default rules.
pub fn rules_option(rules: &str) -> String {
    if rules == "pentago" { String::new() } else { format!(" --rules {rules}") }
}

/// Parses a time in seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds.ok_or_else(|| "expected a number of seconds from 0, such as 10 or 0.5".to_owned())
}

/// Returns a parser for whole numbers in a range. The type of the range must be the type of the
/// option, as in `1..=99u8`.
pub fn number<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Copy + TryInto<u64> + Send + Sync + 'static,
{
    move |text| {
        let [from, to] = [*range.start(), *range.end()].map(|end| end.try_into().unwrap_or(u64::MAX));
        let to = if to == u64::MAX { "2^64 - 1".to_owned() } else { thousands(to) };
        let wrong = || format!("expected a number from {} to {to}", thousands(from));
        text.parse().ok().filter(|number| range.contains(number)).ok_or_else(wrong)
    }
}

/// The largest number of marbles of a position in tables: the number of sockets of Pentago XL.
pub const MOST_MARBLES: u8 = 81;

/// The largest accepted number of threads. A larger number is probably a typing error.
const MOST_THREADS: usize = 4096;

/// Parses a number of threads.
pub fn threads(text: &str) -> Result<NonZero<usize>, String> {
    let threads = text.parse().ok().filter(|n: &NonZero<usize>| n.get() <= MOST_THREADS);
    threads.ok_or_else(|| format!("expected a number from 1 to {MOST_THREADS}"))
}

/// Returns the given number of threads. If no number is given, returns the number of available
/// CPUs. More than [`EACH`] threads for each CPU would only wait for each other, so the number is
/// reduced, with a note.
pub fn threads_or_all(threads: Option<NonZero<usize>>) -> NonZero<usize> {
    static SAID: Once = Once::new();
    let cpus = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let most = cpus.saturating_mul(EACH);
    let Some(many) = threads.filter(|&threads| threads > most) else { return threads.unwrap_or(cpus) };
    SAID.call_once(|| note(format_args!("--threads {many}: using {most} threads, 4 for each available CPU")));
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_say_their_range() {
        let depth = number(1..=99u8);
        assert_eq!((depth("1"), depth("99")), (Ok(1), Ok(99)));
        for wrong in ["0", "100", "-1", "", "x", "1.5", "99999999999999999999"] {
            assert_eq!(depth(wrong), Err("expected a number from 1 to 99".to_owned()));
        }
        assert_eq!(number(0..=65_535u16)("x"), Err("expected a number from 0 to 65,535".to_owned()));
        assert_eq!(number(0..=u64::MAX)("-1"), Err("expected a number from 0 to 2^64 - 1".to_owned()));
    }

    #[test]
    fn threads_are_at_least_one() {
        assert_eq!(threads("3").map(NonZero::get), Ok(3));
        for wrong in ["0", "-1", "many", "5000", ""] {
            assert!(threads(wrong).is_err(), "{wrong}");
        }
        assert!(threads_or_all(NonZero::new(4096)) <= threads_or_all(None).saturating_mul(EACH));
    }
}
