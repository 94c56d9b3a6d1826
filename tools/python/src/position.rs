//! Rules and positions: each refers to the other.

use crate::arguments;
use crate::errors::raised;
use crate::picture;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pentago_games::{Draw, Ending, Game, KINDS, read_rules};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// The rules of a game: a preset, or a preset with options.
///
/// The text is the name of a preset, with or without options: ``pentago``, ``pentago-fi``,
/// ``pentago:dir=cw,last=stop``, ``mini:k=3``, ``xl:seats=4``, ``pente:n=5,k=4,opening=free``.
/// ``Rules.presets()`` lists the presets.
///
/// >>> Rules("pentago:dir=cw")
/// Rules('pentago-eu')
#[pyclass(frozen, eq, from_py_object, module = "pentago_solver")]
#[derive(Clone)]
pub struct Rules {
    /// The game that is played by them.
    pub game: Arc<dyn Game>,
}

impl PartialEq for Rules {
    fn eq(&self, other: &Rules) -> bool {
        self.game.rules() == other.game.rules()
    }
}

impl From<pentago::Rules> for Rules {
    fn from(rules: pentago::Rules) -> Rules {
        let game = read_rules(&rules.to_string());
        Rules { game: game.expect("the text of rules can be read") }
    }
}

/// The hash of a value, as Python wants it.
pub fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[pymethods]
impl Rules {
    #[new]
    #[pyo3(signature = (text = "pentago"))]
    fn new(text: &str) -> PyResult<Rules> {
        Ok(Rules { game: read_rules(text).map_err(raised)? })
    }

    /// The names of the presets: those of one game (``pentago``, ``xl`` or ``pente``), or all.
    #[staticmethod]
    #[pyo3(signature = (game = None))]
    fn presets(game: Option<&str>) -> Vec<&'static str> {
        let kinds = KINDS.iter().filter(|kind| game.is_none_or(|name| name == kind.name));
        kinds.flat_map(|kind| kind.presets).map(|preset| preset.name).collect()
    }

    /// The name of the game, such as ``Pentago XL``.
    #[getter]
    fn title(&self) -> &'static str {
        self.game.kind().title
    }

    /// The rows and columns of the board.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        let board = self.game.board();
        (board.rows, board.columns)
    }

    /// The rows of the board.
    #[getter]
    fn size(&self) -> usize {
        self.game.board().rows
    }

    /// The seats in the order of their turns: ``xo``, or ``abcd``.
    #[getter]
    fn seats(&self) -> String {
        self.game.board().seats()
    }

    /// The position before the first move.
    fn start(&self) -> Position {
        Position { game: self.game.clone(), inner: self.game.start() }
    }

    fn __str__(&self) -> String {
        self.game.rules()
    }

    fn __repr__(&self) -> String {
        format!("Rules('{}')", self.game.rules())
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.game.rules())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Rules>(), (self.game.rules(),).into_pyobject(py)?))
    }
}

/// The game of rules: an object of that class, or their text; none where none were given.
pub fn game(any: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Arc<dyn Game>>> {
    let Some(any) = any else { return Ok(None) };
    if let Ok(rules) = any.cast::<Rules>() {
        return Ok(Some(rules.get().game.clone()));
    }
    match any.extract::<String>() {
        Ok(text) => Ok(Some(read_rules(&text).map_err(raised)?)),
        Err(_) => Err(PyTypeError::new_err("rules must be Rules or their text, such as 'pentago-fi'")),
    }
}

/// The same, or Pentago where none were given.
pub fn game_or_pentago(any: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<dyn Game>> {
    match game(any)? {
        Some(game) => Ok(game),
        None => read_rules("pentago").map_err(raised),
    }
}

/// The rules of tables of Pentago, which are read as arrays; none where none were given.
pub fn rules(any: Option<&Bound<'_, PyAny>>) -> PyResult<Option<pentago::Rules>> {
    game(any)?.map(|game| pentago_rules(&*game)).transpose()
}

/// The rules of a game of Pentago.
pub fn pentago_rules(game: &dyn Game) -> PyResult<pentago::Rules> {
    game.rules().parse().map_err(|_| {
        let title = game.kind().title;
        PyValueError::new_err(format!(
            "this is for Pentago and Mini-Pentago: {title} is played, and solved by Solver.solve"
        ))
    })
}

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
        let rules = pentago_rules(&*self.game)?;
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
        match game(rules)? {
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
        let game = game_or_pentago(rules)?;
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
        picture::svg(&self.game, &self.inner)
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
    let game = game_or_pentago(rules)?;
    let draw = Draw { marbles, seed, quiet };
    let drawn = py.detach(|| game.random(&draw)?.take(count).collect::<Result<Vec<_>, _>>());
    Ok(drawn.map_err(raised)?.into_iter().map(|inner| Position { game: game.clone(), inner }).collect())
}
