//! Converts errors to the Python exceptions of their kinds.

use pentago::{Error, ErrorKind};
use pyo3::exceptions::{
    PyException, PyKeyboardInterrupt, PyLookupError, PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

pyo3::create_exception!(
    pentago_solver,
    ContradictionError,
    PyRuntimeError,
    "Two computations that must agree differ: a table holds a wrong value."
);

/// Returns the exception for the kind of an error. The message is the error's.
pub fn raised(error: impl Into<Error>) -> PyErr {
    let error = error.into();
    let text = error.to_string();
    match error.kind() {
        ErrorKind::Input => PyValueError::new_err(text),
        ErrorKind::Missing => PyLookupError::new_err(text),
        ErrorKind::Contradiction => ContradictionError::new_err(text),
        ErrorKind::Environment if error.lacks_memory() => PyMemoryError::new_err(text),
        ErrorKind::Environment => PyOSError::new_err(text),
        ErrorKind::Cancelled => PyKeyboardInterrupt::new_err(text),
        _ => PyException::new_err(text),
    }
}
