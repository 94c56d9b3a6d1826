//! Errors in files of the published solution, and where they are.

use std::path::PathBuf;
use std::{fmt, io};

/// An error in a file of the published solution.
#[derive(Debug, thiserror::Error)]
pub struct PublishedError {
    /// The file.
    pub path: PathBuf,
    /// The number of the section in the file, from 0, if the error is in a section.
    pub section: Option<u32>,
    /// The number of the block in the section, from 0, if the error is in a block.
    pub block: Option<u64>,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// An error of the operating system.
    #[error("cannot {action}: {error}")]
    Io {
        /// What was attempted.
        action: &'static str,
        /// The error of the system.
        error: io::Error,
    },
    /// The file has other magic bytes.
    #[error("not a file of the published solution")]
    NotPublished,
    /// The file is one of this program's tables.
    #[error("this is a table already: it needs no import")]
    Table,
    /// A part extends beyond the end of the file.
    #[error("the {what} ends at byte {end}, but the file has {size} bytes: download the file again")]
    Truncated {
        /// The part.
        what: &'static str,
        /// The offset of its end in bytes.
        end: u64,
        /// Size of the file in bytes.
        size: u64,
    },
    /// A field contradicts the format or another field.
    #[error("the {what} is {found} instead of {expected}")]
    Field {
        /// The field.
        what: &'static str,
        /// Its value.
        found: u64,
        /// Its required value.
        expected: u64,
    },
    /// A field has an impossible value.
    #[error("{0}")]
    Impossible(&'static str),
    /// The file of a slice lacks sections.
    #[error("it has {found} of the {all} sections of its slice: download the file again")]
    Lacks {
        /// Sections of the file.
        found: usize,
        /// Sections of the slice.
        all: usize,
    },
    /// Compressed data is damaged.
    #[error("the {what} is damaged: {error}: download the file again")]
    Blob {
        /// What was compressed.
        what: &'static str,
        /// The damage.
        error: BlobError,
    },
    /// Both players win a position of an entry.
    #[error("entry {0} has a position won by both players")]
    WonByBoth(usize),
}

/// Damage of compressed data.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// They can't be decompressed.
    #[error("{format}: {error}")]
    Damaged {
        /// The compression format.
        format: &'static str,
        /// The message of its decoder.
        error: String,
    },
    /// The content has another length.
    #[error("it doesn't hold {expected} bytes")]
    Length {
        /// The expected number of bytes.
        expected: usize,
    },
    /// Bytes follow the end of the content.
    #[error("{0} extra bytes after its end")]
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
