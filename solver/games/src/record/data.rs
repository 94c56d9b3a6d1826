//! [`Record`]: a game as data.

use std::sync::Arc;

use ::pentago::ParseError;

use crate::error::{Result, bad_input};
use crate::{Block, Ending, Game, Position};

/// The maximum length of a record in bytes.
pub const MAX_RECORD: usize = 1 << 16;

/// The text format that another program uses for games.
pub struct Format {
    /// The name of the format in the syntax of `pentago convert --to`.
    pub name: &'static str,
    /// Parses a game. Returns `None` if the text has another format.
    pub read: fn(&str) -> Option<Result<Record>>,
    /// Writes a game. Returns an error if the format can't express the game.
    pub write: fn(&Record) -> Result<String>,
}

/// A game from its start to the current position.
#[derive(Debug, Clone)]
pub struct Record {
    game: Arc<dyn Game>,
    start: Position,
    pub(super) plies: Vec<Ply>,
    /// The ending, if a seat resigned or the seats agreed on a result.
    ended: Option<Ending>,
    /// The names and values of the tags that neither the rules nor the moves determine, such as
    /// players, site and date.
    pub tags: Vec<(String, String)>,
    /// The comment before the first move.
    pub comment: String,
}

/// A move with its annotations.
#[derive(Debug, Clone)]
pub(super) struct Ply {
    pub(super) mv: String,
    /// The position after the move.
    position: Position,
    pub(super) note: Note,
}

/// The annotations of a move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Note {
    /// The marks of the move, as the numbers that PGN uses: 1 good, 2 bad, 3 very good, 4 very bad,
    /// 5 interesting, 6 doubtful.
    pub marks: Vec<u8>,
    /// The comment on the move; empty if there is none.
    pub comment: String,
}

impl Record {
    /// Starts a game at a position.
    pub fn new(game: Arc<dyn Game>, start: Position) -> Record {
        Record { game, start, plies: Vec::new(), ended: None, tags: Vec::new(), comment: String::new() }
    }

    /// Returns the game with its rules.
    pub fn game(&self) -> &Arc<dyn Game> {
        &self.game
    }

    /// Returns the first position.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// Iterates over the moves.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = &str> {
        self.plies.iter().map(|ply| ply.mv.as_str())
    }

    /// Iterates over the positions, from the first to the current position. There is one position
    /// more than there are moves.
    pub fn positions(&self) -> impl Iterator<Item = &Position> {
        std::iter::once(&self.start).chain(self.plies.iter().map(|ply| &ply.position))
    }

    /// Returns the annotations of the move with the index `ply`, or `None` if there are too few
    /// moves. The first move has the index 0.
    pub fn note_mut(&mut self, ply: usize) -> Option<&mut Note> {
        self.plies.get_mut(ply).map(|ply| &mut ply.note)
    }

    /// Returns the current position.
    pub fn position(&self) -> &Position {
        self.plies.last().map_or(&self.start, |ply| &ply.position)
    }

    /// Returns the ending, or `None` if the game is not over.
    pub fn over(&self) -> Option<&Ending> {
        self.ended.as_ref().or(self.position().over.as_ref())
    }

    /// Returns the letter of the seat that made each move.
    pub fn movers(&self) -> Vec<char> {
        self.positions().take(self.plies.len()).map(|position| position.to_move).collect()
    }

    /// Returns the number of the round, counted from 1, of each move and of the move that would
    /// follow. A new round begins when the seat to move isn't later in turn order than the previous
    /// seat.
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

    /// Returns the row and column in which the marble of the last move lies after its turn, counted
    /// as in [`Board`](crate::Board). Returns `None` if there is no move.
    pub fn last_marble(&self) -> Option<(usize, usize)> {
        let board = self.game.board();
        let Ply { mv, .. } = self.plies.last()?;
        let (socket, turn) = mv.split_once('/').unwrap_or((mv, ""));
        let mut letters = socket.chars();
        let column = board.files.find(letters.next()?)?;
        let row = board.rows.checked_sub(letters.as_str().parse().ok()?)?;
        let number = turn.get(..turn.len().saturating_sub(1))?.parse().unwrap_or(0);
        let inside = |block: &&Block| {
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
    /// [`Input`](::pentago::ErrorKind::Input) if the text is no move, the move isn't legal, or the
    /// game is over.
    pub fn play(&mut self, mv: &str) -> Result<()> {
        if let Some(over) = self.over() {
            return Err(over.no_more_moves());
        }
        let mv = self.game.read_move(mv)?;
        let position = self.game.play(self.position(), &mv)?;
        self.plies.push(Ply { mv, position, note: Note::default() });
        Ok(())
    }

    /// Plays a move from the text of a game. The error quotes the move.
    pub(crate) fn play_text(&mut self, mv: &str) -> Result<()> {
        self.play(mv).map_err(|error| match error.downcast_ref::<ParseError>() {
            Some(_) => error,
            None => bad_input(format!("{mv}: {error}")),
        })
    }

    /// Resigns for the seat to move. Returns `false` if the game is already over, or if the other
    /// seats continue to play.
    pub fn resign(&mut self) -> bool {
        if self.over().is_none() {
            self.ended = self.game.resign(self.position());
            return self.ended.is_some();
        }
        false
    }

    /// Ends the game with the result that its text states: a win of the seats `winners`, or a draw
    /// if `winners` is empty.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input) if the moves lead to another result.
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

    /// Returns `true` if a seat resigned, or the seats agreed on a result.
    pub fn ended_early(&self) -> bool {
        self.ended.is_some()
    }

    /// Takes back a resignation or an agreed result. If there is neither, takes back the last move.
    pub fn take_back(&mut self) {
        if self.ended.take().is_none() {
            self.plies.pop();
        }
    }
}
