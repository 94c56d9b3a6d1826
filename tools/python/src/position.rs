//! The Python classes `Rules` and `Position`. The classes share a file because each has methods
//! that return the other class.

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
/// ``text`` is the name of a preset, optionally followed by a colon and options: ``pentago``,
/// ``pentago-fi``, ``pentago:dir=cw,last=stop``, ``mini:k=3``, ``xl:seats=4``,
/// ``pente:n=5,k=4,opening=free``. ``Rules.presets()`` lists the presets.
///
/// >>> Rules("pentago:dir=cw")
/// Rules('pentago-eu')
#[pyclass(frozen, eq, from_py_object, module = "pentago_solver")]
#[derive(Clone)]
pub struct Rules {
    /// The game, which contains the rules.
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
        Rules { game: game.expect("the rules of Pentago parse") }
    }
}

/// Returns a hash of a value, for the Python method `__hash__`.
fn hash_of(value: &impl Hash) -> u64 {
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

    /// Lists the names of the presets of one game (``pentago``, ``xl`` or ``pente``). If ``game``
    /// is None, lists the presets of all games.
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

    /// The number of rows and the number of columns of the board.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        let board = self.game.board();
        (board.rows, board.columns)
    }

    /// The number of rows of the board.
    #[getter]
    fn size(&self) -> usize {
        self.game.board().rows
    }

    /// The letters of the seats, in the order of turns: ``xo``, or ``abcd``.
    #[getter]
    fn seats(&self) -> String {
        self.game.board().seats()
    }

    /// Returns the position in which the game starts.
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

/// Returns the game that a Python argument describes: a `Rules` object or a string. Returns `None`
/// if the argument is missing or None.
///
/// Raises TypeError for another type, and ValueError for an invalid string.
pub fn game(any: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Arc<dyn Game>>> {
    let Some(any) = any else { return Ok(None) };
    if let Ok(rules) = any.cast::<Rules>() {
        return Ok(Some(rules.get().game.clone()));
    }
    match any.extract::<String>() {
        Ok(text) => Ok(Some(read_rules(&text).map_err(raised)?)),
        Err(_) => Err(PyTypeError::new_err("rules must be Rules, or a string such as 'pentago-fi'")),
    }
}

/// Returns the game that a Python argument describes, as [`game`] does, or Pentago if there is no
/// argument.
pub fn game_or_pentago(any: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<dyn Game>> {
    match game(any)? {
        Some(game) => Ok(game),
        None => read_rules("pentago").map_err(raised),
    }
}

/// Returns the rules that a Python argument describes, which must be rules of Pentago or
/// Mini-Pentago. Returns `None` if there is no argument.
///
/// Raises ValueError for another game.
pub fn rules(any: Option<&Bound<'_, PyAny>>) -> PyResult<Option<pentago::Rules>> {
    game(any)?.map(|game| pentago_rules(&*game)).transpose()
}

/// Returns the rules of a game, which must be Pentago or Mini-Pentago.
///
/// Raises ValueError for another game.
pub fn pentago_rules(game: &dyn Game) -> PyResult<pentago::Rules> {
    game.rules().parse().map_err(|_| {
        let title = game.kind().title;
        PyValueError::new_err(format!(
            "{title} is not supported here, only Pentago and Mini-Pentago are: use Solver.solve"
        ))
    })
}

/// An immutable position: a board and the side to move, under some rules.
///
/// ``text`` lists the rows from the top, then the side to move. A digit stands for a run of empty
/// sockets. The word ``turn`` follows if the marble of a move has been placed and the turn of the
/// move is pending. The other notations of each game are also accepted. The default for ``rules``
/// is the first preset that can parse the text: Pentago, Mini-Pentago for a board with four rows,
/// or Pentago XL for a board with nine rows.
///
/// >>> Position("6/6/6/6/6/6 x").play("c4/2+")
/// Position('6/6/2X3/6/6/6 o')
#[pyclass(frozen, eq, from_py_object, module = "pentago_solver")]
#[derive(Clone)]
pub struct Position {
    /// The game, which contains the rules.
    pub game: Arc<dyn Game>,
    /// The position, in the representation of the game's library.
    pub inner: pentago_games::Position,
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.inner.text == other.inner.text && self.game.rules() == other.game.rules()
    }
}

/// Returns the letters of the seats that have won, such as `x`. Returns `draw` if no seat has won.
fn outcome_text(ending: Ending) -> String {
    if ending.winners.is_empty() { "draw".to_owned() } else { ending.winners }
}

/// Parses a position under the first preset that accepts the text.
fn implied(text: &str) -> PyResult<Position> {
    let presets = KINDS.iter().flat_map(|kind| kind.presets);
    let mut refused = None;
    for preset in presets {
        let game = read_rules(preset.name).map_err(raised)?;
        match game.read(text) {
            Ok(inner) => return Ok(Position { game, inner }),
            // If every preset fails, raise the error of the first preset, which is Pentago, because
            // most texts are meant as positions of Pentago.
            Err(error) => _ = refused.get_or_insert(error),
        }
    }
    Err(raised(refused.expect("there is a preset")))
}

impl Position {
    /// Parses a position in the notation of a given game.
    pub fn written(game: &Arc<dyn Game>, text: &str) -> PyResult<Position> {
        Ok(Position { game: game.clone(), inner: game.read(text).map_err(raised)? })
    }

    /// Returns the rules and the position in the form that Pentago's tables use.
    ///
    /// Raises ValueError if the position belongs to another game.
    pub fn pentago(&self) -> PyResult<(pentago::Rules, pentago::Position)> {
        let rules = pentago_rules(&*self.game)?;
        Ok((rules, *self.inner.parsed().map_err(raised)?))
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

    /// Creates a position from an int8 array with the contents of the sockets. The array has the
    /// shape of the board ((6, 6) for Pentago), and lists the rows from the top. 0 is an empty
    /// socket, 1 is a marble of the first seat, and 2 is a marble of the second seat. If
    /// ``pending`` is true, the marble of a move has been placed, and the turn of the move is
    /// pending.
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

    /// The contents of the sockets, as a new int8 array with the shape of the board ((6, 6) for
    /// Pentago). Rows are listed from the top. 0 is an empty socket, 1 is a marble of the first
    /// seat (X), and 2 is a marble of the second seat (O).
    #[getter]
    fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i8>>> {
        let board = self.game.board();
        PyArray1::from_vec(py, self.game.cells(&self.inner)).reshape([board.rows, board.columns])
    }

    /// The rules of the game.
    #[getter]
    fn rules(&self) -> Rules {
        Rules { game: self.game.clone() }
    }

    /// The number of marbles on the board.
    #[getter]
    fn marbles(&self) -> usize {
        self.inner.marbles
    }

    /// The letter of the seat to move: ``x`` or ``o``, or in Pentago XL ``a``, ``b``, ``c`` or
    /// ``d``.
    #[getter]
    fn to_move(&self) -> String {
        self.inner.to_move.to_string()
    }

    /// True if the marble of the current move has been placed and the turn of the move is pending.
    #[getter]
    fn pending(&self) -> bool {
        self.inner.pending
    }

    /// The letter of the winner, such as ``x`` or ``o``, or ``draw``. None if the game isn't over.
    /// Under rules with ``reply=place``, the outcome can depend on the last move, which a position
    /// doesn't store. In this case, use ``outcome_of``.
    #[getter]
    fn outcome(&self) -> Option<String> {
        self.inner.over.clone().map(outcome_text)
    }

    /// Returns the outcome of the game after a move: the letter of the winner, such as ``x`` or
    /// ``o``, or ``draw``. Returns None if the game continues.
    ///
    /// Raises ValueError if the move is illegal.
    #[pyo3(name = "outcome_of")]
    fn outcome_of(&self, r#move: &str) -> PyResult<Option<String>> {
        Ok(self.played(r#move)?.over.map(outcome_text))
    }

    /// Lists all legal moves. For example, ``c4/2+`` places a marble on c4, then turns quadrant 2
    /// clockwise. The list is empty if the game is over.
    fn moves(&self) -> Vec<String> {
        self.game.moves(&self.inner)
    }

    /// Returns the position that results from a move.
    ///
    /// Raises ValueError if the move is illegal.
    fn play(&self, r#move: &str) -> PyResult<Position> {
        Position::written(&self.game, &self.played(r#move)?.text)
    }

    /// Returns the number of sequences of ``depth`` moves from this position. A sequence that ends
    /// the game earlier is counted as well.
    fn perft(&self, py: Python<'_>, depth: u32) -> u64 {
        py.detach(|| self.game.perft(&self.inner, depth))
    }

    /// Returns the canonical image of this position: the least of all positions that are symmetric
    /// to it.
    fn canonical(&self) -> PyResult<Position> {
        match self.game.symmetries(&self.inner).first() {
            Some(orbit) => Position::written(&self.game, &orbit.canonical),
            None => Ok(self.clone()),
        }
    }

    /// Returns the board drawn as text, with coordinates.
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

/// Draws ``count`` random positions with the given number of marbles in which the game isn't over.
/// Equal seeds produce equal positions on every machine. If ``quiet`` is true, no position has a
/// move that wins immediately.
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
