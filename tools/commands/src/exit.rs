//! What the exit status says.

use std::io;

use pentago::published::{Fault, PublishedError};
use pentago::tables::MergeError;
use pentago::verify::counts::CountsError;
use pentago::{Error, ErrorKind};
use pentago_store::{Reason, StoreError};

/// Why the program ended without success, with its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Two computations that must agree do not.
    Verification = 1,
    /// The command line or the input was wrong.
    Usage = 2,
    /// Tables or files are missing, or can't be used; or nothing was found.
    Data = 3,
    /// The machine did not do what it had to: memory, disk, input and output.
    Environment = 4,
    /// Stopped from the keyboard.
    Interrupted = 130,
}

impl Exit {
    /// The status that an error calls for: that of an error of the system about a file, or the first
    /// error in the chain that says something.
    pub fn of(error: &anyhow::Error) -> Exit {
        if let Some((use_of_file, error)) = error.chain().find_map(system) {
            return match (use_of_file, error.kind()) {
                (Use::Read, io::ErrorKind::NotFound) => Exit::Data,
                (Use::Read, kind) if WRONG_KINDS.contains(&kind) => Exit::Usage,
                _ => Exit::Environment,
            };
        }
        match error.chain().find_map(ErrorKind::of) {
            Some(ErrorKind::Contradiction) => Exit::Verification,
            Some(ErrorKind::Input) => Exit::Usage,
            Some(ErrorKind::Missing) => Exit::Data,
            Some(ErrorKind::Cancelled) => Exit::Interrupted,
            _ => Exit::Environment,
        }
    }
}

/// What the system says of something else than a file with text or a table: a folder, a pipe, or no
/// folder where one was named.
const WRONG_KINDS: [io::ErrorKind; 4] = [
    io::ErrorKind::InvalidInput,
    io::ErrorKind::InvalidData,
    io::ErrorKind::IsADirectory,
    io::ErrorKind::NotADirectory,
];

/// What was done with a file when the system refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It was to be read.
    Read,
    /// It was to be written, or nobody knows.
    Write,
}

/// The error of the system that an error of the library is about, and what was tried.
pub fn system<'e>(cause: &'e (dyn std::error::Error + 'static)) -> Option<(Use, &'e io::Error)> {
    let inside = cause.downcast_ref::<Error>();
    fn found<'e, E: std::error::Error + 'static>(
        cause: &'e (dyn std::error::Error + 'static),
        inside: Option<&'e Error>,
    ) -> Option<&'e E> {
        cause.downcast_ref().or_else(|| inside?.downcast_ref())
    }
    let of_merge = found::<MergeError>(cause, inside).and_then(|error| match error {
        MergeError::Table(error) => Some(error),
        _ => None,
    });
    if let Some(StoreError { reason: Reason::Io { action, error }, .. }) =
        of_merge.or_else(|| found::<StoreError>(cause, inside))
    {
        let reads = ["open", "read", "look through", "look for"].contains(action);
        return Some((if reads { Use::Read } else { Use::Write }, error));
    }
    if let Some(PublishedError { fault: Fault::Io { error, .. }, .. }) = found(cause, inside) {
        return Some((Use::Read, error));
    }
    if let Some(CountsError::Io { error, .. }) = found(cause, inside) {
        return Some((Use::Read, error));
    }
    found::<io::Error>(cause, inside).map(|error| (Use::Write, error))
}

/// Input that makes no sense, with what to do about it.
pub fn bad_input(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Input, text.into())
}

/// Tables that are needed aren't there, with what to do about it.
pub fn missing_data(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Missing, text.into())
}

/// A wrong value or count, or a damaged file: what a verification looks for.
pub fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    Error::new(ErrorKind::Contradiction, error.to_string()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;
    use pentago::rules::Rules;

    #[test]
    fn the_cause_decides_behind_any_context() {
        let parse = "no such rules".parse::<Rules>().context("line 3").context("a file");
        assert_eq!(Exit::of(&parse.unwrap_err()), Exit::Usage);
        let missing = std::fs::read("/nowhere/at/all").context("reading");
        assert_eq!(Exit::of(&missing.unwrap_err()), Exit::Environment);
        assert_eq!(Exit::of(&failed("two values")), Exit::Verification);
        assert_eq!(Exit::of(&anyhow::Error::new(missing_data("no tables")).context("a folder")), Exit::Data);
    }
}
