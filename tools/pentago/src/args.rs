//! The command line itself, and the options that commands share.

use std::num::NonZero;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand};
use pentago::kernel::Kernel;
use pentago::rules::Rules;

use crate::commands::bench::Bench;
use crate::commands::build::{Build, Plan};
use crate::commands::completions::Completions;
use crate::commands::counts::Counts;
use crate::commands::export::Export;
use crate::commands::import::Import;
use crate::commands::info::Info;
use crate::commands::man::Man;
use crate::commands::perft::Perft;
use crate::commands::play::Play;
use crate::commands::query::Query;
use crate::commands::random::Random;
use crate::commands::rules::RulesList;
use crate::commands::solve::Solve;
use crate::commands::symmetries::Symmetries;
use crate::commands::verify::Verify;
use crate::memory;

/// Solves Pentago positions exactly
///
/// Pentago is the marble game on 6x6 sockets whose four blocks turn: place a marble, turn a block,
/// five in a row win. This program tells what any late position is worth with best play, which
/// moves keep that value, and how far the end is.
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
    /// Reads the command line; what is wrong with it is said, and ends the program.
    pub fn read() -> Cli {
        Cli::try_parse().unwrap_or_else(|mut error| {
            let stray = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(argument)) => ["x", "o", "turn"].contains(&argument.as_str()),
                _ => false,
            };
            if error.kind() == ErrorKind::UnknownArgument && stray {
                let tip = "a position is one argument: quote it with its side to move".into();
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
            }
            error.exit()
        })
    }
}

/// What the program can do.
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
    Play(Play),
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
  Rows from the top, rank 6 first, separated by /, with X for the player who began, O for the
  other, and digits for runs of empty sockets; then the side to move, x or o, which may be left
  out, and `turn` if its marble is placed and only the turn is left. The empty board is
  6/6/6/6/6/6. Also read: all sockets in one word (. X O or 0 1 2), the board number of
  perfect-pentago.net, and, from standard input, a diagram.

Moves:
  c4/2+ places a marble on c4 and turns block 2 clockwise, c4/2- turns it counter-clockwise; the
  blocks are 1 2 above 3 4. A placement that ends the game stands alone: c4. /0 declines the turn
  where the rules allow it, /2+ is the turn of a marble placed already.

Exit status:
  0 success, 1 verification failed, 2 usage or bad input, 3 data missing, 4 environment (memory,
  disk, input and output), 130 interrupted.

Example:
  pentago solve '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o'";

/// The rules that a command plays by.
#[derive(Debug, Clone, Copy, Args)]
pub struct RulesArg {
    /// Rules: a preset, or one with options, as in pentago:dir=cw,last=stop (see `pentago rules`)
    #[arg(long, value_name = "RULES", default_value = "pentago")]
    pub rules: Rules,
}

/// How a command solves.
#[derive(Debug, Clone, Args)]
pub struct SolverArgs {
    /// Kernel: avx512, avx2 or portable [default: the fastest that this processor runs]
    #[arg(long, value_name = "NAME", env = "PENTAGO_KERNEL", hide_env_values = true)]
    pub kernel: Option<Kernel>,

    /// Threads [default: one for each processor that may be used]
    #[arg(long, value_name = "N")]
    pub threads: Option<Threads>,

    /// Memory that may be used, as in 500M, 8G or 8GiB [default: what is free, less 5%]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    pub memory: Option<u64>,

    /// No progress and no notes on standard error
    #[arg(long, short)]
    pub quiet: bool,
}

impl SolverArgs {
    /// The kernel to use.
    pub fn kernel(&self) -> Kernel {
        self.kernel.unwrap_or_else(Kernel::best)
    }

    /// The number of threads to use.
    pub fn threads(&self) -> usize {
        Threads::or_all(self.threads)
    }

    /// The bytes of memory that may be used.
    pub fn memory(&self) -> u64 {
        self.memory.unwrap_or_else(memory::usable)
    }
}

/// A number of threads: at least one.
#[derive(Debug, Clone, Copy)]
pub struct Threads(NonZero<usize>);

impl Threads {
    /// So many threads, or where nothing was said one for each processor that this process may use.
    pub fn or_all(threads: Option<Threads>) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, NonZero::get);
        threads.map_or_else(all, |threads| threads.0.get())
    }
}

/// More threads than this are a slip of the keyboard.
const MOST_THREADS: usize = 4096;

impl std::str::FromStr for Threads {
    type Err = String;

    fn from_str(text: &str) -> Result<Threads, String> {
        let threads = text.parse().ok().filter(|n: &NonZero<usize>| n.get() <= MOST_THREADS);
        threads.map(Threads).ok_or_else(|| format!("expected a number from 1 to {MOST_THREADS}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn threads_are_at_least_one() {
        assert_eq!("3".parse::<Threads>().map(|t| t.0.get()), Ok(3));
        for wrong in ["0", "-1", "many", "5000", ""] {
            assert!(wrong.parse::<Threads>().is_err(), "{wrong}");
        }
    }
}
