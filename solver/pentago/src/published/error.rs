//! What can be wrong with a file of the published solution, and where.

use std::path::PathBuf;
use std::{fmt, io};

/// An error of a file.
#[derive(Debug, thiserror::Error)]
pub struct PublishedError {
    /// The file.
    pub path: PathBuf,
    /// The number of the section in the file, from 0, where one is concerned.
    pub section: Option<u32>,
    /// The number of the block in the section, from 0, where one is concerned.
    pub block: Option<u64>,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The operating system refused.
    #[error("cannot {action}: {error}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// The file begins otherwise.
    #[error("not a file of the published solution")]
    NotPublished,
    /// Something lies beyond the end of the file.
    #[error("the {what} ends at byte {end}, but the file has {size}: get the file again")]
    Truncated {
        /// What lies there.
        what: &'static str,
        /// Where it ends.
        end: u64,
        /// Bytes of the file.
        size: u64,
    },
    /// A field isn't what the format, or another field, says that it must be.
    #[error("the {what} is {found} instead of {expected}")]
    Field {
        /// The field.
        what: &'static str,
        /// Its value.
        found: u64,
        /// What it must be.
        expected: u64,
    },
    /// A field has none of the values that it may have.
    #[error("{0}")]
    Impossible(&'static str),
    /// Compressed bytes that aren't what they were.
    #[error("the {what} is damaged: {error}; get the file again")]
    Blob {
        /// What was compressed.
        what: &'static str,
        /// How it is damaged.
        error: BlobError,
    },
    /// A position is won by both players.
    #[error("entry {0} has a position that both players win")]
    WonByBoth(usize),
}

/// Why compressed bytes are not what they should be.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// They can't be decompressed.
    #[error("{format}: {error}")]
    Damaged {
        /// How they are compressed.
        format: &'static str,
        /// What its decoder says.
        error: String,
    },
    /// Their content ends too early, or doesn't end.
    #[error("not {expected} bytes are in it")]
    Length {
        /// What should be in them.
        expected: usize,
    },
    /// Something follows the end of the content.
    #[error("{0} bytes follow its end")]
    Trailing(usize),
}

impl fmt::Display for PublishedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        if let Some(section) = self.section {
            write!(f, "section {section}: ")?;
        }
        if let Some(block) = self.block {
            write!(f, "block {block}: ")?;
        }
        write!(f, "{}", self.fault)
    }
}
