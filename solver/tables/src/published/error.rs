//! Errors in files of the published solution, and the locations of these errors.

use pentago_base::shown_path;
use std::path::PathBuf;
use std::{fmt, io};

/// An error in a file of the published solution.
#[derive(Debug, thiserror::Error)]
pub struct PublishedError {
    /// The path of the file.
    pub path: PathBuf,
    /// The index of the section in the file, or `None` if the error isn't in a section.
    pub section: Option<u32>,
    /// The index of the block in the section, or `None` if the error isn't in a block.
    pub block: Option<u64>,
    /// The kind of the error.
    pub fault: Fault,
}

/// The kind of an error in a file of the published solution.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// An error of the operating system.
    #[error("cannot {action}: {error}")]
    Io {
        /// The action that failed, as a verb.
        action: &'static str,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The file doesn't start with the magic bytes of a published file.
    #[error("not a file of the published solution")]
    NotPublished,
    /// The file is already a table of this program.
    #[error("this is a table already: it needs no import")]
    Table,
    /// A part of the file extends beyond the end of the file.
    #[error("the {what} ends at byte {end}, but the file has {size} bytes: download the file again")]
    Truncated {
        /// The name of the part.
        what: &'static str,
        /// The offset of the end of the part, in bytes.
        end: u64,
        /// The size of the file in bytes.
        size: u64,
    },
    /// A field doesn't have the value that the format or another field requires.
    #[error("the {what} is {found} instead of {expected}")]
    Field {
        /// The name of the field.
        what: &'static str,
        /// The value in the file.
        found: u64,
        /// The required value.
        expected: u64,
    },
    /// A field has an impossible value. The text describes the problem.
    #[error("{0}")]
    Impossible(&'static str),
    /// Sections are missing in the file of a slice.
    #[error("the file has {found} of the {all} sections of its slice: download the file again")]
    Lacks {
        /// The number of sections in the file.
        found: usize,
        /// The number of sections that the slice has.
        all: usize,
    },
    /// Compressed data can't be decompressed.
    #[error("the {what} is damaged: {error}: download the file again")]
    Blob {
        /// The name of the compressed part.
        what: &'static str,
        /// The description of the damage.
        error: String,
    },
    /// The entry with this index has a position that both players win.
    #[error("entry {0} has a position won by both players")]
    WonByBoth(usize),
}

impl fmt::Display for PublishedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", shown_path(&self.path))?;
        if let Some(section) = self.section {
            write!(f, "section {section}: ")?;
        }
        if let Some(block) = self.block {
            write!(f, "block {block}: ")?;
        }
        write!(f, "{}", self.fault)
    }
}
