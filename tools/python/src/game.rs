//! A game that is played or was read.

use crate::errors::raised;
use crate::position::{Position, Rules, game_or_pentago};
use pentago_games::{Format, KINDS, Note, Record};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

/// A game from its start to the current position.
///
/// It begins with ``start``, a position, or with the first position of ``rules``. ``push`` and ``pop``
/// make and take back moves; ``to_record`` and ``from_record`` write and read its text, with tags,
/// numbered moves, marks and comments.
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
    /// The note of a move, counted from 0, or from the end.
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
                return Err(PyValueError::new_err("give rules or a start: a position has its rules"));
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

    /// Reads the text of a game, in any form that ``pentago convert`` knows.
    ///
    /// Raises ValueError with the line that can't be read or played.
    #[staticmethod]
    fn from_record(text: &str) -> PyResult<Game> {
        Ok(Game { record: Record::read(KINDS, text).map_err(raised)? })
    }

    /// The text of the game; with ``form`` that of another program: ``openspiel``, ``numbers`` (of
    /// perfect-pentago.net) or ``pente.org``.
    ///
    /// Raises ValueError if that form can't hold the game.
    #[pyo3(signature = (form = None))]
    fn to_record(&self, form: Option<&str>) -> PyResult<String> {
        let Some(name) = form else { return Ok(self.record.write()) };
        let formats = KINDS.iter().flat_map(|kind| kind.formats);
        let write = formats.filter(|format: &&Format| format.name == name).find_map(|format| format.write);
        let write = write.ok_or_else(|| PyValueError::new_err(format!("{name}: there is no such form")))?;
        write(&self.record).map_err(raised)
    }

    /// The rules.
    #[getter]
    fn rules(&self) -> Rules {
        Rules { game: self.record.game().clone() }
    }

    /// The position that it began with.
    #[getter]
    fn start(&self) -> Position {
        Position { game: self.record.game().clone(), inner: self.record.start().clone() }
    }

    /// The current position.
    #[getter]
    fn position(&self) -> Position {
        Position { game: self.record.game().clone(), inner: self.record.position().clone() }
    }

    /// The moves that were made.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.record.moves().map(str::to_owned).collect()
    }

    /// The legal moves; none if the game is over.
    #[getter]
    fn legal_moves(&self) -> Vec<String> {
        match self.record.over() {
            Some(_) => Vec::new(),
            None => self.record.game().moves(self.record.position()),
        }
    }

    /// The seats that have won, such as ``x``, or ``draw``; None while the game goes on.
    #[getter]
    fn result(&self) -> Option<String> {
        let over = self.record.over()?;
        Some(if over.winners.is_empty() { "draw".to_owned() } else { over.winners.clone() })
    }

    /// Makes a move.
    ///
    /// Raises ValueError if it is illegal, or the game is over.
    fn push(&mut self, r#move: &str) -> PyResult<()> {
        self.record.play(r#move).map_err(raised)
    }

    /// Takes the last move back, and gives it. What had ended the game otherwise is forgotten.
    ///
    /// Raises IndexError if there is none.
    fn pop(&mut self) -> PyResult<String> {
        let last = self.record.moves().last().map(str::to_owned);
        let last = last.ok_or_else(|| PyIndexError::new_err("there is no move to take back"))?;
        if self.record.ended_early() {
            self.record.take_back();
        }
        self.record.take_back();
        Ok(last)
    }

    /// The side to move gives the game up.
    ///
    /// Raises ValueError if it is over, or others would play on.
    fn resign(&mut self) -> PyResult<()> {
        let why = "the game is over, or it has more than two sides and the others play on";
        if self.record.resign() { Ok(()) } else { Err(PyValueError::new_err(why)) }
    }

    /// What the text says besides: players, a site, a date.
    #[getter]
    fn tags(&self) -> Vec<(String, String)> {
        self.record.tags.clone()
    }

    #[setter]
    fn set_tags(&mut self, tags: Vec<(String, String)>) {
        self.record.tags = tags;
    }

    /// The marks (as PGN numbers them) and the comment of a move, counted from 0, or from the end.
    ///
    /// Raises IndexError if there is no such move.
    fn note(&mut self, ply: isize) -> PyResult<(Vec<u16>, String)> {
        let Note { marks, comment } = self.note_of(ply)?.clone();
        Ok((marks.into_iter().map(u16::from).collect(), comment))
    }

    /// Sets the comment of a move, and its marks: 1 good, 2 bad, 3 very good, 4 very bad, 5
    /// interesting, 6 doubtful.
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

    fn __str__(&self) -> String {
        self.record.write()
    }

    fn __repr__(&self) -> String {
        let (rules, moves) = (self.record.game().rules(), self.record.moves().len());
        format!("<Game of {rules}, {moves} moves>")
    }
}
