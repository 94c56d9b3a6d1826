//! Parses the older record format of this program, with one move per line:
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
//! The line `resign` ends a game in which the side to move has resigned. Blank lines and lines that
//! begin with `#` are skipped.

use super::data::Record;
use super::lines::{in_line, lines, shown};
use crate::error::{Result, bad_input};
use crate::game::Kind;
use crate::kinds::read_rules_of;

/// Parses a game. Returns `None` if the text doesn't begin with rules.
pub fn read(kinds: &[&Kind], text: &str) -> Option<Result<Record>> {
    let begins = |line: &str| line.split_whitespace().next() == Some("rules");
    lines(text).next().is_some_and(|(_, line)| begins(line)).then(|| parse(kinds, text))
}

fn parse(kinds: &[&Kind], text: &str) -> Result<Record> {
    let mut lines = lines(text);
    let mut field = |key: &str| {
        let Some((number, line)) = lines.next() else {
            return Err(bad_input(format!("expected a line \"{key} ...\", found the end of the text")));
        };
        match line.split_once(char::is_whitespace) {
            Some((word, value)) if word == key => Ok((number, value)),
            _ => {
                let found = shown(line);
                Err(bad_input(format!("line {number}: expected \"{key} ...\", found \"{found}\"")))
            }
        }
    };
    let (number, rules) = field("rules")?;
    let game = in_line(number, read_rules_of(kinds, rules))?;
    let (number, start) = field("start")?;
    let start = in_line(number, game.read(start))?;
    let mut record = Record::new(game, start);
    for (number, line) in lines {
        if line == "resign" && record.resign() {
            continue;
        }
        in_line(number, record.play_text(line))?;
    }
    Ok(record)
}
