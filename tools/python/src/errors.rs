//! Converts errors of the library to Python exceptions.

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

/// Converts an error to the Python exception for its kind. The exception has the message of the
/// error.
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
