//! `pentago review`: judges the moves of a recorded game.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use pentago::{Control, Value};
use pentago_base::counted;
use pentago_games::{Mark, ProofCache, Question, Record, Review as OfGame, Reviewed, SearchContext, Summary};

use super::play::files;
use crate::options::{SolverArgs, limited, seconds};
use crate::output::stdout;
use crate::{engine, folder, interrupt, text};

/// The default time limit of a limited search.
const TIME: Duration = Duration::from_secs(2);

/// Review a recorded game: mark each move that kept or threw away a win or draw
///
/// Each move gets a mark: win thrown away, draw thrown away, only move, best, or fine. A move that
/// keeps the value of its position is never a mistake. The accuracy of a side is the share of its
/// points that its moves kept, where a won position is worth one point and a drawn position half a
/// point. Only exact values count. A move that lacks an exact value when time runs out gets a
/// guess, marked ~, instead of a mark. Each move is written as soon as it is judged. Ctrl-C stops
/// the review with status 130, and keeps the judged moves.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pentago review game.txt
  pentago review game.txt --json | jq '.moves[] | select(.mark == \"win thrown away\")'")]
pub struct Review {
    /// File with the game in any format that `pentago convert` reads, or - for standard input
    file: PathBuf,

    /// Time limit for each position [default: 2 for a limited search, none for a full solution]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,

    /// Also compare the distances to the end: a win that takes longer than necessary is fine, not
    /// best
    #[arg(long)]
    distance: bool,

    /// Write the review as one JSON object
    #[arg(long, conflicts_with = "record")]
    json: bool,

    /// Write the record of the game, with the marks as $ numbers and comments
    #[arg(long)]
    record: bool,

    /// Folder or address of the tables [default: $PENTAGO_TABLES, or the user's data folder if it
    /// has any]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    #[command(flatten)]
    solver: SolverArgs,
}

impl Review {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let record = files::load(None, &self.file, true)?;
        let tables = folder::with_openings(self.tables.as_deref())?;
        let question = Question { distance: self.distance, ..limited(self.time, TIME) };
        let kept = Arc::<ProofCache>::default();
        let context = self.solver.context(interrupt::control());
        let context = SearchContext { tables: Some(&tables), kept: Some(&kept), ..context };
        let game = &**record.game();
        let (mut number, count) = (0, record.moves().len());
        let ask = |position: &_| {
            number += 1;
            context.control.mark(Control::STEP, format!("move {number} of {count}"));
            engine::answer(game, position, &question, &context, true)
        };
        let mut out = stdout();
        let as_text = !self.json && !self.record;
        if as_text {
            head(&mut out, &record)?;
        }
        let mut before = 0;
        let show = |reviewed: &Reviewed| {
            if as_text {
                line(&mut out, reviewed, before)?;
                before = reviewed.round;
            }
            Ok(())
        };
        let (review, ended) = OfGame::of(&record, ask, show);
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&review)?)?;
        } else if self.record {
            write!(out, "{}", review.annotate(&record).write()?)?;
        } else if ended.is_ok() {
            foot(&mut out, &review)?;
        }
        out.flush()?;
        ended
    }
}

/// Writes the game, its result and its first position.
fn head(out: &mut impl Write, record: &Record) -> anyhow::Result<()> {
    let (game, start) = (record.game(), &record.start().text);
    let over = record.over().map_or("not over yet", |over| &over.words);
    writeln!(out, "{} (rules {}): {over}.", game.kind().title, game.rules())?;
    if *start != game.board().start {
        writeln!(out, "It starts from {start}.")?;
    }
    writeln!(out)?;
    Ok(out.flush()?)
}

/// Writes the line of a move. `before` is the number of the round of the previous move.
fn line(out: &mut impl Write, m: &Reviewed, before: usize) -> anyhow::Result<()> {
    let round = if m.round == before { String::new() } else { format!("{}.", m.round) };
    let worth = match (m.before, m.after) {
        (before, after) if before == after => worth(before, m.guess_before),
        (before, after) => format!("{}, then {}", worth(before, m.guess_before), worth(after, m.guess_after)),
    };
    let value = text::style(if m.after == Value::Unknown { m.before } else { m.after });
    let (seat, mv) = (m.seat, &m.mv);
    writeln!(out, "{round:>4} {seat}  {mv:<7} {value}{worth:<22}{value:#} {}", said(m))?;
    Ok(out.flush()?)
}

/// Writes the summaries of all sides.
fn foot(out: &mut impl Write, review: &OfGame) -> anyhow::Result<()> {
    writeln!(out)?;
    for side in &review.sides {
        writeln!(out, "{}", summary(side))?;
    }
    if review.moves.iter().any(|m| m.guess_before.or(m.guess_after).is_some()) {
        writeln!(
            out,
            "~ is a guess: the expected score where no value was found. A larger --time decides more moves."
        )?;
    }
    Ok(())
}

/// Formats a value. An unknown value is replaced by the guess, marked with `~`.
fn worth(value: Value, guess: Option<f64>) -> String {
    match guess {
        Some(guess) if value == Value::Unknown => format!("~{guess:.2}"),
        _ => value.name().to_owned(),
    }
}

/// Describes the mark of a move in words. After a mistake, also names the best move.
fn said(m: &Reviewed) -> String {
    let keeps = || m.best.first().map(|best| format!(": {best} keeps it")).unwrap_or_default();
    match m.mark {
        None => String::new(),
        Some(mark @ (Mark::WinThrownAway | Mark::DrawThrownAway)) => format!("{}{}", mark.words(), keeps()),
        Some(mark) => mark.words().to_owned(),
    }
}

/// Returns a line that summarises the moves of a side.
fn summary(side: &Summary) -> String {
    let Summary { seat, moves, decided, wins_thrown_away, draws_thrown_away, accuracy } = side;
    let accuracy = match accuracy {
        Some(accuracy) => format!("{:.1}%", 100.0 * accuracy),
        None if *decided == 0 => "unknown".to_owned(),
        None => "n/a (never had a won or drawn position)".to_owned(),
    };
    format!(
        "{seat}: {}, {decided} with known values; {} and {} thrown away; accuracy {accuracy}",
        counted(*moves as u64, "move"),
        counted(*wins_thrown_away as u64, "win"),
        counted(*draws_thrown_away as u64, "draw"),
    )
}
