//! `pentago solve`: the value of a position and of every move.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use pentago::answer::{Origin, Request};
use pentago::ask::{self, Stored};
use pentago::probe::Tables;
use pentago_report::Report;

use super::batch;
use crate::args::AnswerArgs;
use crate::engine::Engine;
use crate::games::{GameRules, Question};
use crate::output::{note, stdout, thousands};
use crate::picture::Look;
use crate::text;

/// Solve a position: its value and the value of every move
///
/// Late positions are solved to the end of the game. Where that doesn't fit in memory (typically
/// below 15 marbles), proofs are tried first, in which the winner uses only some of his moves. Then
/// the position is searched 1, 2, 3... plies deep until it is decided or the memory or time budget
/// is used up. If its value is still open then, the answer is `unknown`, together with what has
/// been proved. The published values of positions with up to 6 marbles are part of the program and
/// are used without search, unless a depth or an exact solution is asked for.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Solve {
    /// Also compute the distance to the end in plies, and a line of best moves
    #[arg(long)]
    distance: bool,

    /// Limit the search to PLIES
    #[arg(long, value_name = "PLIES", conflicts_with = "exact",
          value_parser = clap::value_parser!(u8).range(1..=99))]
    depth: Option<u8>,

    /// Solve to the end of the game, or fail if that doesn't fit in memory
    #[arg(long)]
    exact: bool,

    #[command(flatten)]
    answer: AnswerArgs,
}

const EXAMPLES: &str = "\
Examples:
  pentago solve --distance '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o'
  pentago random --marbles 24 --count 100 --seed 1 | pentago solve --batch";

impl Solve {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let Solve { distance, depth, exact, answer: args } = self;
        let rules = match args.rules.rules {
            GameRules::Pentago(rules) => rules,
            GameRules::Other(other) => {
                let depth = depth.map(u32::from);
                let question = Question { distance, depth, exact, ..args.question(&other)? };
                return other.solve(args.position.as_deref(), &question, args.json, &args.solver);
            }
        };
        let depth = depth.map(usize::from);
        let AnswerArgs { proof_boards, proofs_only, .. } = args;
        let time = Some(args.time);
        let request =
            Request { depth, exact, distance, time, proof_boards, proofs_only, ..Request::default() };
        let position = args.position(&rules)?;
        let openings = Tables::none().with_openings()?;
        let Some(position) = position else {
            let look = batch::Look { tables: Arc::new(openings), always: false };
            return batch::run(rules, &request, &args.solver, look);
        };
        let mut engine = Engine::new(rules, &args.solver)?;
        let began = Instant::now();
        let question = ask::Question::new(&position, &request).with(Stored::Openings(&openings));
        let answer = engine.answer(&question)?;
        let time = began.elapsed();
        let kernel = engine.solver().kernel();
        let mut out = stdout();
        if args.json {
            let report = Report::new(&rules, &position, &request, &answer, time, kernel, false);
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else {
            text::answer(&mut out, &rules, &position, &answer, Look::of_stdout())?;
            if answer.origin == Origin::Published {
                writeln!(out, "source: {}", answer.origin.name())?;
            }
            if !args.solver.quiet && answer.boards > 0 {
                let (boards, seconds) = (thousands(answer.boards), time.as_secs_f64());
                note(format_args!("{boards} boards in {seconds:.3} s, kernel {kernel}"));
            }
        }
        out.flush()?;
        Ok(())
    }
}
