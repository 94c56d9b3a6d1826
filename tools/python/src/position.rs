//! Positions.

use crate::arguments;
use crate::errors::raised;
use crate::picture;
use crate::rules::{Rules, hash_of};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pentago_games::{Draw, Ending, Game, KINDS, read_rules};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use std::sync::Arc;

/// A board with the side to move, under some rules. It can't be changed.
///
/// The text is rows from the top, with digits for runs of empty sockets, then the side to move, and
/// ``turn`` while the marble of a move has been placed and its turn is still to come. The other
/// notations of each game are read, too. Without ``rules`` they are the first preset that can read
/// the text: Pentago, for a board of four rows Mini-Pentago, for nine rows Pentago XL.
///
/// >>> Position("6/6/6/6/6/6 x").play("c4/2+")
/// Position('6/6/2X3/6/6/6 o')
#[pyclass(frozen, eq, from_py_object, module = "pentago_solver")]
#[derive(Clone)]
pub struct Position {
    /// The game with its rules.
    pub game: Arc<dyn Game>,
    /// The position as that game has read it.
    pub inner: pentago_games::Position,
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.inner.text == other.inner.text && self.game.rules() == other.game.rules()
    }
}

/// The seats that have won, such as `x`, or `draw`.
fn outcome_text(ending: Ending) -> String {
    if ending.winners.is_empty() { "draw".to_owned() } else { ending.winners }
}

/// The game by the first preset that can read a position.
fn implied(text: &str) -> PyResult<Position> {
    let presets = KINDS.iter().flat_map(|kind| kind.presets);
    let mut refused = None;
    for preset in presets {
        let game = read_rules(preset.name).map_err(raised)?;
        match game.read(text) {
            Ok(inner) => return Ok(Position { game, inner }),
            // What the first one says is told, since Pentago is what most positions are of.
            Err(error) => _ = refused.get_or_insert(error),
        }
    }
    Err(raised(refused.expect("there is a preset")))
}

impl Position {
    /// A position that a game has written.
    pub fn written(game: &Arc<dyn Game>, text: &str) -> PyResult<Position> {
        Ok(Position { game: game.clone(), inner: game.read(text).map_err(raised)? })
    }

    /// The rules and the position as tables of Pentago have them.
    ///
    /// Raises ValueError if the position is one of another game.
    pub fn pentago(&self) -> PyResult<(pentago::Rules, pentago::Position)> {
        let rules = arguments::pentago_rules(&*self.game)?;
        Ok((rules, rules.parse_position(&self.inner.text).map_err(raised)?))
    }

    fn played(&self, mv: &str) -> PyResult<pentago_games::Position> {
        self.game.play(&self.inner, mv).map_err(raised)
    }
}

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (text, rules = None))]
    fn new(text: &str, rules: Option<&Bound<'_, PyAny>>) -> PyResult<Position> {
        match arguments::game(rules)? {
            Some(game) => Position::written(&game, text),
            None => implied(text),
        }
    }

    /// The position with these sockets: an array of int8 with the shape of the board, (6, 6) for
    /// Pentago, rows from the top; 0 is empty, 1 holds a marble of the first seat, 2 one of the
    /// second. With ``pending`` the marble of a move has been placed and its turn is still to come.
    #[staticmethod]
    #[pyo3(signature = (array, rules = None, pending = false))]
    fn from_array(
        array: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyAny>>,
        pending: bool,
    ) -> PyResult<Position> {
        let game = arguments::game_or_pentago(rules)?;
        let board = game.board();
        let cells = arguments::cells(array, (board.rows, board.columns), true)?;
        let inner = game.from_cells(&cells, pending).map_err(raised)?;
        Ok(Position { game, inner })
    }

    /// The sockets as a new array of int8 with the shape of the board, (6, 6) for Pentago, rows from
    /// the top: 0 is empty, 1 holds a marble of the first seat (X), 2 one of the second (O).
    #[getter]
    fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i8>>> {
        let board = self.game.board();
        PyArray1::from_vec(py, self.game.cells(&self.inner)).reshape([board.rows, board.columns])
    }

    /// The rules that it is played by.
    #[getter]
    fn rules(&self) -> Rules {
        Rules { game: self.game.clone() }
    }

    /// The number of marbles.
    #[getter]
    fn marbles(&self) -> usize {
        self.inner.marbles
    }

    /// The seat to move: ``x`` or ``o``, or a letter from ``a`` on for Pentago XL.
    #[getter]
    fn to_move(&self) -> String {
        self.inner.to_move.to_string()
    }

    /// Whether the marble of this move has been placed and its turn is still to come.
    #[getter]
    fn pending(&self) -> bool {
        self.inner.pending
    }

    /// Who has won, ``x`` or ``o``, or ``draw``; None if the game isn't over. By rules with
    /// ``reply=place`` the position alone doesn't tell how its line was made; ``outcome_of`` does.
    #[getter]
    fn outcome(&self) -> Option<String> {
        self.inner.over.clone().map(outcome_text)
    }

    /// How a move ends the game: ``x`` or ``o`` for who wins, or ``draw``; None if it goes on.
    ///
    /// Raises ValueError if the move is illegal.
    #[pyo3(name = "outcome_of")]
    fn outcome_of(&self, r#move: &str) -> PyResult<Option<String>> {
        Ok(self.played(r#move)?.over.map(outcome_text))
    }

    /// All legal moves, such as ``c4/2+``: a marble on c4, then quadrant 2 turns clockwise. None if
    /// the game is over.
    fn moves(&self) -> Vec<String> {
        self.game.moves(&self.inner)
    }

    /// The position after a move.
    ///
    /// Raises ValueError if the move is illegal.
    fn play(&self, r#move: &str) -> PyResult<Position> {
        Position::written(&self.game, &self.played(r#move)?.text)
    }

    /// The number of games of ``depth`` moves, and of those that end earlier.
    fn perft(&self, py: Python<'_>, depth: u32) -> u64 {
        py.detach(|| self.game.perft(&self.inner, depth))
    }

    /// The least of the positions that are the same but for the symmetries of the board.
    fn canonical(&self) -> PyResult<Position> {
        match self.game.symmetries(&self.inner).first() {
            Some(orbit) => Position::written(&self.game, &orbit.canonical),
            None => Ok(self.clone()),
        }
    }

    /// The board with coordinates, on several lines.
    fn diagram(&self) -> String {
        self.game.diagram(&self.inner)
    }

    fn __str__(&self) -> String {
        self.inner.text.clone()
    }

    fn __repr__(&self) -> String {
        let text = &self.inner.text;
        match implied(text) {
            Ok(other) if other == *self => format!("Position('{text}')"),
            _ => format!("Position('{text}', '{}')", self.game.rules()),
        }
    }

    fn _repr_svg_(&self) -> String {
        picture::svg(self)
    }

    fn __hash__(&self) -> u64 {
        hash_of(&(&self.inner.text, self.game.rules()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        let arguments = (self.inner.text.clone(), self.game.rules());
        Ok((py.get_type::<Position>(), arguments.into_pyobject(py)?))
    }
}

/// ``count`` random positions with this number of marbles on which the game isn't over: the same
/// from the same seed on every machine. With ``quiet``, only those in which no move wins at once.
///
/// Raises ValueError if there are no such positions.
#[pyfunction]
#[pyo3(signature = (marbles, count, seed = 0, rules = None, quiet = false))]
pub fn random_positions(
    py: Python<'_>,
    marbles: usize,
    count: usize,
    seed: u64,
    rules: Option<&Bound<'_, PyAny>>,
    quiet: bool,
) -> PyResult<Vec<Position>> {
    let game = arguments::game_or_pentago(rules)?;
    let draw = Draw { marbles, seed, quiet };
    let drawn = py.detach(|| game.random(&draw)?.take(count).collect::<Result<Vec<_>, _>>());
    Ok(drawn.map_err(raised)?.into_iter().map(|inner| Position { game: game.clone(), inner }).collect())
}
