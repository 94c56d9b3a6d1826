//! Errors in files of the published solution, with their location.

use std::path::PathBuf;
use std::{fmt, io};

/// An error in a file of the published solution.
#[derive(Debug, thiserror::Error)]
pub struct PublishedError {
    /// The file.
    pub path: PathBuf,
    /// The index of the section in the file, if the error is in a section.
    pub section: Option<u32>,
    /// The index of the block in the section, if the error is in a block.
    pub block: Option<u64>,
    /// The defect.
    pub fault: Fault,
}

/// A defect of a published file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// An error of the operating system.
    #[error("cannot {action}: {error}")]
    Io {
        /// The attempted action.
        action: &'static str,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The file has other magic bytes.
    #[error("not a file of the published solution")]
    NotPublished,
    /// The file is a table of this program.
    #[error("this is a table already: it needs no import")]
    Table,
    /// A part of the file extends beyond its end.
    #[error("the {what} ends at byte {end}, but the file has {size} bytes: download the file again")]
    Truncated {
        /// The name of the part.
        what: &'static str,
        /// The offset of its end in bytes.
        end: u64,
        /// The size of the file in bytes.
        size: u64,
    },
    /// A field contradicts the format or another field.
    #[error("the {what} is {found} instead of {expected}")]
    Field {
        /// The name of the field.
        what: &'static str,
        /// The value in the file.
        found: u64,
        /// The required value.
        expected: u64,
    },
    /// A field has an impossible value.
    #[error("{0}")]
    Impossible(&'static str),
    /// The file of a slice lacks sections.
    #[error("the file has {found} of the {all} sections of its slice: download the file again")]
    Lacks {
        /// The number of sections in the file.
        found: usize,
        /// The number of sections of the slice.
        all: usize,
    },
    /// Compressed data is damaged.
    #[error("the {what} is damaged: {error}: download the file again")]
    Blob {
        /// The name of the compressed part.
        what: &'static str,
        /// The damage, in words.
        error: String,
    },
    /// Both players win a position of an entry.
    #[error("entry {0} has a position won by both players")]
    WonByBoth(usize),
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
