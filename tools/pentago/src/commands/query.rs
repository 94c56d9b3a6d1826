//! `pentago query`: the value of a position and of every move, from tables.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use pentago::answer::{Answer, Origin, Request};
use pentago::probe::Tablebase;

use super::batch;
use super::batch::Ask;
use super::solve::seconds;
use crate::args::{RulesArg, SolverArgs};
use crate::engine::Engine;
use crate::picture::Look;
use crate::report::Report;
use crate::{folder, input, text};

/// The value of a position and of every move, from tables
///
/// A position is found whichever way its blocks are turned and the board is looked at. What the tables don't hold is solved, where
/// time and memory allow; what stays unknown comes with the reason. Each value says where it comes from: `rules` (the
/// game ends there), `table`, `solved` or `unknown`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Query {
    /// The position: quoted rows from the top, or - to read it (a diagram, too) from standard input
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    position: Option<String>,

    /// The folder of tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    #[command(flatten)]
    rules: RulesArg,

    /// Only look in the tables: solve nothing
    #[arg(long)]
    no_solve: bool,

    /// Where the full solution of what isn't in the tables doesn't fit in memory, begin none that would end later than this
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    time: Duration,

    /// Write one JSON object
    #[arg(long)]
    json: bool,

    /// Read positions from standard input, one a line, and write one JSON object a line
    ///
    /// As for `solve --batch`.
    #[arg(long)]
    batch: bool,

    #[command(flatten)]
    solver: SolverArgs,
}

const EXAMPLES: &str = "\
Example:
  pentago query '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o' --tables tables";

impl Query {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let rules = self.rules.rules;
        let request = Request { time: Some(self.time), ..Request::default() };
        let position =
            self.position.as_ref().map(|argument| input::position(&rules, argument)).transpose()?;
        let tables = folder::open(&folder::tables(self.tables.as_deref())?, self.solver.quiet)?;
        let Some(position) = position else {
            let ask = Ask { tables: Arc::new(tables), solve: !self.no_solve };
            return batch::run(rules, &request, &self.solver, Some(ask));
        };
        let mut engine = Engine::new(rules, &self.solver)?;
        let began = Instant::now();
        let answer = engine.ask(&tables, &position, &request, !self.no_solve)?;
        let time = began.elapsed();
        let mut out = anstream::stdout().lock();
        if self.json {
            let kernel = engine.solver().kernel();
            let report = Report::new(&rules, &position, &request, &answer, time, kernel, true);
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else {
            text::answer(&mut out, &rules, &position, &answer, Look::of_stdout())?;
            writeln!(out, "{}", said(&answer, &tables))?;
        }
        Ok(out.flush()?)
    }
}

/// Where the values come from, in a line or two.
fn said(answer: &Answer, tables: &Tablebase) -> String {
    let origins = || answer.moves.iter().map(|m| &m.origin);
    let count = |name: &str| origins().filter(|o| o.name() == name).count();
    let all = answer.moves.len();
    let parts: Vec<String> = ["table", "solved", "rules", "unknown"]
        .into_iter()
        .filter(|&name| count(name) > 0)
        .map(|name| format!("{} {name}", count(name)))
        .collect();
    let mut text = format!("source: {} ({})", answer.origin.name(), tables.path().display());
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
