//! The errors of this crate.

use ::pentago::{Error, ErrorKind};

/// The result type of this crate. The kinds of its errors are stable.
pub type Result<T> = std::result::Result<T, Error>;

/// Returns the error for invalid input. `text` describes what would be valid.
pub(crate) fn bad_input(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Input, text.into())
}

/// Returns the error for data that doesn't exist, with this text.
pub(crate) fn missing(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Missing, text.into())
}

/// Returns the error for search tables that can't be allocated.
pub(crate) fn out_of_memory(error: impl std::error::Error) -> Error {
    let advice = "lower --memory, or raise the limit of the system (`ulimit -v`)";
    Error::new(ErrorKind::Environment, format!("not enough memory: {error}\n  {advice}"))
}
