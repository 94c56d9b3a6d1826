//! The command line itself, and the options that commands share.

use std::io::{self, Write};
use std::num::NonZero;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use pentago::Control;
use pentago::Kernel;
use pentago::rules::Rules;
use pentago_games::{Game, Question, read_rules_of};

use crate::commands::bench::Bench;
use crate::commands::build::Build;
use crate::commands::completions::Completions;
use crate::commands::convert::Convert;
use crate::commands::counts::Counts;
use crate::commands::export::Export;
use crate::commands::import::Import;
use crate::commands::info::Info;
use crate::commands::man::Man;
use crate::commands::merge::Merge;
use crate::commands::perft::Perft;
use crate::commands::plan::Plan;
use crate::commands::play::Play;
use crate::commands::prove::Prove;
use crate::commands::publish::Publish;
use crate::commands::query::Query;
use crate::commands::random::Random;
use crate::commands::review::Review;
use crate::commands::rules::RulesList;
use crate::commands::serve::Serve;
use crate::commands::solve::Solve;
use crate::commands::symmetries::Symmetries;
use crate::commands::ugi::Ugi;
use crate::commands::verify::Verify;
use crate::exit::Exit;
use crate::output::thousands;
use crate::{kinds, output};

/// An exact solver and endgame tablebase for Pentago
///
/// Pentago is played on 6x6 sockets in four quadrants: a move places a marble and then turns a
/// quadrant by 90 degrees, and five in a row win. This program computes the value of late positions
/// with perfect play, the value of every move, and the distance to the end, and builds and probes
/// tables of such values.
#[derive(Debug, Parser)]
#[command(
    name = "pentago",
    version,
    max_term_width = 100,
    after_help = EXAMPLES,
    after_long_help = LONG_AFTER_HELP
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the command line. An error in it is reported and ends the program.
    pub fn read() -> Cli {
        let parsed = understanding_negatives(Cli::command()).try_get_matches();
        parsed.and_then(|matches| Cli::from_arg_matches(&matches)).unwrap_or_else(|mut error| {
            let stray = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(argument)) => ["x", "o", "turn"].contains(&argument.as_str()),
                _ => false,
            };
            if error.kind() == ErrorKind::UnknownArgument && stray {
                let tip = "a position is a single argument: quote it together with the side to move".into();
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
            }
            let named = |kind, text: &str| match error.get(kind) {
                Some(ContextValue::String(found)) => found.starts_with(text),
                _ => false,
            };
            if std::env::var(KERNEL_VARIABLE).is_ok_and(|value| {
                named(ContextKind::InvalidArg, "--kernel") && named(ContextKind::InvalidValue, &value)
            }) {
                error.insert(ContextKind::InvalidArg, ContextValue::String(KERNEL_VARIABLE.to_owned()));
            }
            let written = error.print().and_then(|()| io::stdout().flush());
            let code = match written {
                Err(failed) if !error.use_stderr() && failed.kind() != io::ErrorKind::BrokenPipe => {
                    output::error(&anyhow::Error::new(failed).context("cannot write standard output"));
                    Exit::Environment as i32
                }
                _ => error.exit_code(),
            };
            std::process::exit(code)
        })
    }
}

/// Takes a negative number behind an option for its value, so that the option says what is wrong.
fn understanding_negatives(command: clap::Command) -> clap::Command {
    let option = |arg: &clap::Arg| arg.get_action().takes_values() && !arg.is_positional();
    command
        .mut_args(|arg| if option(&arg) { arg.allow_negative_numbers(true) } else { arg })
        .mut_subcommands(understanding_negatives)
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Solve(Solve),
    Query(Query),
    Info(Info),
    Counts(Counts),
    Verify(Verify),
    Export(Export),
    Build(Build),
    Plan(Plan),
    Import(Import),
    Merge(Merge),
    Publish(Publish),
    Play(Play),
    Review(Review),
    Convert(Convert),
    Ugi(Ugi),
    Serve(Serve),
    Prove(Prove),
    Perft(Perft),
    Random(Random),
    Symmetries(Symmetries),
    Rules(RulesList),
    Bench(Bench),
    Completions(Completions),
    Man(Man),
}

const EXAMPLES: &str = "\
Example:
  pentago solve '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o'";

const LONG_AFTER_HELP: &str = "\
Positions:
  A position is written row by row from the top (rank 6), with / between rows: X for the player who
  moved first, O for the other, digits for runs of empty sockets. Then follows the side to move, x
  or o, which may be omitted; a third word, `turn`, means that the marble has been placed and only
  the turn is left. The empty board is 6/6/6/6/6/6. Three more forms are understood: 36 characters
  (. X O or 0 1 2), a board number of perfect-pentago.net and, on standard input, a diagram.

Moves:
  c4/2+ places a marble on c4 and turns quadrant 2 clockwise, c4/2- turns it counterclockwise.
  Quadrants 1 and 2 are the upper ones, 3 and 4 the lower ones. A placement that ends the game has
  no turn: c4. Where the rules allow it, /0 declines the turn. If the marble has been placed
  already, the move is only the turn: /2+.

Exit status:
  0    success
  1    verification failed
  2    bad arguments or input, or a file of the wrong kind
  3    missing or damaged tables, a missing file, or nothing found (`prove`, `random --where`)
  4    out of memory or disk space, or an I/O error
  130  interrupted: by Ctrl-C, or by SIGTERM as `kill` sends it (`serve`, which they end, gives 0)

Example:
  pentago solve '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o'";

/// The rules that a command plays by.
#[derive(Debug, Clone, Copy, Args)]
pub struct RulesArg {
    /// Rules: a preset, or a preset with options such as pentago:dir=cw,last=stop (see `pentago
    /// rules`)
    #[arg(long, value_name = "RULES", default_value = "pentago", value_parser = pentago_rules)]
    pub rules: Rules,
}

/// Reads the rules for a command that knows no game but Pentago.
fn pentago_rules(text: &str) -> Result<Rules, String> {
    let game = game(text)?;
    let title = game.kind().title;
    text.parse().map_err(|_| format!("this command knows Pentago and Mini-Pentago, not {title}"))
}

/// The environment variable that names the kernel, where no option does.
pub const KERNEL_VARIABLE: &str = "PENTAGO_KERNEL";

/// What a position is answered with: kernel, threads, memory.
#[derive(Debug, Clone, Args)]
pub struct SolverArgs {
    /// Kernel: avx512, avx2, portable, or gpu where the program was built for it [default: auto, the
    /// fastest]
    #[arg(long, value_name = "NAME", env = KERNEL_VARIABLE, hide_env_values = true, value_parser = Kernel::everywhere)]
    pub kernel: Option<Kernel>,

    /// Number of threads [default: all available CPUs]
    #[arg(long, value_name = "N")]
    pub threads: Option<Threads>,

    /// Memory limit, such as 500M, 8G or 8GiB [default: 7/8 of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = pentago_memory::parse_memory)]
    pub memory: Option<u64>,

    /// Write no progress and no notes to standard error
    #[arg(long, short)]
    pub quiet: bool,
}

impl SolverArgs {
    /// The kernel to use.
    pub fn kernel(&self) -> Kernel {
        self.kernel.unwrap_or_else(Kernel::best)
    }

    /// The number of threads to use.
    pub fn threads(&self) -> NonZero<usize> {
        Threads::or_all(self.threads)
    }

    /// Whether --kernel names the kernel; a variable is no part of the command.
    pub fn names_kernel(&self) -> bool {
        self.kernel.is_some() && std::env::var_os(KERNEL_VARIABLE).is_none()
    }

    /// A question with these threads, this memory and this kernel.
    pub fn question<'c>(&self, time: Duration, control: &'c Control) -> Question<'c> {
        let question = Question::new(time, self.memory(), control);
        Question { threads: self.threads().get(), kernel: self.kernel, ..question }
    }

    /// The bytes of memory that may be used.
    pub fn memory(&self) -> u64 {
        self.memory.unwrap_or_else(pentago_memory::usable)
    }
}

/// The rules that a command plays by, of any game.
#[derive(Debug, Clone, Args)]
pub struct GameArg {
    /// Rules: a preset, or a preset with options such as pentago:dir=cw,last=stop, xl:seats=4 or
    /// pente:n=5,k=4,opening=free (see `pentago rules`)
    #[arg(long, value_name = "RULES", default_value = "pentago", value_parser = game)]
    pub rules: Arc<dyn Game>,
}

/// Reads the rules of a game.
pub fn game(text: &str) -> Result<Arc<dyn Game>, String> {
    read_rules_of(kinds(), text).map_err(|error| error.to_string())
}

/// Reads a time in seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds.ok_or_else(|| "expected a number of seconds from 0, such as 10 or 0.5".to_owned())
}

/// Reads a whole number in a range. Its type is that of the option: write it, as in `1..=99u8`.
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

/// Reads any whole number of 64 bits.
pub fn whole(text: &str) -> Result<u64, String> {
    number(0..=u64::MAX)(text)
}

/// The most marbles of a position that tables hold: those of Pentago XL.
pub const MOST_MARBLES: u8 = 81;

/// A number of threads: at least one.
#[derive(Debug, Clone, Copy)]
pub struct Threads(NonZero<usize>);

impl Threads {
    /// The given number of threads, by default one for each available CPU.
    pub fn or_all(threads: Option<Threads>) -> NonZero<usize> {
        let all = || std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        threads.map_or_else(all, |threads| threads.0)
    }
}

/// A larger number of threads is taken for a typing error.
const MOST_THREADS: usize = 4096;

impl FromStr for Threads {
    type Err = String;

    fn from_str(text: &str) -> Result<Threads, String> {
        let threads = text.parse().ok().filter(|n: &NonZero<usize>| n.get() <= MOST_THREADS);
        threads.map(Threads).ok_or_else(|| format!("expected a number from 1 to {MOST_THREADS}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn numbers_say_their_range() {
        let depth = number(1..=99u8);
        assert_eq!((depth("1"), depth("99")), (Ok(1), Ok(99)));
        for wrong in ["0", "100", "-1", "", "x", "1.5", "99999999999999999999"] {
            assert_eq!(depth(wrong), Err("expected a number from 1 to 99".to_owned()));
        }
        assert_eq!(number(0..=65_535u16)("x"), Err("expected a number from 0 to 65,535".to_owned()));
        assert_eq!(whole("-1"), Err("expected a number from 0 to 2^64 - 1".to_owned()));
    }

    #[test]
    fn threads_are_at_least_one() {
        assert_eq!("3".parse::<Threads>().map(|t| t.0.get()), Ok(3));
        for wrong in ["0", "-1", "many", "5000", ""] {
            assert!(wrong.parse::<Threads>().is_err(), "{wrong}");
        }
    }
}
