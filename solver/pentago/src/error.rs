//! The error type of this crate: an [`ErrorKind`] for programs and a text for people.

#[cfg(feature = "tables")]
use crate::ask::Contradiction;
use crate::ask::{AskError, NotEnoughMemory};
#[cfg(feature = "tables")]
use crate::make::{BadRoot, BadSection, BuildError};
use pentago_base::Stopped;
use pentago_core::rules::RandomError;
use pentago_core::rules::{IllegalMove, Impossible, ParseError};
use pentago_core::solve::SolveError;
use pentago_core::values::BoxError;
#[cfg(feature = "import")]
use pentago_tables::published::{Fault, ImportError, PublishedError};
#[cfg(feature = "tables")]
use pentago_tables::tables::{MergeError, Reason, StoreErrorKind, TableError};
#[cfg(feature = "tables")]
use pentago_tables::verify::VerifyError;
#[cfg(feature = "tables")]
use pentago_tables::verify::counts::mini::ReachError;
#[cfg(feature = "tables")]
use pentago_tables::verify::counts::{CountsError, StoredError};
use std::error::Error as StdError;
use std::{fmt, io};

/// The meaning of an error. The kinds are stable: tools may map them to exit codes, HTTP statuses
/// or exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Invalid input: bad text, an illegal move, an impossible position.
    Input,
    /// Data is missing or damaged, and must be built or fetched.
    Missing,
    /// Two computations that must agree don't agree.
    Contradiction,
    /// The machine failed: memory, disk, input or output.
    Environment,
    /// The work was cancelled.
    Cancelled,
}

/// An error of this crate: a kind for programs, a text for people.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    what: BoxError,
}

impl Error {
    /// Makes an error of this kind.
    pub fn new(kind: ErrorKind, what: impl Into<BoxError>) -> Error {
        Error { kind, what: what.into() }
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns `true` if the memory doesn't suffice. Such errors have the kind
    /// [`ErrorKind::Environment`].
    #[must_use]
    pub fn lacks_memory(&self) -> bool {
        #[cfg(feature = "tables")]
        if let Some(BuildError::Solve(error)) = self.downcast_ref() {
            return lacks_memory(error);
        }
        self.downcast_ref::<NotEnoughMemory>().is_some() || self.downcast_ref().is_some_and(lacks_memory)
    }

    /// Returns the original error, if its type is `E`.
    #[must_use]
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

impl From<AskError> for Error {
    fn from(error: AskError) -> Error {
        match error {
            #[cfg(feature = "tables")]
            AskError::Table(error) => error.into(),
            #[cfg(feature = "tables")]
            AskError::Contradiction(error) => error.into(),
            AskError::Memory(error) => error.into(),
            AskError::Solve(error) => error.into(),
        }
    }
}

fn lacks_memory(error: &SolveError) -> bool {
    matches!(error, SolveError::Memory { .. } | SolveError::Allocation { .. })
}

/// An error with a kind.
trait Meaning: StdError + Send + Sync + 'static {
    fn meaning(&self) -> ErrorKind;
}

/// Implements [`Meaning`] for each error type, the conversion to [`Error`], and [`ErrorKind::of`].
macro_rules! meanings {
    ($($(#[$if:meta])? $error:ty: |$this:pat_param| $meaning:expr;)*) => {
        $(
            $(#[$if])?
            impl Meaning for $error {
                fn meaning(&self) -> ErrorKind {
                    let $this = self;
                    $meaning
                }
            }

            $(#[$if])?
            impl From<$error> for Error {
                fn from(error: $error) -> Error {
                    Error { kind: error.meaning(), what: Box::new(error) }
                }
            }
        )*

        impl ErrorKind {
            /// Returns the kind of an error of this crate or of input and output. Ignores the
            /// sources of the error.
            #[must_use]
            pub fn of(error: &(dyn StdError + 'static)) -> Option<ErrorKind> {
                if let Some(error) = error.downcast_ref::<Error>() {
                    return Some(error.kind);
                }
                $(
                    $(#[$if])?
                    if let Some(error) = error.downcast_ref::<$error>() {
                        return Some(error.meaning());
                    }
                )*
                None
            }
        }
    };
}

meanings! {
    ParseError: |_| ErrorKind::Input;
    IllegalMove: |_| ErrorKind::Input;
    Impossible: |_| ErrorKind::Input;
    RandomError: |_| ErrorKind::Input;
    #[cfg(feature = "tables")]
    BadRoot: |_| ErrorKind::Input;
    #[cfg(feature = "tables")]
    BadSection: |_| ErrorKind::Input;
    Stopped: |_| ErrorKind::Cancelled;
    SolveError: |error| match error {
        SolveError::Stopped(_) => ErrorKind::Cancelled,
        SolveError::Shape => ErrorKind::Input,
        _ => ErrorKind::Environment,
    };
    #[cfg(feature = "tables")]
    TableError: |error| match (&error.reason, error.kind()) {
        (Reason::Io { action, error }, _) if READING.contains(action) => io_kind(error),
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
    #[cfg(feature = "tables")]
    MergeError: |error| match error {
        // The user claims that these files belong together.
        MergeError::Table(TableError {
            reason: Reason::NotATable | Reason::OtherShard(_) | Reason::Game { .. } | Reason::Exists,
            ..
        }) => ErrorKind::Input,
        MergeError::Table(error) => error.meaning(),
        MergeError::Gap { .. } | MergeError::Sections { .. } => ErrorKind::Missing,
    };
    #[cfg(feature = "tables")]
    CountsError: |error| match error {
        CountsError::Io { error, .. } if error.kind() == io::ErrorKind::InvalidData => ErrorKind::Input,
        CountsError::Io { error, .. } => io_kind(error),
        CountsError::Write(error) => error.meaning(),
        CountsError::Bad { .. } => ErrorKind::Input,
    };
    #[cfg(feature = "tables")]
    StoredError: |error| match error {
        StoredError::Table(error) => error.meaning(),
        StoredError::Counts(error) => error.meaning(),
        StoredError::Twice { .. } => ErrorKind::Contradiction,
    };
    #[cfg(feature = "tables")]
    BuildError: |error| match error {
        BuildError::NothingThere { .. } | BuildError::Missing(_) => ErrorKind::Missing,
        // An input or output error of a build concerns a file to write, so nothing is missing.
        BuildError::Table(TableError { reason: Reason::Io { .. }, .. }) => ErrorKind::Environment,
        BuildError::Table(error) => error.meaning(),
        BuildError::Counts(error) => error.meaning(),
        BuildError::Solve(error) => error.meaning(),
        BuildError::Wrong(..) => ErrorKind::Contradiction,
        BuildError::Begun { .. } => ErrorKind::Environment,
        BuildError::TooLarge { .. } => ErrorKind::Input,
    };
    #[cfg(feature = "import")]
    PublishedError: |error| match &error.fault {
        Fault::Io { error, .. } => io_kind(error),
        _ => ErrorKind::Input,
    };
    #[cfg(feature = "import")]
    ImportError: |error| match error {
        ImportError::Published(error) => error.meaning(),
        ImportError::Table(error) => error.meaning(),
        ImportError::Wrong { .. } => ErrorKind::Contradiction,
        ImportError::Stopped(_) => ErrorKind::Cancelled,
    };
    #[cfg(feature = "tables")]
    Contradiction: |_| ErrorKind::Contradiction;
    NotEnoughMemory: |_| ErrorKind::Environment;
    #[cfg(feature = "tables")]
    VerifyError: |error| match error {
        VerifyError::Wrong(_) => ErrorKind::Contradiction,
        VerifyError::Table(error) => error.meaning(),
        VerifyError::Stopped(_) => ErrorKind::Cancelled,
        VerifyError::Solver(error) => {
            error.downcast_ref().map_or(ErrorKind::Environment, SolveError::meaning)
        }
    };
    #[cfg(feature = "tables")]
    ReachError: |error| match error {
        ReachError::Missing(_) => ErrorKind::Missing,
        ReachError::Table(error) => error.meaning(),
    };
    io::Error: |_| ErrorKind::Environment;
}

/// The failed actions of errors that concern reading a table.
#[cfg(feature = "tables")]
const READING: [&str; 4] = ["open", "read", "look through", "look for"];

/// Returns the kind of an input or output error: missing data for a missing file, invalid input for
/// a folder in place of a file or the reverse, otherwise a failure of the machine.
#[cfg(feature = "tables")]
fn io_kind(error: &io::Error) -> ErrorKind {
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
        let lacking = || io::Error::from(io::ErrorKind::NotFound);
        let table = BoxError::from(TableError::io("t".as_ref(), "open", lacking()));
        let counts = CountsError::Io { path: "t".into(), action: "read", error: lacking() };
        assert!(matches!(table.into(), BuildError::Table(_)));
        assert!(matches!(BoxError::from(counts).into(), BuildError::Counts(_)));
        let other = BuildError::from(BoxError::from("another"));
        assert_eq!((other.to_string().as_str(), other.meaning()), ("another", ErrorKind::Environment));
    }
}
