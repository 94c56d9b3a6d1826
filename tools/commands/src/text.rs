//! An answer as text: all moves with their values, then the board, and finally the summary, which
//! stays visible above the prompt.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use pentago::Value;
use pentago_base::counted;
use pentago_games::{Answer, Evidence, Game, MoveAnswer, Position, Proved};

use crate::output::{bytes, counted_plies, shown_path, thousands};
use crate::picture::Symbols;

/// The largest number of moves per line: the eight turns after a placement of Pentago.
const PER_LINE: usize = 8;
/// The largest number of best moves that are listed. Further best moves are only counted.
const MOST_BEST: usize = 8;
/// The largest number of moves that are listed one by one. If there are more, the moves are grouped
/// by socket, and moves of unknown value are only counted.
const MOST_LISTED: usize = 300;
/// The number of columns if standard output is not a terminal.
const COLUMNS: usize = 100;

/// Returns the colour of a value.
pub fn style(value: Value) -> Style {
    match value {
        Value::Win => AnsiColor::Green.on_default(),
        Value::Draw => AnsiColor::Yellow.on_default(),
        Value::Loss => AnsiColor::Red.on_default(),
        Value::Unknown => Style::new().dimmed(),
    }
}

/// Writes the moves, the board and the summary of an answer.
///
/// # Errors
/// If `out` can't be written.
pub fn answer(
    out: &mut impl Write,
    game: &dyn Game,
    position: &Position,
    answer: &Answer,
    symbols: Symbols,
) -> io::Result<()> {
    moves(out, &answer.moves)?;
    if !answer.moves.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "{}", symbols.board(game, position, None))?;
    summary(out, position, answer)
}

/// Writes all moves, best first. Moves of equal value share lines that begin with the value.
///
/// # Errors
/// If `out` can't be written.
pub fn moves(out: &mut impl Write, moves: &[MoveAnswer]) -> io::Result<()> {
    let columns = terminal_size::terminal_size().map_or(COLUMNS, |(width, _)| usize::from(width.0));
    write_moves(out, moves, columns)
}

fn write_moves(out: &mut impl Write, moves: &[MoveAnswer], columns: usize) -> io::Result<()> {
    let mut moves: Vec<&MoveAnswer> = moves.iter().collect();
    moves.sort_by_key(|m| m.value.order(m.distance));
    let label = |m: &MoveAnswer| match m.distance {
        Some(plies) => format!("{} in {plies}", m.value),
        None => m.value.to_string(),
    };
    let label_width = moves.iter().map(|m| label(m).len()).max().unwrap_or(0);
    let name_width = moves.iter().map(|m| m.text.len()).max().unwrap_or(0);
    let room = columns.saturating_sub(label_width + 1);
    let many = moves.len() > MOST_LISTED;
    let mut turns: BTreeMap<&str, usize> = BTreeMap::new();
    moves.iter().for_each(|m| *turns.entry(parts(m).0).or_default() += 1);
    let same = |a: &&MoveAnswer, b: &&MoveAnswer| (a.value, a.distance) == (b.value, b.distance);
    for group in moves.chunk_by(same) {
        let (style, label) = (style(group[0].value), label(group[0]));
        let lines = match () {
            () if many && group[0].value == Value::Unknown => {
                let by_guess = group.iter().filter_map(|m| Some(format!("{} {:.2}", m.text, m.guess?)));
                let by_guess: Vec<String> = by_guess.take(MOST_GUESSES).collect();
                let best = if by_guess.is_empty() { "" } else { "; the best by guess:" };
                let mut lines = vec![format!(" {} moves{best}", thousands(group.len() as u64))];
                lines.extend(filled(&by_guess, room, PER_LINE));
                lines
            }
            () if many => filled(&by_socket(group, &turns), room, usize::MAX),
            () => {
                let names = group.iter().map(|m| format!("{:name_width$}", m.text));
                filled(&names.collect::<Vec<_>>(), room, PER_LINE)
            }
        };
        for line in lines {
            writeln!(out, "{style}{label:label_width$}{style:#} {}", line.trim_end())?;
        }
    }
    Ok(())
}

/// Fills lines with pieces: at most `columns` columns and `most` pieces per line, with a space
/// before each piece. A piece that is too long gets a line of its own.
fn filled(pieces: &[String], columns: usize, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut count = 0;
    for piece in pieces {
        let fits = |line: &&mut String| count < most && line.len() + 1 + piece.trim_end().len() <= columns;
        if lines.last_mut().filter(fits).is_none() {
            lines.push(String::new());
            count = 0;
        }
        lines.last_mut().expect("a line").extend([" ", piece]);
        count += 1;
    }
    lines
}

/// Splits a move into its socket and its turn. The turn is empty for a move without a turn.
fn parts(m: &MoveAnswer) -> (&str, &str) {
    m.text.split_once('/').unwrap_or((&m.text, ""))
}

/// Groups moves of equal value by socket: `c4/1+ 1- 2+`, or `c4/any` if `moves` contains all moves
/// with that socket. `all` is the number of moves with each socket.
fn by_socket(moves: &[&MoveAnswer], all: &BTreeMap<&str, usize>) -> Vec<String> {
    let group = |group: &[&MoveAnswer]| {
        let socket = parts(group[0]).0;
        if group.len() > 1 && all.get(socket) == Some(&group.len()) {
            return format!("{socket}/any");
        }
        let turns: Vec<&str> = group[1..].iter().map(|m| parts(m).1).collect();
        [&[group[0].text.as_str()][..], &turns].concat().join(" ")
    };
    moves.chunk_by(|a, b| parts(a).0 == parts(b).0).map(group).collect()
}

/// The largest number of moves of unknown value that are listed with their guesses.
const MOST_GUESSES: usize = 8;

/// Writes the side to move, the value, the best moves, and the line of best moves if there is one.
fn summary(out: &mut impl Write, position: &Position, answer: &Answer) -> io::Result<()> {
    if let Some(over) = &position.over {
        return writeln!(out, "the game is over: {}", over.words);
    }
    let what = if answer.pending { "turn" } else { "move" };
    writeln!(out, "{} to {what}", answer.to_move)?;
    value(out, answer)?;
    if let Some(found) = found(answer) {
        writeln!(out, "{found}")?;
    }
    if let (Some(Proved::Said(said)), false) = (&answer.proved, answer.value == Value::Unknown) {
        said.iter().try_for_each(|said| writeln!(out, "proved: {said}"))?;
    }
    let all = counted(answer.moves.len() as u64, "move");
    let best = answer.advised();
    if !best.is_empty() {
        let listed = best.len().min(MOST_BEST);
        let more = match best.len() - listed {
            0 => String::new(),
            more => format!(" and {} more", thousands(more as u64)),
        };
        let these = best[..listed].join(" ");
        match answer.guess {
            None => writeln!(out, "best: {these}{more} ({} of {all})", thousands(best.len() as u64))?,
            Some(guess) => writeln!(out, "best guess: {these}{more} (expected score {guess:.2})")?,
        }
    }
    if let Some(line) = answer.line.as_ref().filter(|line| !line.is_empty()) {
        writeln!(out, "line: {}", line.join(" "))?;
    }
    let left = answer.unknown_moves();
    if left > 0 && answer.value != Value::Unknown {
        let (are, left) = (if left == 1 { "is" } else { "are" }, counted(left as u64, "move"));
        let open = answer.open_moves().map(|open| format!(": {open}")).unwrap_or_default();
        writeln!(out, "{left} {are} unknown{open}")?;
    }
    Ok(())
}

/// Describes how a value was found. Returns `None` for the full solution.
fn found(answer: &Answer) -> Option<String> {
    match answer.evidence? {
        Evidence::Proof { sockets, within, .. } => Some(format!(
            "found: a proof with moves on {sockets} sockets; the game ends within {}",
            counted_plies(within)
        )),
        Evidence::Certificate { within } => {
            Some(format!("found: a certificate; the game ends within {}", counted_plies(within)))
        }
        Evidence::FullWidth { plies } if !answer.is_complete() => {
            Some(format!("found: all moves of both sides, {} ahead", counted_plies(plies)))
        }
        Evidence::FullWidth { .. } => None,
    }
}

/// Writes the value of a position in which the game is not over, and the value for each seat. If
/// the value is unknown, also writes the proved bounds.
///
/// # Errors
/// If `out` can't be written.
pub fn value(out: &mut impl Write, answer: &Answer) -> io::Result<()> {
    let (style, side, value) = (style(answer.value), answer.to_move, answer.value);
    match (value, answer.distance) {
        (Value::Unknown, _) => {
            write!(out, "{style}unknown{style:#}")?;
            if let Some(least) = answer.at_least {
                write!(out, ", at least a {least} for {side}")?;
            }
            if let Some(proved) = &answer.proved {
                write!(out, ": {proved}")?;
                if let Some(full) = answer.full {
                    let (memory, boards) = (bytes(full.bytes), thousands(full.boards));
                    write!(out, "; the full solution would take {memory} and {boards} boards")?;
                }
            }
            writeln!(out)?;
        }
        (Value::Draw, _) => writeln!(out, "value: {style}{value}{style:#}")?,
        (_, distance) => {
            let within = distance.map(|plies| format!(", in {}", counted_plies(plies))).unwrap_or_default();
            writeln!(out, "value: {style}{value}{style:#} for {side}{within}")?;
        }
    }
    if let Some(seats) = &answer.seats {
        let seats: Vec<String> = seats.iter().map(|(seat, value)| format!("{seat} {value}")).collect();
        writeln!(out, "seats: {}", seats.join(", "))?;
    }
    Ok(())
}

/// Describes the sources of the values in one or two lines.
pub fn sources(answer: &Answer, folder: &Path) -> String {
    let count = |name: &str| answer.moves.iter().filter(|m| m.source == name).count();
    let parts: Vec<String> = ["table", "certificate", "published", "solved", "proof", "rules", "unknown"]
        .into_iter()
        .filter(|&name| count(name) > 0)
        .map(|name| format!("{} {name}", thousands(count(name) as u64)))
        .collect();
    let mut text = format!("source: {}", answer.source);
    // Name the folder only if a value comes from its tables or certificates. Without a folder, a
    // certificate comes from those that are built into the program.
    let is_read = |name: &&str| answer.source == *name || count(name) > 0;
    if folder != Path::new("") && ["table", "certificate"].iter().any(is_read) {
        text += &format!(" ({})", shown_path(folder));
    }
    if !answer.moves.is_empty() {
        text += &format!("; of {}: {}", counted(answer.moves.len() as u64, "move"), parts.join(", "));
    }
    let of_moves = || answer.moves.iter().find_map(|m| m.reason.as_ref());
    if let Some(reason) = answer.reason.as_ref().or_else(of_moves) {
        text += &format!("\nunknown: {reason}");
    }
    text
}

/// Describes the work of an answer in one line. Returns `None` if nothing was computed.
pub fn work(answer: &Answer) -> Option<String> {
    let seconds = answer.seconds;
    if let (Some(boards @ 1..), Some(kernel)) = (answer.boards, answer.kernel) {
        return Some(format!("{} in {seconds:.3} s, kernel {kernel}", counted(boards, "board")));
    }
    let nodes = counted(answer.nodes?, "node");
    Some(match answer.engine.as_deref() {
        None | Some("none") => format!("{nodes} in {seconds:.3} s: not decided"),
        Some(engine) => format!("{nodes} in {seconds:.3} s, engine: {engine}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(moves: &[(&str, Value)], columns: usize) -> String {
        let moves: Vec<MoveAnswer> = moves
            .iter()
            .map(|&(text, value)| MoveAnswer::new(text.to_owned(), value, "unknown", String::new()))
            .collect();
        let mut out = Vec::new();
        write_moves(&mut out, &moves, columns).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    #[test]
    fn few_moves_are_listed_and_no_move_is_broken() {
        let moves =
            [("a1/1+", Value::Win), ("a1/1-", Value::Win), ("b1", Value::Win), ("c1/2+", Value::Loss)];
        assert_eq!(listed(&moves, 80), "win   a1/1+ a1/1- b1\nloss  c1/2+\n");
        assert_eq!(listed(&moves, 18), "win   a1/1+ a1/1-\nwin   b1\nloss  c1/2+\n");
    }

    #[test]
    fn many_moves_are_grouped_by_socket_and_unknown_ones_counted() {
        let texts: Vec<String> = (0..40)
            .flat_map(|n| ["1+", "1-", "2+", "2-", "3+", "3-", "4+", "4-"].map(|turn| format!("a{n}/{turn}")))
            .collect();
        let value = |i: usize| match i {
            0..8 => Value::Win,
            8..11 => Value::Loss,
            _ => Value::Unknown,
        };
        let moves: Vec<(&str, Value)> =
            texts.iter().enumerate().map(|(i, text)| (text.as_str(), value(i))).collect();
        let expected = "win      a0/any\nunknown  309 moves\nloss     a1/1+ 1- 2+\n";
        assert_eq!(listed(&moves, 80), expected);
    }
}
