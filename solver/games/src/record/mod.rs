//! A game that is being played or was saved: where it started, and the moves.
//!
//! ```text
//! [Game "Pentago"]
//! [Rules "pentago"]
//! [Result "x"]
//!
//! 1. c4/2+ d3/1- {the other diagonal} 2. a1/4+ $6 x
//! ```
//!
//! `docs/records.md` has the grammar. What the program wrote before it, and the texts of other
//! programs, are read as well.
//!
//! | file | what it represents |
//! |---|---|
//! | this one | [`Record`]: the game as data |
//! | `text` | its text, read and written |
//! | `older` | the text that the program wrote before that one |

mod older;
mod text;

use std::sync::Arc;

use ::pentago::ParseError;
use pentago_base::visible;

use crate::{Ending, Game, Kind, Position, Result, bad_input};

/// The longest text of a game that is read, in bytes.
pub const MAX_RECORD: usize = 1 << 16;

/// A text of games that another program writes, or an older version of this one.
pub struct Format {
    /// Its name, as `pentago convert --to` takes it.
    pub name: &'static str,
    /// Reads a game; none if the text is of another form.
    pub read: fn(&str) -> Option<Result<Record>>,
    /// Writes a game; fails if the format has no words for it.
    pub write: Option<fn(&Record) -> Result<String>>,
}

/// A game from its start to the current position.
#[derive(Debug, Clone)]
pub struct Record {
    game: Arc<dyn Game>,
    start: Position,
    plies: Vec<Ply>,
    /// How the game has ended otherwise than by its last move: a side gave it up, or both agreed.
    ended: Option<Ending>,
    /// What else the text of the game says, by name: players, a site, a date.
    pub tags: Vec<(String, String)>,
    /// What is said before the first move.
    pub comment: String,
}

/// A move, and what was said about it.
#[derive(Debug, Clone)]
struct Ply {
    mv: String,
    /// What it led to.
    position: Position,
    note: Note,
}

/// What is said about a move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Note {
    /// Marks, as numbered by PGN: 1 good, 2 bad, 3 very good, 4 very bad, 5 interesting, 6 doubtful.
    pub marks: Vec<u8>,
    /// In words.
    pub comment: String,
}

impl Record {
    /// A game that begins at a position.
    #[must_use]
    pub fn new(game: Arc<dyn Game>, start: Position) -> Record {
        Record { game, start, plies: Vec::new(), ended: None, tags: Vec::new(), comment: String::new() }
    }

    /// The game with its rules.
    #[must_use]
    pub fn game(&self) -> &Arc<dyn Game> {
        &self.game
    }

    /// The position that the game began with.
    #[must_use]
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The moves.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = &str> {
        self.plies.iter().map(|ply| ply.mv.as_str())
    }

    /// The positions, from the first to the current one: one more than there are moves.
    pub fn positions(&self) -> impl Iterator<Item = &Position> {
        std::iter::once(&self.start).chain(self.plies.iter().map(|ply| &ply.position))
    }

    /// What is said about each move.
    pub fn notes(&self) -> impl ExactSizeIterator<Item = &Note> {
        self.plies.iter().map(|ply| &ply.note)
    }

    /// What is said about a move, counted from 0; none if there are fewer moves.
    pub fn note_mut(&mut self, ply: usize) -> Option<&mut Note> {
        self.plies.get_mut(ply).map(|ply| &mut ply.note)
    }

    /// The current position.
    #[must_use]
    pub fn position(&self) -> &Position {
        self.plies.last().map_or(&self.start, |ply| &ply.position)
    }

    /// How the game has ended, if it has.
    #[must_use]
    pub fn over(&self) -> Option<&Ending> {
        self.ended.as_ref().or(self.position().over.as_ref())
    }

    /// The seat that made each move.
    #[must_use]
    pub fn movers(&self) -> Vec<char> {
        self.positions().take(self.plies.len()).map(|position| position.to_move).collect()
    }

    /// The number of the round that each move belongs to, and the next one: it counts from 1, and is
    /// one more when a seat follows that doesn't come later in the order of turns.
    #[must_use]
    pub fn rounds(&self) -> Vec<usize> {
        let seats = self.game.board().seats();
        let (mut round, mut before) = (1, None);
        let number = |position: &Position| {
            let seat = seats.find(position.to_move);
            round += usize::from(before.is_some_and(|before| seat <= before));
            before = Some(seat);
            round
        };
        self.positions().map(number).collect()
    }

    /// The row and the column, as the [`Board`](crate::Board) has them, where the marble of the last
    /// move lies now.
    #[must_use]
    pub fn last_marble(&self) -> Option<(usize, usize)> {
        let board = self.game.board();
        let Ply { mv, .. } = self.plies.last()?;
        let (socket, turn) = mv.split_once('/').unwrap_or((mv, ""));
        let mut letters = socket.chars();
        let column = board.files.find(letters.next()?)?;
        let row = board.rows.checked_sub(letters.as_str().parse().ok()?)?;
        let number = turn.get(..turn.len().saturating_sub(1))?.parse().unwrap_or(0);
        let inside = |block: &&crate::Block| {
            let rows = block.row..block.row + block.rows;
            block.number == number
                && rows.contains(&row)
                && (block.column..block.column + block.columns).contains(&column)
        };
        let Some(block) = board.blocks.iter().find(inside) else { return Some((row, column)) };
        let (r, c) = (row - block.row, column - block.column);
        let last = block.rows - 1;
        let (r, c) = if turn.ends_with('+') { (c, last - r) } else { (last - c, r) };
        Some((block.row + r, block.column + c))
    }

    /// Plays a move.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input) if it can't be read, isn't legal, or the game is over.
    pub fn play(&mut self, mv: &str) -> Result<()> {
        if self.over().is_some() {
            return Err(bad_input("the game is over, there are no more moves"));
        }
        let mv = self.game.read_move(mv)?;
        let position = self.game.play(self.position(), &mv)?;
        self.plies.push(Ply { mv, position, note: Note::default() });
        Ok(())
    }

    /// Plays a move that stands in the text of a game: the error names it.
    pub(crate) fn play_text(&mut self, mv: &str) -> Result<()> {
        self.play(mv).map_err(|error| match error.downcast_ref::<ParseError>() {
            Some(_) => error,
            None => bad_input(format!("{mv}: {error}")),
        })
    }

    /// The seat to move gives the game up; false if it is over, or the others play on.
    pub fn resign(&mut self) -> bool {
        if self.over().is_none() {
            self.ended = self.game.resign(self.position());
            return self.ended.is_some();
        }
        false
    }

    /// Ends the game as its text says, before its last move: these seats have won, or it is a draw if
    /// there are none.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input) if the moves end it otherwise.
    pub(crate) fn end(&mut self, winners: &str) -> Result<()> {
        match self.over() {
            Some(over) if over.winners == winners => Ok(()),
            Some(over) => Err(bad_input(format!("the moves before end with: {}", over.words))),
            None => {
                let resigned = self.game.resign(self.position());
                let ending = resigned.filter(|ending| ending.winners == winners);
                self.ended = Some(ending.unwrap_or_else(|| Ending::won_by(winners)));
                Ok(())
            }
        }
    }

    /// Whether the game has ended before its last move: a side gave it up, or both agreed.
    #[must_use]
    pub fn ended_early(&self) -> bool {
        self.ended.is_some()
    }

    /// Takes back what has ended the game early, or the last move if there is one.
    pub fn take_back(&mut self) {
        if self.ended.take().is_none() {
            self.plies.pop();
        }
    }

    /// The text of the game, which [`Record::read`] reads back.
    #[must_use]
    pub fn write(&self) -> String {
        text::write(self)
    }

    /// Reads the text of a game of one of these kinds, in any form that is known. Moves alone are
    /// those of the first kind that can play them.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input): the line that can't be read or played, and why.
    pub fn read(kinds: &[&Kind], text: &str) -> Result<Record> {
        Record::read_as(None, kinds, text)
    }

    /// Reads the same; moves alone are those of `game`, if there is one.
    ///
    /// # Errors
    /// As for [`Record::read`].
    pub fn read_as(game: Option<&Arc<dyn Game>>, kinds: &[&Kind], text: &str) -> Result<Record> {
        ParseError::check_length(text, MAX_RECORD)?;
        let mut formats = kinds.iter().flat_map(|kind| kind.formats);
        if let Some(record) = formats.find_map(|format| (format.read)(text)) {
            return record;
        }
        match older::read(kinds, text) {
            Some(record) => record,
            None => text::read(game, kinds, text),
        }
    }
}

/// Characters of a word that an error shows.
const MOST_SHOWN: usize = 40;

/// A word as an error shows it.
pub(crate) fn shown(word: &str) -> String {
    let mut chars = word.chars();
    let short: String = chars.by_ref().take(MOST_SHOWN).map(visible).collect();
    let more = if chars.next().is_some() { "..." } else { "" };
    format!("{short}{more}")
}

/// The lines of a game's text that say something, with their numbers.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The error with the number of the line that it is about.
pub(crate) fn in_line<T>(number: usize, read: Result<T>) -> Result<T> {
    read.map_err(|error| bad_input(format!("line {number}: {error}")))
}

#[cfg(test)]
mod tests;
