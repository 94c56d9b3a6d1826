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
    #[error("an unfinished table: build it again, which goes on where it stopped")]
    Unfinished,
    /// The format is newer than this program.
    #[error("format version {0}, but this program knows only version {expected}: use a newer program", expected = super::header::VERSION)]
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
    #[error("the {0} is damaged: its checksum is wrong; get the file again, or build it again")]
    Damaged(&'static str),
    /// The parts contradict each other.
    #[error("inconsistent: {0}; get the file again, or build it again")]
    Inconsistent(&'static str),
    /// The arrays are not such as a table can hold.
    #[error("impossible content: {0}")]
    Manifest(#[from] BadManifest),
    /// The file is shorter or longer than it says.
    #[error("{found} bytes long instead of {expected}: get the file again, or build it again")]
    Size {
        /// Bytes of the file.
        found: u64,
        /// Bytes that the header says it has.
        expected: u64,
    },
    /// The payload of a block cannot be decoded though its checksum is right.
    #[error("cannot be decoded: {0}; build the table again")]
    Codec(#[from] CodecError),
    /// There is no such block.
    #[error("no such block: the table has {0}")]
    NoSuchBlock(u64),
    /// A finished table has this name already.
    #[error("is finished already")]
    Exists,
    /// An unfinished table of this name has other content or settings.
    #[error(
        "an unfinished table with other content, settings or program version is in the way: finish it as it was begun, or delete it"
    )]
    Foreign,
    /// A block was put a second time, or has another number of entries.
    #[error("{0}")]
    WrongBlock(&'static str),
    /// An earlier error made the writer stop.
    #[error("writing has stopped after an earlier error; what was written before is kept")]
    Stopped,
    /// Blocks are missing.
    #[error("{done} of {blocks} blocks are there: the table cannot be finished yet")]
    Incomplete {
        /// Blocks written in order.
        done: u64,
        /// Blocks that there must be.
        blocks: u64,
    },
    /// The writer would take more than it was allowed to.
    #[error("the limit of {0} bytes is reached: allow more; what was written is kept")]
    Limit(u64),
    /// A scratch file isn't what was written.
    #[error("a damaged scratch file: {0}; delete the scratch folder and build again")]
    Scratch(&'static str),
    /// Another process builds in the folder.
    #[error("another builder is at work here ({0}): wait for it, or use another folder")]
    Locked(String),
}

/// What to do about an error of the operating system.
fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space and start again, which goes on where it stopped"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose a folder that may be written"
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
