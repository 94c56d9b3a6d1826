//! Positions.

use crate::arguments;
use crate::errors::raised;
use crate::picture;
use crate::rules::{Rules, hash_of};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pentago::rules::random;
use pentago::symmetry::Group;
use pentago::{Color, Outcome};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

/// A board with the side to move, under some rules. It can't be changed.
///
/// The text is rows from the top, with digits for runs of empty sockets, then the side to move, and
/// ``turn`` while the marble of a move has been placed and its turn is still to come. Diagrams and
/// strings of 36 characters are read, too. Without ``rules`` they are those of Pentago, or for a
/// board of four rows those of Mini-Pentago.
///
/// >>> Position("6/6/6/6/6/6 x").play("c4/2+")
/// Position('6/6/2X3/6/6/6 o')
#[pyclass(frozen, eq, from_py_object, module = "pentago")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The rules that it is played by.
    pub rules: pentago::Rules,
    /// The library's.
    pub inner: pentago::Position,
}

fn side(color: Color) -> String {
    color.letter().to_string()
}

/// `x`, `o` or `draw`.
fn outcome_text(outcome: Outcome) -> String {
    match outcome {
        Outcome::Win(winner) => side(winner),
        Outcome::Draw => "draw".to_owned(),
    }
}

impl Position {
    fn played(&self, mv: &str) -> PyResult<pentago::rules::Played> {
        let mv = self.rules.parse_move(mv).map_err(raised)?;
        self.rules.play(&self.inner, mv).map_err(raised)
    }

    /// The rules, if they aren't those that the text alone stands for.
    fn other_rules(&self) -> Option<String> {
        let implied = self.inner.to_string().parse::<pentago::Position>();
        let implied = match implied.map(|p| p.shape()) {
            Ok(pentago::rules::Shape::Pentago) => pentago::Rules::default(),
            _ => pentago::Rules::mini(),
        };
        (implied != self.rules).then(|| self.rules.to_string())
    }
}

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (text, rules = None))]
    fn new(text: &str, rules: Option<&Bound<'_, PyAny>>) -> PyResult<Position> {
        match arguments::rules(rules)? {
            Some(rules) => {
                let inner = rules.parse_position(text).map_err(raised)?;
                Ok(Position { rules, inner })
            }
            None => {
                let inner: pentago::Position =
                    text.parse().map_err(|error: pentago::ParseError| raised(error))?;
                let pentago = inner.shape() == pentago::rules::Shape::Pentago;
                let rules = if pentago { pentago::Rules::default() } else { pentago::Rules::mini() };
                Ok(Position { rules, inner })
            }
        }
    }

    /// The position with these sockets: an array of int8 with shape (6, 6), or (4, 4) by the rules
    /// of Mini-Pentago, rows from the top; 0 is empty, 1 holds a marble of X, 2 one of O. With
    /// ``pending`` the marble of a move has been placed and its turn is still to come.
    #[staticmethod]
    #[pyo3(signature = (array, rules = None, pending = false))]
    fn from_array(
        array: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyAny>>,
        pending: bool,
    ) -> PyResult<Position> {
        let rules = arguments::rules(rules)?.unwrap_or_default();
        let cells = arguments::cells(array, rules.shape, true)?;
        let inner = pentago::Position::from_cells(rules.shape, &cells, pending).map_err(raised)?;
        Ok(Position { rules, inner })
    }

    /// The sockets as a new array of int8 with shape (6, 6), or (4, 4), rows from the top: 0 is
    /// empty, 1 holds a marble of X, 2 one of O.
    #[getter]
    fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i8>>> {
        let side = self.inner.shape().size();
        PyArray1::from_iter(py, self.inner.cells()).reshape([side, side])
    }

    /// The rules that it is played by.
    #[getter]
    fn rules(&self) -> Rules {
        self.rules.into()
    }

    /// The number of marbles.
    #[getter]
    fn marbles(&self) -> u32 {
        self.inner.marbles()
    }

    /// The side to move: ``x`` or ``o``.
    #[getter]
    #[expect(clippy::wrong_self_convention, reason = "a getter is called with a reference")]
    fn to_move(&self) -> String {
        side(self.inner.to_move())
    }

    /// Whether the marble of this move has been placed and its turn is still to come.
    #[getter]
    fn pending(&self) -> bool {
        self.inner.pending()
    }

    /// Who has won, ``x`` or ``o``, or ``draw``; None if the game isn't over. By rules with
    /// ``reply=place`` the position alone doesn't tell how its line was made; ``outcome_of`` does.
    #[getter]
    fn outcome(&self) -> Option<String> {
        self.rules.outcome(&self.inner).map(outcome_text)
    }

    /// How a move ends the game: ``x`` or ``o`` for who wins, or ``draw``; None if it goes on.
    ///
    /// Raises ValueError if the move is illegal.
    #[pyo3(name = "outcome_of")]
    fn outcome_of(&self, r#move: &str) -> PyResult<Option<String>> {
        Ok(self.played(r#move)?.outcome.map(outcome_text))
    }

    /// All legal moves, such as ``c4/2+``: a marble on c4, then quadrant 2 turns clockwise. None if
    /// the game is over.
    fn moves(&self) -> Vec<String> {
        self.rules.moves(&self.inner).into_iter().map(|mv| self.rules.format_move(mv)).collect()
    }

    /// The position after a move.
    ///
    /// Raises ValueError if the move is illegal.
    fn play(&self, r#move: &str) -> PyResult<Position> {
        Ok(Position { inner: self.played(r#move)?.position, ..*self })
    }

    /// The least of the positions that are the same but for the symmetries of the board: 8, or the
    /// 4 rotations where quadrants turn in one direction only.
    fn canonical(&self) -> Position {
        Position { inner: self.inner.canonical(Group::whole_board(self.rules.dir)), ..*self }
    }

    /// The board with coordinates, on several lines.
    fn diagram(&self) -> String {
        self.rules.diagram(&self.inner)
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __repr__(&self) -> String {
        match self.other_rules() {
            None => format!("Position('{}')", self.inner),
            Some(rules) => format!("Position('{}', '{rules}')", self.inner),
        }
    }

    fn _repr_svg_(&self) -> String {
        picture::svg(&self.inner)
    }

    fn __hash__(&self) -> u64 {
        hash_of(self)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        let arguments = (self.inner.to_string(), self.rules.to_string());
        Ok((py.get_type::<Position>(), arguments.into_pyobject(py)?))
    }
}

/// Random positions of unfinished games: uniform over all boards with this number of marbles, X's half
/// rounded up, the same from the same seed on every machine. With ``quiet``, only those in which no
/// move wins at once.
///
/// Raises ValueError if there are no such positions.
#[pyfunction]
#[pyo3(signature = (marbles, count, seed = 0, rules = None, quiet = false))]
pub fn random_positions(
    py: Python<'_>,
    marbles: u32,
    count: usize,
    seed: u64,
    rules: Option<&Bound<'_, PyAny>>,
    quiet: bool,
) -> PyResult<Vec<Position>> {
    let rules = arguments::rules(rules)?.unwrap_or_default();
    let positions = py.detach(|| random::positions(&rules, marbles, count, seed, quiet)).map_err(raised)?;
    Ok(positions.into_iter().map(|inner| Position { rules, inner }).collect())
}
