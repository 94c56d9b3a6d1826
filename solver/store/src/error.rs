//! What can go wrong with a table: which file, which block, what is wrong, and what to do about it.

use crate::address::is_address;
use crate::layout::{GameId, VERSION};
use pentago_base::counted;
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
pub enum StoreErrorKind {
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
    #[error("cannot {action}: {error}{}", hint(action, error))]
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
    #[error("an unfinished table")]
    Unfinished,
    /// The file has the name of a finished table, and was never finished.
    #[error("not finished, or emptied")]
    Emptied,
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
    #[error("the {0} is damaged (wrong checksum)")]
    Damaged(&'static str),
    /// The parts contradict each other.
    #[error("inconsistent table: {0}")]
    Inconsistent(&'static str),
    /// The arrays are not such as a table of this game can hold.
    #[error("impossible content: {0}")]
    Content(&'static str),
    /// The table holds a part of an array only.
    #[error("a shard that holds only some blocks of an array: it is of use with the other shards only")]
    Shard,
    /// Shards that are no shards of one table.
    #[error("not a shard of the same table as the others: {0}")]
    OtherShard(&'static str),
    /// The file is shorter or longer than it says.
    #[error("{found} bytes long instead of {expected}")]
    Size {
        /// Bytes of the file.
        found: u64,
        /// Bytes that the header says it has.
        expected: u64,
    },
    /// The payload of a block cannot be decoded though its checksum is right.
    #[error("cannot be decoded: {0}")]
    Payload(Box<dyn std::error::Error + Send + Sync>),
    /// There is no such block.
    #[error("no such block: the table has {0} blocks")]
    NoSuchBlock(u64),
    /// A file of no use has the name of a table that is to be built.
    #[error("{text}")]
    Useless {
        /// What sort of error reading it is.
        kind: StoreErrorKind,
        /// What that error says.
        text: String,
    },
    /// A finished table has this name already.
    #[error("a finished table exists already: remove it, or choose another name")]
    Exists,
    /// A folder, a pipe or a device has the name of the table.
    #[error("{0} has this name: remove it, or choose another")]
    OtherKind(&'static str),
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
    #[error("the limit of {} is reached: raise it and run again; all data written is kept", counted(*.0, "byte"))]
    Limit(u64),
    /// A scratch file isn't what was written.
    #[error("a damaged temporary file: {0}: delete its folder and build again")]
    Scratch(&'static str),
    /// Another process builds in the folder.
    #[error("another process is building here ({0}): wait for it, or use another folder")]
    Locked(String),
    /// The caller's callback asked to stop.
    #[error("stopped")]
    Cancelled,
}

/// Advice for an error of the operating system.
fn hint(action: &str, error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space and run the same command again to continue"
        }
        io::ErrorKind::FileTooLarge => {
            "; raise the limit on the size of files (`ulimit -f`) and run the same command again to continue"
        }
        io::ErrorKind::PermissionDenied if ["open", "read", "look through", "look for"].contains(&action) => {
            "; choose one with read access"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose a folder with write access"
        }
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory if action == "create" => {
            "; a file has the name of a folder: remove it, or choose another folder"
        }
        io::ErrorKind::NotFound => "; check the name",
        _ => "",
    }
}

fn version_text(found: u16) -> String {
    if found < VERSION {
        format!("format version {found}, made by an older version: build or import the table again")
    } else {
        format!("format version {found}, but this program reads only version {VERSION}: use a newer program")
    }
}

impl Reason {
    /// What sort of error it is.
    #[must_use]
    pub fn kind(&self) -> StoreErrorKind {
        match self {
            Reason::Io { error, .. } => match error.kind() {
                io::ErrorKind::NotFound => StoreErrorKind::NotFound,
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreErrorKind::Full,
                _ => StoreErrorKind::Io,
            },
            Reason::NotATable
            | Reason::Version(_)
            | Reason::Game { .. }
            | Reason::Unknown { .. }
            | Reason::Shard
            | Reason::OtherShard(_) => StoreErrorKind::Unsupported,
            Reason::Damaged(_)
            | Reason::Inconsistent(_)
            | Reason::Content(_)
            | Reason::Size { .. }
            | Reason::Payload(_)
            | Reason::Scratch(_) => StoreErrorKind::Damaged,
            Reason::Unfinished | Reason::Emptied | Reason::Incomplete { .. } => StoreErrorKind::Unfinished,
            Reason::Useless { kind, .. } => *kind,
            Reason::NoSuchBlock(_) => StoreErrorKind::NoSuchBlock,
            Reason::Exists | Reason::OtherKind(_) | Reason::Foreign => StoreErrorKind::InTheWay,
            Reason::WrongBlock(_) | Reason::Stopped => StoreErrorKind::Misuse,
            Reason::Limit(_) => StoreErrorKind::Full,
            Reason::Locked(_) => StoreErrorKind::Busy,
            Reason::Cancelled => StoreErrorKind::Cancelled,
        }
    }

    /// What to do about a file that isn't what it must be, here or `on_host`.
    fn advice(&self, on_host: bool) -> &'static str {
        match self {
            Reason::Unfinished
            | Reason::Emptied
            | Reason::Damaged(_)
            | Reason::Inconsistent(_)
            | Reason::Size { .. }
            | Reason::Payload(_)
                if on_host =>
            {
                ": ask whoever keeps the host to publish it again, or name another host"
            }
            Reason::Unfinished => ": run the same build again to continue it",
            Reason::Payload(_) => ": build the table again",
            Reason::Emptied | Reason::Damaged(_) | Reason::Inconsistent(_) | Reason::Size { .. } => {
                ": copy the file again, or delete it and build it again"
            }
            _ => "",
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
    pub fn kind(&self) -> StoreErrorKind {
        self.reason.kind()
    }

    /// What is wrong, and what to do about it.
    pub(crate) fn what(&self) -> String {
        format!("{}{}", self.reason, self.reason.advice(is_address(&self.path)))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        if let Some(block) = self.block {
            write!(f, "block {block}: ")?;
        }
        f.write_str(&self.what())
    }
}
