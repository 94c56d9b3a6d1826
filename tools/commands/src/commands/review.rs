//! `pentago review`: a game that was played, move by move.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use pentago::Value;
use pentago_games::{Kept, Mark, Question, Record, Review as OfGame, Reviewed, Summary};

use super::play::files;
use crate::options::{SolverArgs, seconds};
use crate::output::stdout;
use crate::{engine, folder, interrupt, text};

/// Look at a game that was played: what each move kept or threw away
///
/// Each move gets a mark: win thrown away, draw thrown away, only move, best, or fine. A move that
/// keeps the value of its position is never a mistake. Accuracy is the part of the points that a side
/// held (a won position is 1, a drawn one a half) and still had after its moves. Only exact values
/// count: where none is found in time there is a guess, marked with ~, and no mark.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Review {
    /// The game: a file in any form that `pentago convert` knows, or - for standard input
    file: PathBuf,

    /// Approximate time for each position that isn't solved to the end
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    time: Duration,

    /// Compare plies to the end, too: a win that takes longer than needed is fine, not best
    #[arg(long)]
    distance: bool,

    /// Print the review as one JSON object
    #[arg(long, conflicts_with = "record")]
    json: bool,

    /// Print the game itself, with the marks as $ numbers and comments
    #[arg(long)]
    record: bool,

    /// Folder or address of the tables [default: $PENTAGO_TABLES, or the user's data folder if it has any]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    #[command(flatten)]
    solver: SolverArgs,
}

const EXAMPLES: &str = "\
Examples:
  pentago review game.txt
  pentago review game.txt --json | jq '.moves[] | select(.mark == \"win thrown away\")'";

impl Review {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let record = files::load(&self.file)?;
        let tables = folder::with_openings(self.tables.as_deref(), self.solver.quiet)?;
        let question = self.solver.question(self.time, interrupt::control());
        let kept = Arc::<Kept>::default();
        let question =
            Question { distance: self.distance, tables: Some(&tables), kept: Some(&kept), ..question };
        let game = &**record.game();
        let ask = |position: &_| engine::answer(game, position, &question, self.solver.quiet);
        let review = OfGame::of(&record, ask)?;
        let mut out = stdout();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&review)?)?;
        } else if self.record {
            write!(out, "{}", review.annotate(&record).write())?;
        } else {
            print(&mut out, &record, &review)?;
        }
        Ok(out.flush()?)
    }
}

/// Prints a review for people.
fn print(out: &mut impl Write, record: &Record, review: &OfGame) -> anyhow::Result<()> {
    let over = record.over().map_or("not over yet", |over| &over.words);
    writeln!(out, "{} (rules {}): {over}.", record.game().kind().title, review.rules)?;
    if review.start != record.game().board().start {
        writeln!(out, "It begins with {}.", review.start)?;
    }
    writeln!(out)?;
    let mut before = 0;
    for m in &review.moves {
        let round = if m.round == before { String::new() } else { format!("{}.", m.round) };
        before = m.round;
        let worth = match (m.before, m.after) {
            (before, after) if before == after => worth(before, m.guess_before),
            (before, after) => {
                format!("{}, then {}", worth(before, m.guess_before), worth(after, m.guess_after))
            }
        };
        let value = text::style(if m.after == Value::Unknown { m.before } else { m.after });
        let (seat, mv) = (m.seat, &m.mv);
        writeln!(out, "{round:>4} {seat}  {mv:<7} {value}{worth:<22}{value:#} {}", said(m))?;
    }
    writeln!(out)?;
    for side in &review.sides {
        writeln!(out, "{}", summary(side))?;
    }
    if review.moves.iter().any(|m| m.guess_before.or(m.guess_after).is_some()) {
        writeln!(out, "~ is a guess: the expected score where no value was found. --time allows more.")?;
    }
    Ok(())
}

/// A value, or a guess that can't be taken for one.
fn worth(value: Value, guess: Option<f64>) -> String {
    match guess {
        Some(guess) if value == Value::Unknown => format!("~{guess:.2}"),
        _ => value.name().to_owned(),
    }
}

/// The mark in words.
fn said(m: &Reviewed) -> String {
    let keeps = || m.best.first().map(|best| format!(": {best} keeps it")).unwrap_or_default();
    match m.mark {
        None => String::new(),
        Some(mark @ (Mark::WinThrownAway | Mark::DrawThrownAway)) => format!("{}{}", mark.words(), keeps()),
        Some(mark) => mark.words().to_owned(),
    }
}

/// A line about a side.
fn summary(side: &Summary) -> String {
    let Summary { seat, moves, decided, wins_thrown_away, draws_thrown_away, accuracy } = side;
    let counted = |n: &usize, what: &str| format!("{n} {what}{}", if *n == 1 { "" } else { "s" });
    let accuracy = match accuracy {
        Some(accuracy) => format!("{:.1}%", 100.0 * accuracy),
        None => "none, it held nothing".to_owned(),
    };
    format!(
        "{seat}: {}, {decided} with known values; {} and {} thrown away; accuracy {accuracy}",
        counted(moves, "move"),
        counted(wins_thrown_away, "win"),
        counted(draws_thrown_away, "draw"),
    )
}
