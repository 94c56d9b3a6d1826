//! An answer as text: all moves with their values, then the board, and last the summary, which
//! stays visible above the prompt.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use pentago::answer::{Answer, MoveEval, Origin, Value};
use pentago::rules::{Outcome, Position, Rules};

use crate::output::{bytes, thousands};
use crate::picture::Look;

/// Moves on a line: the eight turns that follow a placement.
const PER_LINE: usize = 8;
/// More best moves than this are counted, not listed.
const MOST_BEST: usize = 8;

/// The colour of a value.
pub fn style(value: Value) -> Style {
    match value {
        Value::Win => AnsiColor::Green.on_default(),
        Value::Draw => AnsiColor::Yellow.on_default(),
        Value::Loss => AnsiColor::Red.on_default(),
        Value::Unknown => Style::new().dimmed(),
    }
}

/// Writes the whole answer.
///
/// # Errors
/// If it can't be written.
pub fn answer(
    out: &mut impl Write,
    rules: &Rules,
    position: &Position,
    answer: &Answer,
    look: Look,
) -> io::Result<()> {
    moves(out, rules, &answer.moves)?;
    if !answer.moves.is_empty() {
        writeln!(out)?;
    }
    write!(out, "{}", look.board(rules, position, None))?;
    writeln!(out)?;
    summary(out, rules, position, answer)
}

/// Writes all moves, best first, with moves of the same value on one line that begins with the
/// value.
///
/// # Errors
/// If they can't be written.
pub fn moves(out: &mut impl Write, rules: &Rules, moves: &[MoveEval]) -> io::Result<()> {
    let label = |m: &MoveEval| match m.distance {
        Some(plies) => format!("{} in {plies}", m.value.name()),
        None => m.value.name().to_owned(),
    };
    let names: Vec<String> = moves.iter().map(|m| rules.format_move(m.mv)).collect();
    let label_width = moves.iter().map(|m| label(m).len()).max().unwrap_or(0);
    let name_width = names.iter().map(String::len).max().unwrap_or(0);
    let same = |a: &(&MoveEval, &String), b: &(&MoveEval, &String)| {
        (a.0.value, a.0.distance) == (b.0.value, b.0.distance)
    };
    let moves: Vec<(&MoveEval, &String)> = moves.iter().zip(&names).collect();
    for line in moves.chunk_by(same).flat_map(|group| group.chunks(PER_LINE)) {
        let first = line[0].0;
        let style = style(first.value);
        write!(out, "{style}{:label_width$}{style:#} ", label(first))?;
        for (i, (_, name)) in line.iter().enumerate() {
            // No white space at the end of the line.
            let width = if i + 1 < line.len() { name_width } else { 0 };
            write!(out, " {name:width$}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes who is to move, the value, the best moves, and the principal variation if there is one.
fn summary(out: &mut impl Write, rules: &Rules, position: &Position, answer: &Answer) -> io::Result<()> {
    let side = position.to_move().letter();
    if let Some(outcome) = rules.outcome(position) {
        return writeln!(out, "{}", over(outcome));
    }
    let what = if position.pending() { "turn" } else { "move" };
    writeln!(out, "{side} to {what}")?;
    writeln!(out, "{}", verdict(answer, side))?;
    if let Some(found) = found(answer) {
        writeln!(out, "{found}")?;
    }
    let all = answer.moves.len();
    if answer.best > 0 {
        let listed = answer.best.min(MOST_BEST);
        let best: Vec<String> = answer.moves[..listed].iter().map(|m| rules.format_move(m.mv)).collect();
        let more = match answer.best - listed {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        writeln!(out, "best: {}{more} ({} of {all} moves)", best.join(" "), answer.best)?;
    }
    if !answer.line.is_empty() {
        let line: Vec<String> = answer.line.iter().map(|&m| rules.format_move(m)).collect();
        writeln!(out, "line: {}", line.join(" "))?;
    }
    let left = answer.moves.iter().filter(|m| m.value == Value::Unknown).count();
    if left > 0 && answer.value != Value::Unknown {
        match answer.ruled_out {
            nothing if nothing.is_nothing() => writeln!(out, "{left} moves are unknown")?,
            ruled_out => writeln!(out, "{left} moves are unknown: {ruled_out}")?,
        }
    }
    Ok(())
}

/// How a value was found, where that wasn't by the full solution.
fn found(answer: &Answer) -> Option<String> {
    match answer.origin {
        Origin::Proof { sockets, depth, within } => Some(format!(
            "found: proof, {sockets} sockets, depth {depth}; the game ends within {within} plies"
        )),
        Origin::Solved if !answer.complete && answer.plies > 0 => {
            Some(format!("found: full width, {} plies", answer.plies))
        }
        _ => None,
    }
}

/// The result of a finished game.
pub fn over(outcome: Outcome) -> String {
    match outcome {
        Outcome::Win(winner) => format!("the game is over: {} has won", winner.letter()),
        Outcome::Draw => "the game is over: a draw".to_owned(),
    }
}

/// The value of a position whose game is not over. `unknown` isn't shown like a value.
fn verdict(answer: &Answer, side: char) -> String {
    let style = style(answer.value);
    let value = answer.value.name();
    match (answer.value, answer.distance) {
        (Value::Unknown, _) if answer.ruled_out.is_nothing() => format!("{style}unknown{style:#}"),
        (Value::Unknown, _) => format!(
            "{style}unknown{style:#}: {}; the full solution would take {} and {} boards",
            answer.ruled_out,
            bytes(answer.full.bytes),
            thousands(answer.full.boards)
        ),
        (Value::Draw, _) => format!("value: {style}{value}{style:#}"),
        (_, Some(1)) => format!("value: {style}{value}{style:#} for {side}, in 1 ply"),
        (_, Some(plies)) => format!("value: {style}{value}{style:#} for {side}, in {plies} plies"),
        (_, None) => format!("value: {style}{value}{style:#} for {side}"),
    }
}
