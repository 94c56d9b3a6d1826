//! Converts sizes, thread counts and arrays from Python.

use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::num::NonZeroUsize;

/// A size in bytes. Python programs pass a number, or a string such as `8G` or `1.5GiB`.
pub struct Size(pub u64);

impl<'a, 'py> FromPyObject<'a, 'py> for Size {
    type Error = PyErr;

    fn extract(any: Borrowed<'a, 'py, PyAny>) -> PyResult<Size> {
        let wrong = || {
            let shown = any.repr().map_or_else(|_| "this".to_owned(), |repr| repr.to_string());
            format!(
                "{shown} is not a size: expected a number of bytes, or a string such as '500M', '8G' or '1.5GiB'"
            )
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

/// Checks that a number of threads is between 1 and 4096. `None` stands for one thread per core.
///
/// Raises ValueError for any other number.
pub fn threads(threads: Option<usize>) -> PyResult<Option<NonZeroUsize>> {
    let text = "threads must be a number from 1 to 4096, or None for one per core";
    threads
        .map(|n| NonZeroUsize::new(n).filter(|n| n.get() <= 4096).ok_or_else(|| PyValueError::new_err(text)))
        .transpose()
}

/// Copies the cells of an int8 array that contains boards, row by row. If `one` is true, the array
/// has the shape `(rows, columns)`, otherwise the shape `(n, rows, columns)`.
///
/// Raises TypeError for another type or dtype, and ValueError for another shape.
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
    // Copy the array, because another thread may write to it while the interpreter is released.
    let readonly = array.try_readonly().map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(match readonly.as_slice() {
        // `as_slice` also returns arrays in Fortran order, whose cells are not listed row by row.
        Ok(cells) if array.is_c_contiguous() => cells.to_vec(),
        _ => readonly.as_array().iter().copied().collect(),
    })
}
