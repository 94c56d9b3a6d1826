//! What the exit status says.

use std::io;

use pentago::pipeline::{BadRoot, BadSection, BuildError};
use pentago::probe::Contradiction;
use pentago::published::{Fault, PublishedError};
use pentago::rules::random::RandomError;
use pentago::rules::{IllegalMove, ParseError};
use pentago::solve::{SolveError, Stopped};
use pentago::tables::{ErrorKind, TableError};
use pentago::verify::counts::{CountsError, StoredError};

use crate::engine::NotEnoughMemory;

/// Why the program ended without success, with its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Two computations that must agree do not.
    Verification = 1,
    /// The command line or the input was wrong.
    Usage = 2,
    /// Tables are missing, or can't be used.
    Data = 3,
    /// The machine did not do what it had to: memory, disk, input and output.
    Environment = 4,
    /// Stopped from the keyboard.
    Interrupted = 130,
}

impl Exit {
    /// The status that an error calls for: the first error in the chain that says something.
    pub fn of(error: &anyhow::Error) -> Exit {
        let known = |cause: &(dyn std::error::Error + 'static)| {
            if let Some(solve) = cause.downcast_ref() {
                return Some(match solve {
                    SolveError::Stopped(Stopped::Cancelled(_)) => Exit::Interrupted,
                    _ => Exit::Environment,
                });
            }
            if let Some(BuildError::Solve(SolveError::Stopped(Stopped::Cancelled(_)))) = cause.downcast_ref()
            {
                return Some(Exit::Interrupted);
            }
            match cause.downcast_ref() {
                Some(BuildError::NothingThere { .. } | BuildError::Missing(_)) => return Some(Exit::Data),
                // What is to be written is not missing.
                Some(BuildError::Table(TableError { kind: ErrorKind::Io { .. }, .. })) => {
                    return Some(Exit::Environment);
                }
                Some(BuildError::Table(table)) => return Some(Exit::of_table(&table.kind)),
                Some(BuildError::Counts(counts)) => return Some(Exit::of_counts(counts)),
                _ => {}
            }
            if let Some(table) = cause.downcast_ref::<TableError>() {
                return Some(Exit::of_table(&table.kind));
            }
            if let Some(stored) = cause.downcast_ref() {
                return Some(match stored {
                    StoredError::Table(table) => Exit::of_table(&table.kind),
                    StoredError::Counts(counts) => Exit::of_counts(counts),
                    StoredError::Twice { .. } => Exit::Verification,
                });
            }
            if let Some(counts) = cause.downcast_ref() {
                return Some(Exit::of_counts(counts));
            }
            if let Some(published) = cause.downcast_ref::<PublishedError>() {
                return Some(Exit::of_published(&published.fault));
            }
            let usage = cause.is::<BadInput>()
                || cause.is::<BadRoot>()
                || cause.is::<BadSection>()
                || cause.is::<ParseError>()
                || cause.is::<IllegalMove>()
                || cause.is::<RandomError>();
            if usage {
                Some(Exit::Usage)
            } else if cause.is::<MissingData>() {
                Some(Exit::Data)
            } else if cause.is::<Disagreement>() || cause.is::<Contradiction>() {
                Some(Exit::Verification)
            } else if cause.is::<NotEnoughMemory>() || cause.is::<io::Error>() {
                Some(Exit::Environment)
            } else {
                None
            }
        };
        error.chain().find_map(known).unwrap_or(Exit::Environment)
    }
}

impl Exit {
    fn of_counts(counts: &CountsError) -> Exit {
        match counts {
            CountsError::Io { error, .. } if error.kind() == io::ErrorKind::NotFound => Exit::Data,
            CountsError::Io { .. } => Exit::Environment,
            CountsError::Bad { .. } => Exit::Usage,
        }
    }

    fn of_table(kind: &ErrorKind) -> Exit {
        match kind {
            ErrorKind::Io { error, .. } if error.kind() != io::ErrorKind::NotFound => Exit::Environment,
            ErrorKind::Exists
            | ErrorKind::Foreign
            | ErrorKind::Stopped
            | ErrorKind::Limit(_)
            | ErrorKind::Locked(_) => Exit::Environment,
            _ => Exit::Data,
        }
    }

    fn of_published(fault: &Fault) -> Exit {
        match fault {
            Fault::Io { error, .. } if error.kind() == io::ErrorKind::NotFound => Exit::Data,
            Fault::Io { .. } => Exit::Environment,
            _ => Exit::Usage,
        }
    }
}

/// Tables that are needed aren't there, with what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct MissingData(pub String);

/// Input that makes no sense, with what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadInput(pub String);

/// Two computations disagree.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Disagreement(pub String);

/// A wrong value or count, or a damaged file: what a verification looks for.
pub fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    Disagreement(error.to_string()).into()
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
        let wrong = anyhow::Error::new(Disagreement("two values".into()));
        assert_eq!(Exit::of(&wrong), Exit::Verification);
    }
}
