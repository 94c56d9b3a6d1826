//! Writes games in the format of pente.org, which players exchange.
//!
//! ```text
//! [Game "Pente"]
//! [Player 1 Name "..."]
//! [Result "1-0"]
//!
//! 1. K10 L9 2. K13 L11 1-0
//! ```
//!
//! The parser of this program's own records also reads this format. The writer writes the tags in
//! their order, the moves in numbered pairs, and the result. Games whose rules have no name on
//! pente.org get the tag `[Rules "pente:n=9"]`. Games that don't begin with the empty board get the
//! tag `[Position "..."]`.

use std::fmt::Write;

use super::{KERYO, KIND};
use crate::error::{Result, bad_input};
use crate::record::{Format, Record, checked, title};

/// The record format of pente.org.
pub const FORMAT: Format = Format { name: "pente.org", read: |_| None, write };

/// The number of pairs of moves in a line.
const PAIRS_IN_A_LINE: usize = 8;

/// Writes a game. Returns an error for a game that isn't Pente.
fn write(record: &Record) -> Result<String> {
    let game = record.game();
    if game.kind().name != KIND.name {
        return Err(bad_input(format!("pente.org knows Pente, not {}", game.kind().title)));
    }
    let result = match record.over().map(|over| over.winners.as_str()) {
        Some("x") => "1-0",
        Some("o") => "0-1",
        Some(_) => "1/2-1/2",
        None => "*",
    };
    let (rules, start) = (game.rules(), record.start().text.as_str());
    let mut tags = vec![("Game", title(&**game))];
    if ![KIND.name, KERYO].contains(&rules.as_str()) {
        tags.push(("Rules", &rules));
    }
    if start != game.board().start {
        tags.push(("Position", start));
    }
    tags.push(("Result", result));
    let mut text = record.write_tags(&tags);
    let moves: Vec<&str> = record.moves().collect();
    for (i, pair) in moves.chunks(2).enumerate() {
        let end =
            if (i + 1).is_multiple_of(PAIRS_IN_A_LINE) && 2 * (i + 1) < moves.len() { '\n' } else { ' ' };
        // Ignore the result, because writing to a `String` can't fail.
        let _ = write!(text, "{}. {}{end}", i + 1, pair.join(" "));
    }
    checked(text + result + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game played on pente.org, without the names of the players.
    const GAME: &str = "\
[Game \"Pente\"]
[Result \"1-0\"]
[Site \"Pente.org\"]
[Date \"01/19/2014\"]

1. K10 M9 2. N10 M7 3. M8 O7 4. L10 J10 5. M10 O10 6. L9 N7 7. L7 P7 8. Q7 L11
9. L8 L6 10. K8 J9 11. J11 H12 12. J8 N8 13. H8 1-0
";

    fn read(text: &str) -> Result<Record> {
        Record::read(crate::KINDS, text)
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
            assert_eq!(write(&record).unwrap(), text);
        }
        let record = read(GAME).unwrap();
        assert_eq!((record.moves().len(), record.over().unwrap().winners.as_str()), (25, "x"));
        // Numbers and the result are optional, and lines may break anywhere.
        let free = "[Rules \"pente:n=7,k=4,opening=free\"]\n";
        let record = read(&format!("{free}d4\r\na1 D5\tB1 D6\nC1 D7")).unwrap();
        assert!(write(&record).unwrap().ends_with("\n\n1. D4 A1 2. D5 B1 3. D6 C1 4. D7 1-0\n"));
        assert!(read("1. K10 1-0").unwrap().ended_early() && !read("1. K10 *").unwrap().ended_early());
    }

    #[test]
    fn wrong_records_are_refused_where_they_are_wrong() {
        for (text, message) in [
            ("[Game Pente]\n", "line 1: expected a tag"),
            ("\n[Game \"Go\"]\n1. K10", "line 2: unknown game: expected one of: Keryo-Pente; Mini-Pentago; "),
            ("1. K11", "line 1: K11: Pente doesn't begin so: opening=pro: "),
            ("1. K10 L9\n2. L11", "line 2: L11: "),
            ("1. K10 K10", "line 1: K10: there is a stone"),
            ("[Site \"\"]\n2. K10", "line 2: 2.: this is move 1: expected 1."),
            ("1. K10 3. L9", "line 1: 3.: this is move 1: expected 1."),
            ("1. K10 I9", "line 1: there is no file I"),
            ("1. K10 L20", "line 1: expected a rank, 1 to 19"),
            ("1. K10 1-0 L9", "line 1: L9: the record ends with its result"),
            ("[Rules \"pente:n=99\"]\n", "line 1: unknown value"),
            ("[Rules \"pente:n=7\"]\n[Position \"7/7/7/7/7/7 x\"]\n", "line 2: too few rows"),
            (&GAME.replace("13. H8 1-0", "13. H8 0-1"), "line 7: 0-1: the tag in line 2 says otherwise"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
