//! Whole games, in the text that pente.org writes and players exchange.
//!
//! ```text
//! [Game "Pente"]
//! [Player 1 Name "..."]
//! [Result "1-0"]
//!
//! 1. K10 L9 2. K13 L11 1-0
//! ```
//!
//! Headers in brackets are kept in their order and written back. Then come the moves, numbered by
//! pairs, and the result; numbers and result may be missing. The first player wins `1-0`.
//!
//! Two headers are this program's own: `[Rules "pente:n=9"]` for games that pente.org has no name
//! for, and `[Position "..."]` for games that begin elsewhere than on the empty board.

use std::fmt::Write;
use std::sync::Arc;

use pentago_pente::Rules;
use pentago_pente::rules::Capture;

use super::Pente;
use crate::record::{in_line, lines};
use crate::{Ending, Game, Record, Result, bad_input};

/// The moves in a line of the text.
const PAIRS_IN_A_LINE: usize = 8;

/// The headers that say by which rules a game is played, where it starts and how it ended.
const OWN: [&str; 4] = ["Game", "Rules", "Position", "Result"];

/// The results, each with the seats that win.
const RESULTS: [(&str, Option<&str>); 4] =
    [("1-0", Some("x")), ("0-1", Some("o")), ("1/2-1/2", Some("")), ("*", None)];

/// The games of pente.org that this program knows, as rules.
fn known_game(name: &str) -> Option<&'static str> {
    match name.to_ascii_lowercase().as_str() {
        "pente" | "speed pente" => Some("pente"),
        "keryo-pente" | "speed keryo-pente" => Some("pente:cap=2+3,win=15"),
        _ => None,
    }
}

/// Reads a game; none if the text isn't one of this kind, with headers in brackets, or moves with
/// numbers.
pub fn read(text: &str) -> Option<Result<Record>> {
    let first = lines(text).next()?.1;
    (first.starts_with('[') || first.starts_with("1.")).then(|| {
        let (head, body): (Vec<_>, Vec<_>) = {
            let all: Vec<(usize, &str)> = lines(text).collect();
            let end = all.iter().position(|(_, line)| !line.starts_with('[')).unwrap_or(all.len());
            (all[..end].to_vec(), all[end..].to_vec())
        };
        let mut record = begin(&head)?;
        let mut winners = None;
        for (number, line) in body {
            for word in line.split_whitespace() {
                in_line(number, read_word(&mut record, &mut winners, word))?;
            }
        }
        let winners = winners.flatten().filter(|_| record.over().is_none());
        if winners == Some(record.game().board().others(record.position().to_move).as_str()) {
            record.resign();
        }
        Ok(record)
    })
}

/// The game before its first move, from its headers.
fn begin(head: &[(usize, &str)]) -> Result<Record> {
    let mut headers = Vec::new();
    for &(number, line) in head {
        let inner = line.strip_prefix('[').and_then(|line| line.strip_suffix("\"]"));
        let header = inner.and_then(|inner| inner.split_once(" \""));
        let wrong = || bad_input("expected a header, as in [Game \"Pente\"]");
        let (name, value) = in_line(number, header.ok_or_else(wrong))?;
        headers.push((number, name, value));
    }
    let of_name = |wanted| headers.iter().rev().find(|(_, name, _)| *name == wanted);
    let rules: Rules = match (of_name("Rules"), of_name("Game")) {
        (Some(&(number, _, rules)), _) => {
            in_line(number, rules.parse().map_err(|error: ::pentago::ParseError| error.into()))?
        }
        (None, Some(&(number, _, name))) => {
            let unknown = || bad_input("the rules of this game are not known: expected Pente or Keryo-Pente");
            in_line(number, known_game(name).ok_or_else(unknown))?.parse()?
        }
        (None, None) => Rules::default(),
    };
    let game = Arc::new(Pente::new(rules));
    let start = match of_name("Position") {
        Some(&(number, _, start)) => in_line(number, game.read(start))?,
        None => game.start(),
    };
    let mut record = Record::new(game, start);
    record.headers =
        headers.iter().map(|(_, name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Ok(record)
}

/// Reads a move, its number, or the result: the seats that win, if the game has ended.
fn read_word(record: &mut Record, result: &mut Option<Option<&str>>, word: &str) -> Result<()> {
    if result.is_some() {
        return Err(bad_input(format!("{word}: the record ends with its result")));
    }
    if let Some((_, winners)) = RESULTS.iter().find(|(text, _)| *text == word) {
        if record.over().is_some_and(|over| *winners != Some(over.winners.as_str())) {
            return Err(bad_input(format!("{word}: the moves before end otherwise")));
        }
        *result = Some(*winners);
        return Ok(());
    }
    let Some(number) = word.strip_suffix('.') else { return record.play_text(word) };
    let (ply, expected) = (record.moves().len() + 1, record.moves().len() / 2 + 1);
    match (number.parse() == Ok(expected), ply % 2) {
        (true, 1) => Ok(()),
        (_, 1) => Err(bad_input(format!("{word}: this is ply {ply}: expected {expected}. or a move"))),
        _ => Err(bad_input(format!("{word}: this is ply {ply}: expected a move"))),
    }
}

/// The text of a game.
pub fn write(rules: &Rules, record: &Record) -> String {
    let winners = record.over().map(|over: &Ending| over.winners.as_str());
    let result = RESULTS.iter().find(|(_, known)| *known == winners).map_or("*", |(text, _)| text);
    let name = if rules.options().capture == Capture::TwoOrThree { "Keryo-Pente" } else { "Pente" };
    let (rules, start) = (rules.to_string(), record.start().text.as_str());
    let mut headers = vec![("Game", name)];
    if known_game(name) != Some(rules.as_str()) {
        headers.push(("Rules", &rules));
    }
    if start != record.game().board().start {
        headers.push(("Position", start));
    }
    headers.push(("Result", result));
    let others = record.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    headers.extend(others.filter(|(name, _)| !OWN.contains(name)));
    let mut text = String::new();
    // Writing to a String doesn't fail.
    for (name, value) in headers {
        let _ = writeln!(text, "[{name} \"{value}\"]");
    }
    text.push('\n');
    let moves: Vec<&str> = record.moves().collect();
    for (i, pair) in moves.chunks(2).enumerate() {
        let end =
            if (i + 1).is_multiple_of(PAIRS_IN_A_LINE) && 2 * (i + 1) < moves.len() { '\n' } else { ' ' };
        let _ = write!(text, "{}. {}{end}", i + 1, pair.join(" "));
    }
    text + result + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game played on pente.org, the names left out.
    const GAME: &str = "\
[Game \"Pente\"]
[Result \"1-0\"]
[Site \"Pente.org\"]
[Date \"01/19/2014\"]

1. K10 M9 2. N10 M7 3. M8 O7 4. L10 J10 5. M10 O10 6. L9 N7 7. L7 P7 8. Q7 L11
9. L8 L6 10. K8 J9 11. J11 H12 12. J8 N8 13. H8 1-0
";

    fn read(text: &str) -> Result<Record> {
        super::read(text).expect("a game of this kind")
    }

    #[test]
    fn what_is_read_is_written() {
        for text in [
            GAME,
            "[Game \"Pente\"]\n[Result \"*\"]\n\n*\n",
            "[Game \"Keryo-Pente\"]\n[Result \"1-0\"]\n\n1. K10 1-0\n",
            "[Game \"Pente\"]\n[Rules \"pente:n=7,k=4,opening=free\"]\n[Result \"*\"]\n\n1. D4 A1 2. D5 *\n",
            "[Game \"Pente\"]\n[Rules \"pente:n=7,k=4,opening=free\"]\n\
             [Position \"7/7/2XO3/7/7/7/7 x\"]\n[Result \"*\"]\n[Site \"a table\"]\n\n1. A1 *\n",
        ] {
            let record = read(text).unwrap();
            assert_eq!(record.write(), text);
        }
        let record = read(GAME).unwrap();
        assert_eq!((record.moves().len(), record.over().unwrap().winners.as_str()), (25, "x"));
        // Numbers and the result may be missing, and lines broken anywhere.
        let free = "[Rules \"pente:n=7,k=4,opening=free\"]\n";
        let record = read(&format!("{free}d4\r\na1 D5\tB1 D6\nC1 D7")).unwrap();
        assert!(record.write().ends_with("\n\n1. D4 A1 2. D5 B1 3. D6 C1 4. D7 1-0\n"));
        assert!(read("1. K10 1-0").unwrap().is_resigned() && !read("1. K10 *").unwrap().is_resigned());
    }

    #[test]
    fn wrong_records_are_refused_where_they_are_wrong() {
        for (text, message) in [
            ("[Game Pente]\n", "line 1: expected a header"),
            ("\n[Game \"Go\"]\n1. K10", "line 2: the rules of this game are not known"),
            ("1. K11", "line 1: K11: "),
            ("1. K10 L9\n2. L11", "line 2: L11: "),
            ("1. K10 K10", "line 1: K10: there is a stone"),
            ("[Site \"\"]\n2. K10", "line 2: 2.: this is ply 1: expected 1. or a move"),
            ("1. K10 2. L9", "line 1: 2.: this is ply 2: expected a move"),
            ("1. K10 I9", "line 1: there is no file I"),
            ("1. K10 L20", "line 1: expected a rank, 1 to 19"),
            ("1. K10 1-0 L9", "line 1: L9: the record ends with its result"),
            ("[Rules \"pente:n=99\"]\n", "line 1: unknown value"),
            ("[Rules \"pente:n=7\"]\n[Position \"7/7/7/7/7/7 x\"]\n", "line 2: too few rows"),
            (&GAME.replace("13. H8 1-0", "13. H8 0-1"), "line 7: 0-1: the moves before end otherwise"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
