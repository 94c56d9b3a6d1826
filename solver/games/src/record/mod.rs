//! Records of games: the start and the moves, with their text.
//!
//! ```text
//! [Game "Pentago"]
//! [Rules "pentago"]
//! [Result "x"]
//!
//! 1. c4/2+ d3/1- {the other diagonal} 2. a1/4+ $6 x
//! ```
//!
//! `docs/records.md` describes the grammar. The program also reads its older formats, and the
//! formats of other programs.
//!
//! | file | content |
//! |---|---|
//! | `data` | [`Record`]: a game as data |
//! | `text` | the text of a record |
//! | `older` | the older formats of this program |
//! | `lines` | lines of text, and words in error messages |

mod data;
mod lines;
mod older;
mod text;

pub use data::{Format, MAX_RECORD, Note, Record};
pub(crate) use lines::{in_line, lines, shown};
pub(crate) use text::{checked, title};

use std::sync::Arc;

use ::pentago::ParseError;

use crate::error::{Result, bad_input};
use crate::{Game, Kind, pentago, pente};

/// The record formats of other programs.
pub static FORMATS: [&Format; 3] =
    [&pentago::openspiel::FORMAT, &pentago::numbers::FORMAT, &pente::record::FORMAT];

impl Record {
    /// Parses a game of one of these kinds, in any known format. If the text names no rules, the
    /// first kind that can play the moves is used.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input) for the first line that can't be parsed or played.
    pub fn read(kinds: &[&Kind], text: &str) -> Result<Record> {
        Record::read_as(None, kinds, text)
    }

    /// Parses a game like [`Record::read`]. If the text names no rules, uses the rules of `game`,
    /// if there is a `game`.
    ///
    /// # Errors
    /// As for [`Record::read`].
    pub fn read_as(game: Option<&Arc<dyn Game>>, kinds: &[&Kind], text: &str) -> Result<Record> {
        let text = ParseError::checked(text, MAX_RECORD)?;
        if text.trim_start().starts_with("(;") {
            let names = FORMATS.map(|format| format.name).join(", ");
            return Err(bad_input(format!("games in SGF can't be read: expected record, {names}")));
        }
        let mut formats = FORMATS.iter();
        if let Some(record) = formats.find_map(|format| (format.read)(text)) {
            return record;
        }
        match older::read(kinds, text) {
            Some(record) => record,
            None => text::read(game, kinds, text),
        }
    }
}

#[cfg(test)]
mod tests;
