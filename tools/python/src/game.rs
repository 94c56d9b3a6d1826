//! The Python class `Game`: a game that is played move by move, or read from a record.

use crate::errors::raised;
use crate::position::{Position, Rules, game_or_pentago};
use pentago_games::{FORMATS, KINDS, Note, Record};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

/// A game from its start to the current position.
///
/// The game begins with the position ``start``, or with the starting position under ``rules``.
/// ``push`` makes a move, and ``pop`` takes back the last move. ``to_record`` and ``from_record``
/// write and read the game as text, with tags, numbered moves, marks and comments.
///
/// >>> game = Game()
/// >>> game.push("c4/2+")
/// >>> game.moves
/// ['c4/2+']
#[pyclass(module = "pentago_solver")]
pub struct Game {
    record: Record,
}

impl Game {
    /// Returns the note on the move with the index `ply`. A negative index counts from the last
    /// move.
    fn note_of(&mut self, ply: isize) -> PyResult<&mut Note> {
        let count = self.record.moves().len();
        let at = if ply < 0 { ply.checked_add_unsigned(count) } else { Some(ply) };
        let at = at.and_then(|at| usize::try_from(at).ok()).filter(|&at| at < count);
        let note = at.and_then(|at| self.record.note_mut(at));
        note.ok_or_else(|| PyIndexError::new_err(format!("there is no move {ply}: the game has {count}")))
    }
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (rules = None, start = None))]
    fn new(rules: Option<&Bound<'_, PyAny>>, start: Option<Position>) -> PyResult<Game> {
        let (game, start) = match (rules, start) {
            (Some(_), Some(_)) => {
                return Err(PyValueError::new_err(
                    "give either rules or a start: a position has rules of its own",
                ));
            }
            (_, Some(start)) => (start.game, start.inner),
            (rules, None) => {
                let game = game_or_pentago(rules)?;
                let start = game.start();
                (game, start)
            }
        };
        Ok(Game { record: Record::new(game, start) })
    }

    /// Reads a game from text, in any format that ``pentago convert`` reads.
    ///
    /// Raises ValueError if a line cannot be parsed or played. The message names the first such
    /// line.
    #[staticmethod]
    fn from_record(text: &str) -> PyResult<Game> {
        Ok(Game { record: Record::read(KINDS, text).map_err(raised)? })
    }

    /// Writes the game as text. ``form`` selects the format of another program: ``openspiel``,
    /// ``numbers`` (of perfect-pentago.net) or ``pente.org``.
    ///
    /// Raises ValueError if there is no such format, if the format cannot represent the game, or if
    /// tags and comments make the text longer than 64 KiB.
    #[pyo3(signature = (form = None))]
    fn to_record(&self, form: Option<&str>) -> PyResult<String> {
        let Some(name) = form else { return self.record.write().map_err(raised) };
        let format = FORMATS.into_iter().find(|format| format.name == name);
        let format =
            format.ok_or_else(|| PyValueError::new_err(format!("{name}: there is no such format")))?;
        (format.write)(&self.record).map_err(raised)
    }

    /// The rules of the game.
    #[getter]
    fn rules(&self) -> Rules {
        Rules { game: self.record.game().clone() }
    }

    /// The position with which the game began.
    #[getter]
    fn start(&self) -> Position {
        Position { game: self.record.game().clone(), inner: self.record.start().clone() }
    }

    /// The current position.
    #[getter]
    fn position(&self) -> Position {
        Position { game: self.record.game().clone(), inner: self.record.position().clone() }
    }

    /// The moves from the start to the current position.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.record.moves().map(str::to_owned).collect()
    }

    /// The legal moves in the current position. The list is empty if the game is over.
    #[getter]
    fn legal_moves(&self) -> Vec<String> {
        match self.record.over() {
            Some(_) => Vec::new(),
            None => self.record.game().moves(self.record.position()),
        }
    }

    /// The letters of the seats that have won, such as ``x``, or ``draw``. None if the game is not
    /// over.
    #[getter]
    fn result(&self) -> Option<String> {
        let over = self.record.over()?;
        Some(if over.winners.is_empty() { "draw".to_owned() } else { over.winners.clone() })
    }

    /// Makes a move in the current position.
    ///
    /// Raises ValueError if the move is illegal or the game is over.
    fn push(&mut self, r#move: &str) -> PyResult<()> {
        self.record.play(r#move).map_err(raised)
    }

    /// Takes back the last move and returns it. If a player has resigned after this move, the
    /// resignation is removed as well.
    ///
    /// Raises IndexError if no move was made.
    fn pop(&mut self) -> PyResult<String> {
        let last = self.record.moves().last().map(str::to_owned);
        let last = last.ok_or_else(|| PyIndexError::new_err("there is no move to take back"))?;
        if self.record.ended_early() {
            self.record.take_back();
        }
        self.record.take_back();
        Ok(last)
    }

    /// Ends the game by resignation of the side to move.
    ///
    /// Raises ValueError if the game is over, or if it has more than two sides.
    fn resign(&mut self) -> PyResult<()> {
        let why = "no side can resign: the game is over, or it has more than two sides";
        if self.record.resign() { Ok(()) } else { Err(PyValueError::new_err(why)) }
    }

    /// The tags of the record, such as players, site and date. Each tag is a pair of name and
    /// value.
    #[getter]
    fn tags(&self) -> Vec<(String, String)> {
        self.record.tags.clone()
    }

    #[setter]
    fn set_tags(&mut self, tags: Vec<(String, String)>) {
        self.record.tags = tags;
    }

    /// Returns the marks and the comment on the move with the index ``ply``. Marks are the numbers
    /// (NAGs) that PGN defines. A negative index counts from the last move.
    ///
    /// Raises IndexError if there is no such move.
    fn note(&mut self, ply: isize) -> PyResult<(Vec<u16>, String)> {
        let Note { marks, comment } = self.note_of(ply)?.clone();
        Ok((marks.into_iter().map(u16::from).collect(), comment))
    }

    /// Sets the comment and the marks on the move with the index ``ply``. The marks are 1 (good), 2
    /// (bad), 3 (very good), 4 (very bad), 5 (interesting) and 6 (doubtful).
    ///
    /// Raises IndexError if there is no such move.
    #[pyo3(signature = (ply, comment = "", marks = None))]
    fn annotate(&mut self, ply: isize, comment: &str, marks: Option<Vec<u8>>) -> PyResult<()> {
        let (comment, marks) = (comment.to_owned(), marks.unwrap_or_default());
        *self.note_of(ply)? = Note { marks, comment };
        Ok(())
    }

    fn __len__(&self) -> usize {
        self.record.moves().len()
    }

    fn __str__(&self) -> PyResult<String> {
        self.record.write().map_err(raised)
    }

    fn __repr__(&self) -> String {
        let (rules, moves) = (self.record.game().rules(), self.record.moves().len());
        format!("<Game of {rules}, {moves} moves>")
    }
}
