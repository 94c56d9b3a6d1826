//! The rules.

use crate::errors::raised;
use crate::position::Position;
use pentago_games::{Game, KINDS, read_rules};
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
