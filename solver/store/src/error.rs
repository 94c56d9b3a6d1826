//! What can go wrong with a table: which file, which block, what is wrong, and what to do about it.

use crate::header::VERSION;
use crate::manifest::GameId;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error of a table or of a folder of tables.
#[derive(Debug, thiserror::Error)]
pub struct StoreError {
    /// The file or folder.
    pub path: PathBuf,
    /// The number of the block in the file, where one block is concerned.
    pub block: Option<u64>,
    /// What is wrong.
    pub reason: Reason,
}

/// What sort of error it is: stable, for exit statuses, HTTP statuses and exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file or folder isn't there.
    NotFound,
    /// The operating system refused something else.
    Io,
    /// The disk, or what was allowed of it, is full.
    Full,
    /// The file is none of this program's, or of another game or version.
    Unsupported,
    /// The file isn't what was written.
    Damaged,
    /// The table isn't finished.
    Unfinished,
    /// There is no such block.
    NoSuchBlock,
    /// Something else is where the table should be written.
    InTheWay,
    /// Another process builds there.
    Busy,
    /// The caller asked for something impossible.
    Misuse,
    /// The caller asked to stop.
    Cancelled,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
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
    #[error("an unfinished table: build it again, which continues where it stopped")]
    Unfinished,
    /// The format is older or newer than this program.
    #[error("{}", version_text(*.0))]
    Version(u16),
    /// A table of another game.
    #[error("a table of {found}, not of {expected}")]
    Game {
        /// The game of the table.
        found: GameId,
        /// The game that was asked for.
        expected: GameId,
    },
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
    /// The arrays are not such as a table of this game can hold.
    #[error("impossible content: {0}")]
    Content(&'static str),
    /// The table holds a part of an array only.
    #[error("a shard that holds only some blocks of an array: merge the shards first")]
    Shard,
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
    Payload(Box<dyn std::error::Error + Send + Sync>),
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
    /// The caller's callback asked to stop.
    #[error("stopped")]
    Cancelled,
}

/// What to do about an error of the operating system.
fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space and start again, which continues where it stopped"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose a folder that may be written"
        }
        io::ErrorKind::NotFound => "; check the name",
        _ => "",
    }
}

fn version_text(found: u16) -> String {
    if found < VERSION {
        format!("format version {found}, which this program no longer reads: build the table again")
    } else {
        format!("format version {found}, but this program knows only version {VERSION}: use a newer program")
    }
}

impl Reason {
    /// What sort of error it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Reason::Io { error, .. } => match error.kind() {
                io::ErrorKind::NotFound => ErrorKind::NotFound,
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorKind::Full,
                _ => ErrorKind::Io,
            },
            Reason::NotATable
            | Reason::Version(_)
            | Reason::Game { .. }
            | Reason::Unknown { .. }
            | Reason::Shard => ErrorKind::Unsupported,
            Reason::Damaged(_)
            | Reason::Inconsistent(_)
            | Reason::Content(_)
            | Reason::Size { .. }
            | Reason::Payload(_)
            | Reason::Scratch(_) => ErrorKind::Damaged,
            Reason::Unfinished | Reason::Incomplete { .. } => ErrorKind::Unfinished,
            Reason::NoSuchBlock(_) => ErrorKind::NoSuchBlock,
            Reason::Exists | Reason::Foreign => ErrorKind::InTheWay,
            Reason::WrongBlock(_) | Reason::Stopped => ErrorKind::Misuse,
            Reason::Limit(_) => ErrorKind::Full,
            Reason::Locked(_) => ErrorKind::Busy,
            Reason::Cancelled => ErrorKind::Cancelled,
        }
    }
}

impl StoreError {
    /// An error of a file or folder.
    #[must_use]
    pub fn new(path: &Path, reason: impl Into<Reason>) -> StoreError {
        StoreError { path: path.to_owned(), block: None, reason: reason.into() }
    }

    /// What the operating system said when `action` was tried.
    #[must_use]
    pub fn io(path: &Path, action: &'static str, error: io::Error) -> StoreError {
        StoreError::new(path, Reason::Io { action, error })
    }

    /// The same about a block of the file.
    #[must_use]
    pub fn of_block(mut self, block: u64) -> StoreError {
        self.block = Some(block);
        self
    }

    /// What sort of error it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.reason.kind()
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        if let Some(block) = self.block {
            write!(f, "block {block}: ")?;
        }
        write!(f, "{}", self.reason)
    }
}
