//! The errors of tables. Each error names the file, the affected block (if any), the reason, and a
//! remedy.

use crate::address::is_address;
use crate::layout::{GameId, VERSION};
use pentago_base::{counted, shown_path};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error that concerns a table or a folder of tables.
#[derive(Debug, thiserror::Error)]
pub struct StoreError {
    /// The path or address of the file or folder.
    pub path: PathBuf,
    /// The index of the affected block among all blocks of the file, if the error concerns one
    /// block.
    pub block: Option<u64>,
    /// The reason of the error.
    pub reason: Reason,
}

/// The category of an error. The categories are stable: they determine exit codes, HTTP statuses
/// and exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// A file or folder doesn't exist.
    NotFound,
    /// An error of the operating system that no other kind describes.
    Io,
    /// The disk is full, or the permitted disk space is used up.
    Full,
    /// The file has an unknown format, or belongs to another game or version.
    Unsupported,
    /// The content of the file has changed since it was written.
    Damaged,
    /// The table isn't finished.
    Unfinished,
    /// The table doesn't contain the requested block.
    NoSuchBlock,
    /// The path of the table to be written belongs to another file or folder.
    InTheWay,
    /// Another process is building in the folder.
    Busy,
    /// The caller broke the contract of a function.
    Misuse,
    /// The caller cancelled the operation.
    Cancelled,
}

/// The reason of an error, with the details that the message shows.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// An operation of the system failed.
    #[error("cannot {action}: {error}{}", hint(action, error))]
    Io {
        /// The failed operation as a verb, such as `read`.
        action: &'static str,
        /// The error of the system.
        error: io::Error,
    },
    /// The file doesn't begin with the magic bytes of a table.
    #[error("not a pentago table")]
    NotATable,
    /// The file is a table that was never finished.
    #[error("an unfinished table")]
    Unfinished,
    /// The file has the extension of a finished table, but its header was never written.
    #[error("the header is empty: the table was never finished, or was emptied")]
    Emptied,
    /// This program can't read the format version of the file.
    #[error("{}", version_text(*.0))]
    Version(u16),
    /// The file is a table of another game.
    #[error("a table of {found}, not of {expected}")]
    Game {
        /// The game of the table.
        found: GameId,
        /// The game that the caller requested.
        expected: GameId,
    },
    /// A field has a value that this format version doesn't define.
    #[error("unknown {what} {value}: use a newer program, or build the table again")]
    Unknown {
        /// The name of the field.
        what: &'static str,
        /// The value of the field.
        value: u8,
    },
    /// A part of the file doesn't match its checksum.
    #[error("the {0} is damaged (wrong checksum)")]
    Damaged(&'static str),
    /// Two parts of the file contradict each other.
    #[error("inconsistent table: {0}")]
    Inconsistent(&'static str),
    /// The arrays violate a limit or a rule that all tables respect.
    #[error("impossible content: {0}")]
    Content(&'static str),
    /// The file is a shard: it holds only some blocks of an array.
    #[error("a shard, which holds only some blocks of an array: open it together with the other shards")]
    Shard,
    /// The files are not shards of one table.
    #[error("not a shard of the same table as the others: {0}")]
    OtherShard(&'static str),
    /// The length of the file differs from the length in its header.
    #[error("{found} bytes long instead of {expected}")]
    Size {
        /// The length of the file in bytes.
        found: u64,
        /// The length in the header, in bytes.
        expected: u64,
    },
    /// The payload of a block can't be decoded although its checksum matches.
    #[error("cannot be decoded: {0}")]
    Payload(Box<dyn std::error::Error + Send + Sync>),
    /// The table doesn't contain the requested block. The field is the number of blocks in the
    /// table.
    #[error("no such block: the table has {0} blocks")]
    NoSuchBlock(u64),
    /// An unusable file has the path of a table that is to be built.
    #[error("{text}")]
    Useless {
        /// The category of the error that makes the file unusable.
        kind: StoreErrorKind,
        /// The message of the error that makes the file unusable.
        text: String,
    },
    /// A finished table with this path exists.
    #[error("a finished table exists already: remove it, or choose another name")]
    Exists,
    /// A folder, a pipe or a device has the path of the table.
    #[error("{0} has this name: remove it, or choose another name")]
    OtherKind(&'static str),
    /// The unfinished table at this path has other content, settings or program version than the
    /// requested table.
    #[error(
        "an unfinished table with other content, settings or program version exists: \
         finish it with these, or delete it"
    )]
    Foreign,
    /// A block was written twice, or its number of entries or counters is wrong.
    #[error("{0}")]
    WrongBlock(&'static str),
    /// The table lacks blocks and can't be finished.
    #[error("the table can't be finished yet: it has {done} of {blocks} blocks")]
    Incomplete {
        /// The number of blocks before the first missing block.
        done: u64,
        /// The number of blocks in the table.
        blocks: u64,
    },
    /// The next write would exceed the size limit of temporary files. The field is the limit in
    /// bytes.
    #[error(
        "the size limit of {} is reached: raise the limit and run again; all data written is kept",
        counted(*.0, "byte")
    )]
    Limit(u64),
    /// The content of a temporary file has changed since it was written.
    #[error("a damaged temporary file: {0}: delete its folder and build again")]
    Scratch(&'static str),
    /// Another process is building in the folder. The text names that process.
    #[error("another process is building here ({0}): wait for it, or use another folder")]
    Locked(String),
    /// The caller's callback cancelled the operation.
    #[error("stopped")]
    Cancelled,
}

/// Returns a remedy for an error of the system, to be appended to the error message. Returns an
/// empty string if no remedy is known.
fn hint(action: &str, error: &io::Error) -> &'static str {
    match error.kind() {
        _ if too_many_open(error) => "; raise the limit on open files (`ulimit -n`)",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space and run the same command again to continue"
        }
        io::ErrorKind::FileTooLarge => {
            "; raise the limit on the size of files (`ulimit -f`) and run the same command again to continue"
        }
        io::ErrorKind::PermissionDenied if ["open", "read", "look through", "look for"].contains(&action) => {
            "; choose a file or folder with read access"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose a folder with write access"
        }
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory if action == "create" => {
            "; a file has the name of the folder: remove the file, or choose another folder"
        }
        io::ErrorKind::NotFound => "; check the name",
        _ => "",
    }
}

/// Returns `true` if this process or the system has too many open files: EMFILE or ENFILE.
fn too_many_open(error: &io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

fn version_text(found: u16) -> String {
    if found < VERSION {
        format!("format version {found}, made by an older version: build or import the table again")
    } else {
        format!("format version {found}, but this program reads only version {VERSION}: use a newer program")
    }
}

impl Reason {
    /// Returns the category of the error.
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
            Reason::WrongBlock(_) => StoreErrorKind::Misuse,
            Reason::Limit(_) => StoreErrorKind::Full,
            Reason::Locked(_) => StoreErrorKind::Busy,
            Reason::Cancelled => StoreErrorKind::Cancelled,
        }
    }

    /// Returns a remedy for an invalid file, to be appended to the error message. Returns an empty
    /// string if no remedy is known. `on_host` is `true` if the file is on a host, and `false` if
    /// the file is local.
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
                ": ask the operator of the host to publish the table again, or name another host"
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
    /// Creates an error that concerns a file or folder.
    pub fn new(path: &Path, reason: impl Into<Reason>) -> StoreError {
        StoreError { path: path.to_owned(), block: None, reason: reason.into() }
    }

    /// Creates an error for a failed operation of the system. `action` names the operation as a
    /// verb, such as `read`.
    pub fn io(path: &Path, action: &'static str, error: io::Error) -> StoreError {
        StoreError::new(path, Reason::Io { action, error })
    }

    /// Adds the index of the affected block to the error.
    #[must_use]
    pub fn of_block(mut self, block: u64) -> StoreError {
        self.block = Some(block);
        self
    }

    /// Returns the category of the error.
    pub fn kind(&self) -> StoreErrorKind {
        self.reason.kind()
    }

    /// Returns `true` if the file didn't cause the error. Instead, the host of the file didn't
    /// respond, or this process has too many open files.
    pub fn is_external(&self) -> bool {
        let Reason::Io { error, .. } = &self.reason else { return false };
        error.kind() == io::ErrorKind::Other || too_many_open(error)
    }

    /// Returns the reason and the remedy as text, without the path.
    pub(crate) fn what(&self) -> String {
        format!("{}{}", self.reason, self.reason.advice(is_address(&self.path)))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", shown_path(&self.path))?;
        if let Some(block) = self.block {
            write!(f, "block {block}: ")?;
        }
        f.write_str(&self.what())
    }
}
