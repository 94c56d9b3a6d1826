//! The rules.

use crate::errors::raised;
use crate::position::Position;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The rules of a game: a preset, or a preset with options.
///
/// The text is the name of a preset, with or without options: ``pentago``, ``pentago-fi``,
/// ``pentago:dir=cw,last=stop``, ``mini:k=3``. ``Rules.presets()`` lists the presets.
///
/// >>> Rules("pentago:dir=cw")
/// Rules('pentago-eu')
#[pyclass(frozen, eq, module = "pentago")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The library's.
    pub inner: pentago::Rules,
}

impl From<pentago::Rules> for Rules {
    fn from(inner: pentago::Rules) -> Rules {
        Rules { inner }
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
        let inner = text.parse().map_err(|error: pentago::ParseError| raised(error))?;
        Ok(Rules { inner })
    }

    /// The names of the presets.
    #[staticmethod]
    fn presets() -> Vec<&'static str> {
        pentago::Rules::presets().iter().map(|(name, _)| *name).collect()
    }

    /// Sockets along the side of the board: 6 or 4.
    #[getter]
    fn size(&self) -> usize {
        self.inner.shape.size()
    }

    /// The position before the first move.
    fn start(&self) -> Position {
        Position { rules: self.inner, inner: self.inner.start() }
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Rules('{}')", self.inner)
    }

    fn __hash__(&self) -> u64 {
        hash_of(self)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Rules>(), (self.inner.to_string(),).into_pyobject(py)?))
    }
}
