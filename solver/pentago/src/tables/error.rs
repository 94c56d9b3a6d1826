//! What can go wrong with a table: which file, which block, what is wrong, and what to do about it.

use super::manifest::BadManifest;
use crate::codec::CodecError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error of a table.
#[derive(Debug, thiserror::Error)]
pub struct TableError {
    /// The file or folder.
    pub path: PathBuf,
    /// The number of the block in the file, where one block is concerned.
    pub block: Option<u64>,
    /// What is wrong.
    pub kind: ErrorKind,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused.
    #[error("cannot {action}: {error}{}", hint(error))]
    Io {
        /// What was tried.
        action: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// The file doesn't begin as a table does.
    #[error("not a pentago table")]
    NotATable,
    /// The file was never finished.
    #[error("an unfinished table: run the same build again to continue it")]
    Unfinished,
    /// The format is newer than this program.
    #[error("format version {0}, but this program reads only version {expected}: use a newer program", expected = super::header::VERSION)]
    Version(u16),
    /// A field has a value that this version doesn't have.
    #[error("unknown {what} {value}: use a newer program, or build the table again")]
    Unknown {
        /// The field.
        what: &'static str,
        /// Its value.
        value: u8,
    },
    /// A part is not what it was when it was written.
    #[error("the {0} is damaged (wrong checksum): copy or build the file again")]
    Damaged(&'static str),
    /// The parts contradict each other.
    #[error("inconsistent table: {0}: copy or build the file again")]
    Inconsistent(&'static str),
    /// The arrays are not such as a table can hold.
    #[error("impossible content: {0}")]
    Manifest(#[from] BadManifest),
    /// The file is shorter or longer than it says.
    #[error("{found} bytes long instead of {expected}: copy or build the file again")]
    Size {
        /// Bytes of the file.
        found: u64,
        /// Bytes that the header says it has.
        expected: u64,
    },
    /// The payload of a block cannot be decoded though its checksum is right.
    #[error("cannot be decoded: {0}: build the table again")]
    Codec(#[from] CodecError),
    /// There is no such block.
    #[error("no such block: the table has {0} blocks")]
    NoSuchBlock(u64),
    /// A finished table has this name already.
    #[error("a finished table exists already")]
    Exists,
    /// An unfinished table of this name has other content or settings.
    #[error(
        "an unfinished table with other content, settings or program version exists: \
         finish it with these, or delete it"
    )]
    Foreign,
    /// A block was put a second time, or has another number of entries.
    #[error("{0}")]
    WrongBlock(&'static str),
    /// An earlier error made the writer stop.
    #[error("writing has stopped after an earlier error; all data written before is kept")]
    Stopped,
    /// Blocks are missing.
    #[error("the table can't be finished yet: it has {done} of {blocks} blocks")]
    Incomplete {
        /// Blocks written in order.
        done: u64,
        /// Blocks that there must be.
        blocks: u64,
    },
    /// The writer would take more than it was allowed to.
    #[error("the limit of {0} bytes is reached: raise it and run again; all data written is kept")]
    Limit(u64),
    /// A scratch file isn't what was written.
    #[error("a damaged temporary file: {0}: delete its folder and build again")]
    Scratch(&'static str),
    /// Another process builds in the folder.
    #[error("another process is building here ({0}): wait for it, or use another folder")]
    Locked(String),
}

/// Advice for an error of the operating system.
fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space and run the same command again to continue"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose a folder with write access"
        }
        io::ErrorKind::NotFound => "; check the name",
        _ => "",
    }
}

impl TableError {
    pub(super) fn new(path: &Path, kind: impl Into<ErrorKind>) -> TableError {
        TableError { path: path.to_owned(), block: None, kind: kind.into() }
    }

    pub(super) fn io(path: &Path, action: &'static str, error: io::Error) -> TableError {
        TableError::new(path, ErrorKind::Io { action, error })
    }

    pub(super) fn of_block(mut self, block: u64) -> TableError {
        self.block = Some(block);
        self
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        if let Some(block) = self.block {
            write!(f, "block {block}: ")?;
        }
        write!(f, "{}", self.kind)
    }
}
