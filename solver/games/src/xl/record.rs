//! Parses the older record format of Pentago XL, from before all games shared one format:
//!
//! ```text
//! game xl:seats=4
//! from 9/9/9/9/9/9/9/9/9 a
//! A e5/1+
//! B e4/2-
//! result A1 B2 C2 D2
//! ```
//!
//! The first line has the rules. A line `from` has the first position, unless that is the empty
//! board. Then follow the moves with their seats, one per line, and the result of a finished game.
//! `A resigns` ends a game of two sides. The seats before the moves are optional.

use std::sync::Arc;

use super::Xl;
use crate::error::{Result, bad_input};
use crate::game::Game;
use crate::record::{Format, Record, in_line, lines};

/// The older format of Pentago XL.
pub const FORMAT: Format = Format { name: "xl", read, write: None };

/// Parses a game. Returns `None` if the text has another format.
fn read(text: &str) -> Option<Result<Record>> {
    let mut lines = lines(text);
    let (number, rules) = lines.next()?;
    let rules = rules.strip_prefix("game").filter(|rules| rules.starts_with(char::is_whitespace))?;
    let read = || {
        let rules = rules.trim().parse().map_err(|error: ::pentago::ParseError| error.into());
        let game: Arc<dyn Game> = Arc::new(Xl { rules: in_line(number, rules)? });
        let mut record = Record::new(game.clone(), game.start());
        for (number, line) in lines {
            let words = line.split_once(char::is_whitespace).map(|(word, rest)| (word, rest.trim()));
            in_line(
                number,
                match words {
                    Some(("from", start)) if record.moves().len() == 0 => {
                        game.read(start).map(|start| record = Record::new(game.clone(), start))
                    }
                    Some(("result", stated)) => check_result(&record, stated),
                    Some((seat, mv)) => check_seat(&record, seat).and_then(|()| play(&mut record, mv)),
                    None => record.play_text(line),
                },
            )?;
        }
        Ok(record)
    };
    Some(read())
}

/// Compares the result in the text with the result of the moves.
fn check_result(record: &Record, stated: &str) -> Result<()> {
    let is = record.over().map_or("none: it goes on", |over| &over.text);
    if is == stated { Ok(()) } else { Err(bad_input(format!("the result of these moves is {is}"))) }
}

/// Checks that the seat in front of a move is the seat to move.
fn check_seat(record: &Record, seat: &str) -> Result<()> {
    let expected = record.position().to_move.to_ascii_uppercase().to_string();
    if seat == expected { Ok(()) } else { Err(bad_input(format!("it is {expected}'s turn"))) }
}

/// Plays a move, or resigns if the text says so.
fn play(record: &mut Record, mv: &str) -> Result<()> {
    if mv != "resigns" {
        return record.play_text(mv);
    }
    let why = "only in a game of two sides that is not over a seat can resign";
    if record.resign() { Ok(()) } else { Err(bad_input(why)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Record> {
        super::read(text).expect("a game of this kind")
    }

    /// Writes the game in the format of all games, and parses that text.
    fn again(record: &Record) -> Record {
        Record::read(crate::KINDS, &record.write()).expect("a record")
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
        assert!(super::read("game").is_none() && super::read("games of mine").is_none());
    }

    #[test]
    fn a_record_with_everything() {
        let text = "game xl:seats=4\nfrom BBBB5/9/CCCC5/9/DDDD5/9/9/9/AAAA5 a\nA e1\nresult A1 B2 C2 D2\n";
        let mut record = read(text).unwrap();
        assert_eq!((again(&record).over(), again(&record).write()), (record.over(), record.write()));
        assert!(!record.resign());
        record.take_back();
        assert_eq!(record.over(), None);
        let mut resigned = read("game xl:seats=4,mode=2v2\ne5/1+\n").unwrap();
        assert!(resigned.resign());
        assert_eq!(again(&resigned).over(), resigned.over());
        let text = "game xl:seats=4,mode=2v2\nA e5/1+\nB resigns\nresult A and C\n";
        let text = text.replace("A and C", &resigned.over().unwrap().text);
        assert_eq!(read(&text).unwrap().write(), resigned.write());
    }
}
