//! `pentago solve`: the value of a position and of every move.

use std::io::Write;
use std::time::{Duration, Instant};

use clap::Args;
use pentago::answer::Request;

use super::batch;
use crate::args::{RulesArg, SolverArgs};
use crate::engine::Engine;
use crate::output::{note, thousands};
use crate::picture::Look;
use crate::report::Report;
use crate::{input, text};

/// The value of a position and of every move
///
/// Late positions are solved to the end of the game. With fewer than 15 marbles, where that takes
/// more memory than there is, proofs are tried first, in which the winner uses some of his moves
/// only. Then the solution looks 1, 2, 3... plies ahead until the position is decided, or memory or
/// time are used up; what is still open then is said to be unknown, with what was proved.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Solve {
    /// The position: quoted rows from the top, or - to read it (a diagram, too) from standard input
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    position: Option<String>,

    #[command(flatten)]
    rules: RulesArg,

    /// Find how many plies away the end is, and a line of best moves
    #[arg(long)]
    distance: bool,

    /// Look so many plies ahead and no further
    #[arg(long, value_name = "PLIES", conflicts_with = "exact",
          value_parser = clap::value_parser!(u8).range(1..=99))]
    depth: Option<u8>,

    /// Only the full solution will do: fail where it takes more memory than there is
    #[arg(long)]
    exact: bool,

    /// Where the full solution doesn't fit, begin no deeper one that would end later than this
    ///
    /// Proofs get half of it at most. Where time ends them before --proof-boards does, answers may
    /// differ from one run to the next.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    time: Duration,

    /// Boards that proofs may compute, 0 for none [default: 2000000000]
    #[arg(long, value_name = "BOARDS")]
    proof_boards: Option<u64>,

    /// Write one JSON object
    #[arg(long)]
    json: bool,

    /// Read positions from standard input, one a line, and write one JSON object a line
    ///
    /// The objects come in the order of the lines. A line that can't be answered gives
    /// {"error":...,"line":n}; blank lines and lines that begin with # are passed over.
    #[arg(long)]
    batch: bool,

    #[command(flatten)]
    solver: SolverArgs,
}

const EXAMPLES: &str = "\
Examples:
  pentago solve --distance '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o'
  pentago random --marbles 24 --count 100 --seed 1 | pentago solve --batch";

/// Reads a time in seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds.ok_or_else(|| "expected a number of seconds, such as 10 or 0.5".to_owned())
}

impl Solve {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let rules = self.rules.rules;
        let request = Request {
            depth: self.depth.map(usize::from),
            exact: self.exact,
            distance: self.distance,
            time: Some(self.time),
            proof_boards: self.proof_boards,
        };
        let Some(argument) = &self.position else {
            return batch::run(rules, &request, &self.solver, None);
        };
        let position = input::position(&rules, argument)?;
        let mut engine = Engine::new(rules, &self.solver)?;
        let began = Instant::now();
        let answer = engine.answer(&position, &request)?;
        let time = began.elapsed();
        let kernel = engine.solver().kernel();
        let mut out = anstream::stdout().lock();
        if self.json {
            let report = Report::new(&rules, &position, &request, &answer, time, kernel, false);
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else {
            text::answer(&mut out, &rules, &position, &answer, Look::of_stdout())?;
            if !self.solver.quiet && answer.boards > 0 {
                let (boards, seconds) = (thousands(answer.boards), time.as_secs_f64());
                note(format_args!("{boards} boards in {seconds:.3} s, kernel {kernel}"));
            }
        }
        out.flush()?;
        Ok(())
    }
}
