//! Sizes, rules and arrays as Python gives them.

use crate::errors::raised;
use crate::rules::Rules;
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pentago_games::{Game, read_rules};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Bytes: a number, or a text such as `8G` or `1.5GiB`.
pub struct Size(u64);

impl Size {
    /// The bytes.
    pub fn bytes(&self) -> u64 {
        self.0
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Size {
    type Error = PyErr;

    fn extract(any: Borrowed<'a, 'py, PyAny>) -> PyResult<Size> {
        let wrong = || {
            let shown = any.repr().map_or_else(|_| "this".to_owned(), |repr| repr.to_string());
            format!("{shown} is no size: expected bytes, or a text such as '500M', '8G' or '1.5GiB'")
        };
        let Ok(text) = any.extract::<String>() else {
            return any.extract::<u64>().map(Size).map_err(|error| {
                let number = error.is_instance_of::<PyOverflowError>(any.py());
                if number { PyValueError::new_err(wrong()) } else { PyTypeError::new_err(wrong()) }
            });
        };
        pentago_memory::parse_size(&text).map(Size).map_err(|_| PyValueError::new_err(wrong()))
    }
}

/// A number of threads.
pub fn threads(threads: Option<usize>) -> PyResult<Option<NonZeroUsize>> {
    let text = "threads must be a number from 1 to 4096, or None for one per processor";
    threads
        .map(|n| NonZeroUsize::new(n).filter(|n| n.get() <= 4096).ok_or_else(|| PyValueError::new_err(text)))
        .transpose()
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

/// The cells of an array of int8 with boards of a number of rows and columns: `(n, rows, columns)`, or
/// with `one` `(rows, columns)`.
pub fn cells(any: &Bound<'_, PyAny>, (rows, columns): (usize, usize), one: bool) -> PyResult<Vec<i8>> {
    let Ok(array) = any.cast::<PyArrayDyn<i8>>() else {
        let found = match any.getattr("dtype") {
            Ok(dtype) => format!("an array of {dtype}"),
            Err(_) => any.get_type().name()?.to_string(),
        };
        return Err(PyTypeError::new_err(format!("expected a numpy array of int8, not {found}")));
    };
    let fits = match array.shape() {
        [a, b] if one => (*a, *b) == (rows, columns),
        [_, a, b] if !one => (*a, *b) == (rows, columns),
        _ => false,
    };
    if !fits {
        let n = if one { "" } else { "n, " };
        let text = format!("expected an array of shape ({n}{rows}, {columns}), not {:?}", array.shape());
        return Err(PyValueError::new_err(text));
    }
    // A copy: another thread may write to the array while the interpreter is released.
    let readonly = array.try_readonly().map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(match readonly.as_slice() {
        // A slice of Fortran's order is one, too, but in another order.
        Ok(cells) if array.is_c_contiguous() => cells.to_vec(),
        _ => readonly.as_array().iter().copied().collect(),
    })
}
