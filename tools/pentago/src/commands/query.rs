//! `pentago query`: the value of a position and of every move, from tables.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use pentago::answer::{Answer, Origin, Request};
use pentago::ask::{self, Stored};
use pentago::probe::Tables;
use pentago_report::Report;

use super::batch;
use crate::args::AnswerArgs;
use crate::engine::Engine;
use crate::games::{GameRules, Question, tables};
use crate::output::stdout;
use crate::picture::Look;
use crate::{folder, text};

/// Probe tables: the value of a position and of every move
///
/// Tables are probed for the position and for its moves; rotations of quadrants and symmetries of
/// the board are taken care of. Values that the tables don't hold are solved, where time and memory
/// allow. Each value comes with its source: `rules` (the game is over), `table`, `published` (the
/// values of positions with up to 6 marbles, which are part of the program), `solved`, `proof` or
/// `unknown` (with the reason).
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Query {
    /// Folder of the tables [default: $PENTAGO_TABLES, or the user's data folder if it has any]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Only probe the tables, solve nothing
    #[arg(long)]
    no_solve: bool,

    /// Also compute the distance to the end in plies, and a line of best moves
    #[arg(long, conflicts_with = "no_solve")]
    distance: bool,

    #[command(flatten)]
    answer: AnswerArgs,
}

const EXAMPLES: &str = "\
Example:
  pentago query '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o' --tables tables";

impl Query {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let Query { tables, no_solve, distance, answer: args } = self;
        let rules = match args.rules.rules {
            GameRules::Pentago(rules) => rules,
            GameRules::Other(other) => {
                let question = Question { distance, ..args.question(&other)? };
                let tables = folder::tables(tables.as_deref())?;
                let query = tables::Query { tables: &tables, solve: !no_solve, json: args.json };
                return other.query(args.position.as_deref(), &question, &query, &args.solver);
            }
        };
        let AnswerArgs { proof_boards, proofs_only, .. } = args;
        let time = Some(args.time);
        let request = Request {
            distance,
            time,
            proof_boards,
            proofs_only,
            tables_only: no_solve,
            ..Request::default()
        };
        let position = args.position(&rules)?;
        let tables = folder::with_openings(tables.as_deref(), |_| Ok(false), args.solver.quiet)?;
        let Some(position) = position else {
            let look = batch::Look { tables: Arc::new(tables), always: true };
            return batch::run(rules, &request, &args.solver, look);
        };
        let mut engine = Engine::new(rules, &args.solver)?;
        let began = Instant::now();
        let question = ask::Question::new(&position, &request).with(Stored::Tables(&tables));
        let answer = engine.known_answer(&tables, &question)?;
        let time = began.elapsed();
        let mut out = stdout();
        if args.json {
            let kernel = engine.solver().kernel();
            let report = Report::new(&rules, &position, &request, &answer, time, kernel, true);
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else {
            text::answer(&mut out, &rules, &position, &answer, Look::of_stdout())?;
            writeln!(out, "{}", sources_text(&answer, &tables))?;
        }
        Ok(out.flush()?)
    }
}

/// The sources of the values, on one or two lines.
fn sources_text(answer: &Answer, tables: &Tables) -> String {
    let origins = || answer.moves.iter().map(|m| &m.origin);
    let count = |name: &str| origins().filter(|o| o.name() == name).count();
    let all = answer.moves.len();
    let parts: Vec<String> = ["table", "published", "solved", "proof", "rules", "unknown"]
        .into_iter()
        .filter(|&name| count(name) > 0)
        .map(|name| format!("{} {name}", count(name)))
        .collect();
    let mut text = format!("source: {}", answer.origin.name());
    if !tables.path().as_os_str().is_empty() {
        text += &format!(" ({})", tables.path().display());
    }
    if all > 0 {
        text += &format!("; of {all} moves: {}", parts.join(", "));
    }
    let reason = std::iter::once(&answer.origin).chain(origins()).find_map(|s| match s {
        Origin::Unknown(unknown) => Some(unknown),
        _ => None,
    });
    if let Some(reason) = reason {
        text += &format!("\nunknown: {reason}");
    }
    text
}
