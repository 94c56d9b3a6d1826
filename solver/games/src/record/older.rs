//! Parses the older record formats of this program, with one move per line. Here is an example of
//! the format for Pentago and Pente:
//!
//! ```text
//! # A game of Pentago.
//! rules pentago
//! start 6/6/6/6/6/6 x
//! c4/2+
//! d3/1-
//! resign
//! ```
//!
//! Here is an example of the format for Pentago XL:
//!
//! ```text
//! game xl:seats=4
//! from 9/9/9/9/9/9/9/9/9 a
//! A e5/1+
//! B e4/2-
//! result A1 B2 C2 D2
//! ```
//!
//! The first line states the rules. In the first format, a line `start` with the first position
//! must follow. Then come the moves, and `resign` if the side to move has resigned. In the second
//! format, a line `from` may follow: without it, the game begins with the empty board. A seat in
//! front of a move is optional, and must be the seat to move. `A resigns` ends a game of two sides,
//! and `result` has the result of a finished game. Blank lines and lines that begin with `#` are
//! skipped.

use std::sync::Arc;

use super::data::Record;
use super::lines::{in_line, lines, shown};
use crate::error::{Result, bad_input};
use crate::game::Kind;
use crate::kinds::read_rules_of;

/// Parses a game. Returns `None` if the text doesn't begin with a line of rules.
pub fn read(kinds: &[&Kind], text: &str) -> Option<Result<Record>> {
    let mut lines = lines(text);
    let (number, first) = lines.next()?;
    let (word, rules) = first.split_once(char::is_whitespace)?;
    let has_seats = word == "game";
    if !has_seats && word != "rules" {
        return None;
    }
    let read = || {
        let game = in_line(number, read_rules_of(kinds, rules))?;
        let mut record = Record::new(Arc::clone(&game), game.start());
        if !has_seats {
            let Some((number, line)) = lines.next() else {
                return Err(bad_input("expected a line \"start ...\", found the end of the text"));
            };
            let Some(("start", start)) = line.split_once(char::is_whitespace) else {
                let found = shown(line);
                return Err(bad_input(format!("line {number}: expected \"start ...\", found \"{found}\"")));
            };
            record = Record::new(Arc::clone(&game), in_line(number, game.read(start))?);
        }
        for (number, line) in lines {
            match line.split_once(char::is_whitespace).filter(|_| has_seats) {
                Some((word, rest)) => in_line(number, take(&mut record, word, rest.trim()))?,
                None if line == "resign" && !has_seats && record.resign() => {}
                None => in_line(number, record.play_text(line))?,
            }
        }
        Ok(record)
    };
    Some(read())
}

/// Processes a line of a record of Pentago XL: its first word, and the rest of the line.
fn take(record: &mut Record, word: &str, rest: &str) -> Result<()> {
    let expected = record.position().to_move.to_ascii_uppercase().to_string();
    match (word, rest) {
        ("from", start) if record.moves().len() == 0 => {
            let start = record.game().read(start)?;
            *record = Record::new(Arc::clone(record.game()), start);
            Ok(())
        }
        ("result", stated) => {
            let result = record.over().map_or("none: it goes on", |over| &over.text);
            let wrong = || bad_input(format!("the result of these moves is {result}"));
            if result == stated { Ok(()) } else { Err(wrong()) }
        }
        (seat, _) if seat != expected => Err(bad_input(format!("it is {expected}'s turn"))),
        (_, "resigns") if record.resign() => Ok(()),
        (_, "resigns") => Err(bad_input("only in a game of two sides that is not over a seat can resign")),
        (_, mv) => record.play_text(mv),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KINDS;

    fn read(text: &str) -> Result<Record> {
        super::read(KINDS, text).expect("a game of this kind")
    }

    /// Writes the game in the format of all games, and parses that text.
    fn again(record: &Record) -> Record {
        Record::read(KINDS, &record.write().unwrap()).expect("a record")
    }

    #[test]
    fn records_show_what_is_wrong() {
        for (text, said) in [
            ("game xl:seats=5\n", "line 1: unknown value"),
            ("game xl\nA e5/5+\n", "line 2: block 5"),
            ("game xl\n\n# a comment\nB e5/1+\n", "line 4: it is A's turn"),
            ("game xl\ne5/1+\nresult A1 B2\n", "line 3: the result of these moves is none: it goes on"),
            ("game xl:seats=3\nA resigns\n", "line 2: only in a game of two sides"),
            ("game xl\nA e5/1+\nB e5/1+\n", "line 3: e5/1+: "),
            ("game xl\nA resigns\nA e5/1+\n", "line 3: e5/1+: the game is over"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with(said), "{error}");
        }
        assert!(super::read(KINDS, "game").is_none() && super::read(KINDS, "games of mine").is_none());
    }

    #[test]
    fn a_record_with_everything() {
        let text = "game xl:seats=4\nfrom BBBB5/9/CCCC5/9/DDDD5/9/9/9/AAAA5 a\nA e1\nresult A1 B2 C2 D2\n";
        let mut record = read(text).unwrap();
        assert_eq!(
            (again(&record).over(), again(&record).write().unwrap()),
            (record.over(), record.write().unwrap())
        );
        assert!(!record.resign());
        record.take_back();
        assert_eq!(record.over(), None);
        let mut resigned = read("game xl:seats=4,mode=2v2\ne5/1+\n").unwrap();
        assert!(resigned.resign());
        assert_eq!(again(&resigned).over(), resigned.over());
        let text = "game xl:seats=4,mode=2v2\nA e5/1+\nB resigns\nresult A and C\n";
        let text = text.replace("A and C", &resigned.over().unwrap().text);
        assert_eq!(read(&text).unwrap().write().unwrap(), resigned.write().unwrap());
    }
}
