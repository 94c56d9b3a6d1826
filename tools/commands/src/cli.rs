//! The command line: all commands, and the help that they share.

use std::io::{self, Write};

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::{
    bench::Bench, build::Build, completions::Completions, convert::Convert, export::Export, import::Import,
    info::Info, man::Man, merge::Merge, perft::Perft, plan::Plan, play::Play, prove::Prove, publish::Publish,
    query::Query, random::Random, review::Review, rules::RulesList, serve::Serve, solve::Solve,
    symmetries::Symmetries, ugi::Ugi, verify::Verify,
};
use crate::exit::Exit;
use crate::options::{KERNEL_VARIABLE, variable};
use crate::output;

/// An exact solver and endgame tablebase for Pentago
///
/// Pentago is played on 6x6 sockets in four quadrants. A move places a marble and then turns a
/// quadrant by 90 degrees; five in a row win. This program computes the value of late positions
/// with perfect play, the value of every move, and the distance to the end. It builds tables of
/// such values, and looks positions up in them.
#[derive(Debug, Parser)]
#[command(
    name = "pentago",
    version,
    max_term_width = 100,
    after_help = EXAMPLES,
    after_long_help = LONG_AFTER_HELP
)]
pub struct Cli {
    /// Write no progress and no notes to standard error
    #[arg(long, short, global = true, display_order = 999)]
    pub quiet: bool,

    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Parses the command line. If the command line is invalid, reports the error and exits.
    pub fn read() -> Cli {
        let parsed = with_lenient_values(Cli::command()).try_get_matches();
        let read = |matches: ArgMatches| {
            let memory = matches.subcommand().map(|(_, options)| options.try_get_one::<u64>("memory"));
            pentago_memory::respect_limit(matches!(memory, Some(Ok(Some(_)))));
            Cli::from_arg_matches(&matches)
        };
        parsed.and_then(read).unwrap_or_else(|mut error| {
            let context = |kind| match error.get(kind) {
                Some(ContextValue::String(text)) => text.clone(),
                _ => String::new(),
            };
            let (argument, value) = (context(ContextKind::InvalidArg), context(ContextKind::InvalidValue));
            if error.kind() == ErrorKind::UnknownArgument && ["x", "o", "turn"].contains(&&*argument) {
                let tip = "a position is a single argument: quote it together with the side to move".into();
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
            }
            let by_variable = variable(KERNEL_VARIABLE).is_some_and(|set| set == *value);
            if argument.starts_with("--kernel") && by_variable {
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

/// Makes every option accept a negative number as its value. The option then reports the allowed
/// range. Without this change, clap would report an unknown option. Also makes every option ignore
/// an empty environment variable.
fn with_lenient_values(command: clap::Command) -> clap::Command {
    let lenient = |arg: Arg| {
        let is_option = arg.get_action().takes_values() && !arg.is_positional();
        let is_unset = arg.get_env().is_some_and(|name| variable(name).is_none());
        let arg = if is_option { arg.allow_negative_numbers(true) } else { arg };
        if is_unset { arg.env(Resettable::Reset) } else { arg }
    };
    command.mut_args(lenient).mut_subcommands(with_lenient_values)
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Solve(Solve),
    Query(Query),
    Info(Info),
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
  moved first, O for the other player, digits for runs of empty sockets. The side to move follows,
  x or o, and may be omitted. A third word, `turn`, means that the marble has been placed and only
  the turn is left. The empty board is 6/6/6/6/6/6. Three more forms are accepted: 36 characters
  (. X O or 0 1 2), a board number of perfect-pentago.net and, on standard input, a diagram.

Moves:
  c4/2+ places a marble on c4 and turns quadrant 2 clockwise, c4/2- turns it counterclockwise.
  Quadrants 1 and 2 are the upper ones, 3 and 4 the lower ones. A placement that ends the game has
  no turn: c4. Where the rules allow it, /0 declines the turn. Once the marble has been placed, the
  move is only the turn: /2+.

Exit status:
  0    success
  1    verification failed
  2    bad arguments or input, or a file of the wrong kind
  3    missing or damaged tables, a missing file, or nothing found (`prove`, `random`)
  4    out of memory or disk space, or an I/O error
  130  interrupted by Ctrl-C or SIGTERM, as sent by `kill` (`serve` ends with 0 instead)

Example:
  pentago solve '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o'";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
