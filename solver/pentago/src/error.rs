//! The error type of this crate: an [`ErrorKind`] for programs and a text for people.

use pentago_base::Stopped;
use pentago_core::answer::Estimate;
use pentago_core::rules::{IllegalMove, Impossible, ParseError, RandomError};
use pentago_core::solve::SolveError;
use pentago_core::values::BoxError;
use std::error::Error as StdError;
use std::{fmt, io};

/// The kind of an error. The kinds are stable: tools may map them to exit codes, HTTP statuses or
/// exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Invalid input: bad text, an illegal move, an impossible position.
    Input,
    /// Data is missing or damaged, and must be built or fetched.
    Missing,
    /// Two computations that must agree have different results.
    Contradiction,
    /// The machine failed: its memory, its disk, or another input or output.
    Environment,
    /// The work was cancelled.
    Cancelled,
}

impl ErrorKind {
    /// Returns the kind of an error of this crate or of an input or output error, and `None` for
    /// any other error. Considers only the error itself, not its sources.
    pub fn of(error: &(dyn StdError + 'static)) -> Option<ErrorKind> {
        let known = error.downcast_ref::<Error>().map(Error::kind);
        let known = known.or_else(|| {
            Some(match error.downcast_ref()? {
                SolveError::Stopped(_) => ErrorKind::Cancelled,
                SolveError::Shape => ErrorKind::Input,
                SolveError::Spill(error) => kind_of(&**error),
                _ => ErrorKind::Environment,
            })
        });
        let known = known.or_else(|| core::kind(error));
        #[cfg(feature = "tables")]
        let known = known.or_else(|| tables::kind(error));
        #[cfg(feature = "import")]
        let known = known.or_else(|| import::kind(error));
        known
    }
}

/// Returns the kind of an error. Errors of unknown types have the kind [`ErrorKind::Environment`].
fn kind_of(error: &(dyn StdError + 'static)) -> ErrorKind {
    ErrorKind::of(error).unwrap_or(ErrorKind::Environment)
}

/// An error of this crate: a kind for programs, a text for people.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    what: BoxError,
}

impl Error {
    /// Makes an error of the kind `kind` from a text or from another error.
    pub fn new(kind: ErrorKind, what: impl Into<BoxError>) -> Error {
        Error { kind, what: what.into() }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns `true` if the error is a lack of memory. Such errors have the kind
    /// [`ErrorKind::Environment`].
    pub fn lacks_memory(&self) -> bool {
        let of_solver =
            matches!(self.downcast_ref(), Some(SolveError::Memory { .. } | SolveError::Allocation { .. }));
        of_solver || self.downcast_ref::<NotEnoughMemory>().is_some()
    }

    /// Returns the original error if it has the type `E`, and `None` otherwise.
    pub fn downcast_ref<E: StdError + 'static>(&self) -> Option<&E> {
        self.what.downcast_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what.fmt(f)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.what.source()
    }
}

/// Stores the original error with its type, so that [`Error::downcast_ref`] can return it.
impl From<BoxError> for Error {
    fn from(what: BoxError) -> Error {
        Error { kind: kind_of(&*what), what }
    }
}

/// Errors of sources, sinks and spill stores are unwrapped first.
impl From<SolveError> for Error {
    fn from(error: SolveError) -> Error {
        match error {
            SolveError::Spill(error) => error.into(),
            error => Error { kind: kind_of(&error), what: Box::new(error) },
        }
    }
}

/// The error for a question that needs more memory than the solver may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the solution takes {} bytes of memory, but the limit is {limit}", asked.bytes)]
pub struct NotEnoughMemory {
    /// The estimate of the required solution.
    pub asked: Estimate,
    /// `true` if the required solution extends to the end of the game.
    pub full: bool,
    /// The memory limit in bytes.
    pub limit: u64,
    /// The estimate of the deepest solution that fits in memory, or `None` if no solution fits.
    pub fits: Option<Estimate>,
}

/// Defines a function that returns the kind of an error if its type is listed, and `None`
/// otherwise. Also implements the conversion of the listed types to [`Error`].
macro_rules! kinds {
    ($of:ident: $($error:ty: |$this:pat_param| $kind:expr;)*) => {
        pub(super) fn $of(error: &(dyn StdError + 'static)) -> Option<ErrorKind> {
            $(
                if let Some($this) = error.downcast_ref::<$error>() {
                    return Some($kind);
                }
            )*
            None
        }

        $(
            impl From<$error> for Error {
                fn from(error: $error) -> Error {
                    Error { kind: kind_of(&error), what: Box::new(error) }
                }
            }
        )*
    };
}

mod core {
    use super::*;

    kinds! { kind:
        ParseError: |_| ErrorKind::Input;
        IllegalMove: |_| ErrorKind::Input;
        Impossible: |_| ErrorKind::Input;
        RandomError: |error| match error {
            RandomError::TooMany { .. } => ErrorKind::Input,
            RandomError::NotFound { .. } => ErrorKind::Missing,
        };
        Stopped: |_| ErrorKind::Cancelled;
        NotEnoughMemory: |_| ErrorKind::Environment;
        io::Error: |_| ErrorKind::Environment;
    }
}

#[cfg(feature = "tables")]
mod tables {
    use super::*;
    use pentago_tables::tables::{MergeError, Reason, StoreErrorKind, TableError};
    use pentago_tables::verify::VerifyError;
    use pentago_tables::verify::counts::mini::ReachError;
    use pentago_tables::verify::counts::{CountsError, StoredError};

    /// The actions in error texts that concern reading a table.
    const READING: [&str; 4] = ["open", "read", "look through", "look for"];

    kinds! { kind:
        TableError: |error| match (&error.reason, error.kind()) {
            (Reason::Io { action: "publish", .. } | Reason::Foreign, _) => ErrorKind::Input,
            // A pipe, folder or device took the place of a table that was found before.
            (Reason::Io { action, error }, _)
                if READING.contains(action) && error.kind() == io::ErrorKind::InvalidInput =>
            {
                ErrorKind::Missing
            }
            (Reason::Io { action, error }, _) if READING.contains(action) => kind_of_io(error),
            (Reason::Io { .. }, _) => ErrorKind::Environment,
            (_, StoreErrorKind::Cancelled) => ErrorKind::Cancelled,
            (
                _,
                StoreErrorKind::Io
                | StoreErrorKind::Full
                | StoreErrorKind::InTheWay
                | StoreErrorKind::Busy
                | StoreErrorKind::Misuse,
            ) => ErrorKind::Environment,
            _ => ErrorKind::Missing,
        };
        MergeError: |error| match error {
            // The user chose files that don't belong together, so the input is invalid.
            MergeError::Table(TableError {
                reason: Reason::NotATable | Reason::OtherShard(_) | Reason::Game { .. } | Reason::Exists,
                ..
            }) => ErrorKind::Input,
            MergeError::Table(TableError { reason: Reason::Io { action: "open", error }, .. }) => {
                kind_of_io(error)
            }
            MergeError::Table(error) => kind_of(error),
            MergeError::Gap { .. } | MergeError::Sections { .. } => ErrorKind::Missing,
        };
        CountsError: |error| match error {
            CountsError::Io { error, .. } if error.kind() == io::ErrorKind::InvalidData => ErrorKind::Input,
            CountsError::Io { error, .. } => kind_of_io(error),
            CountsError::Bad { .. } => ErrorKind::Input,
        };
        StoredError: |error| match error {
            StoredError::Table(error) => kind_of(error),
            StoredError::Counts(error) => kind_of(error),
            StoredError::Twice { .. } => ErrorKind::Contradiction,
        };
        VerifyError: |error| match error {
            VerifyError::Wrong(_) => ErrorKind::Contradiction,
            VerifyError::Table(error) => kind_of(error),
            VerifyError::Stopped(_) => ErrorKind::Cancelled,
            VerifyError::Solver(error) => kind_of(&**error),
        };
        ReachError: |error| match error {
            ReachError::Missing(_) => ErrorKind::Missing,
            ReachError::Table(error) => kind_of(error),
        };
    }

    impl Error {
        /// Converts the error to the error of a build. A build writes files, so an input or output
        /// error means that the machine failed, and not that data is missing.
        pub(crate) fn of_build(self) -> Error {
            match self.downcast_ref() {
                Some(TableError { reason: Reason::Io { .. }, .. }) => {
                    Error { kind: ErrorKind::Environment, ..self }
                }
                _ => self,
            }
        }
    }
}

#[cfg(feature = "import")]
mod import {
    use super::*;
    use pentago_tables::published::{Fault, ImportError, PublishedError};

    kinds! { kind:
        PublishedError: |error| match &error.fault {
            Fault::Io { error, .. } => kind_of_io(error),
            Fault::NotPublished | Fault::Table => ErrorKind::Input,
            _ => ErrorKind::Missing,
        };
        ImportError: |error| match error {
            ImportError::Published(error) => kind_of(error),
            ImportError::Table(error) => kind_of(error),
            ImportError::Wrong { .. } => ErrorKind::Contradiction,
            ImportError::Stopped(_) => ErrorKind::Cancelled,
        };
    }
}

/// Returns the kind of an input or output error. A missing file is missing data. A folder in place
/// of a file, or a file in place of a folder, is invalid input. Any other error is a failure of the
/// machine.
#[cfg(feature = "tables")]
fn kind_of_io(error: &io::Error) -> ErrorKind {
    match error.kind() {
        io::ErrorKind::NotFound => ErrorKind::Missing,
        io::ErrorKind::InvalidInput | io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory => {
            ErrorKind::Input
        }
        _ => ErrorKind::Environment,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_core::rules::Rules;

    #[test]
    fn errors_mean_the_same_whole_and_wrapped() {
        let parse = "no such rules".parse::<Rules>().unwrap_err();
        assert_eq!(ErrorKind::of(&parse), Some(ErrorKind::Input));
        let text = parse.to_string();
        let whole = Error::from(parse);
        assert_eq!((whole.kind(), whole.to_string()), (ErrorKind::Input, text));
        assert!(whole.downcast_ref::<ParseError>().is_some());
        assert_eq!(ErrorKind::of(&whole), Some(ErrorKind::Input));
        let cancelled = SolveError::from(Stopped);
        assert_eq!(Error::from(cancelled).kind(), ErrorKind::Cancelled);
        assert_eq!(ErrorKind::of(&fmt::Error), None);
        assert!(Error::from(SolveError::Memory { need: 2, limit: 1 }).lacks_memory());
        assert!(!whole.lacks_memory() && !Error::from(SolveError::Shape).lacks_memory());
    }

    #[test]
    #[cfg(feature = "tables")]
    fn errors_of_sources_and_sinks_of_a_build_are_known_again() {
        use pentago_tables::tables::TableError;
        let lacking = io::Error::from(io::ErrorKind::NotFound);
        let table = BoxError::from(TableError::io("t".as_ref(), "open", lacking));
        let table = Error::from(SolveError::Spill(table));
        assert!(table.downcast_ref::<TableError>().is_some() && table.kind() == ErrorKind::Missing);
        assert_eq!(table.of_build().kind(), ErrorKind::Environment);
        let other = Error::from(BoxError::from("another"));
        assert_eq!((other.to_string().as_str(), other.kind()), ("another", ErrorKind::Environment));
    }
}
