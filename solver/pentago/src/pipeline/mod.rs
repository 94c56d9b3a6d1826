//! From a request to finished tables: what it will take, the solution, the files; goes on where it was stopped.
//!
//! The only room that knows both the solvers and the tables.

mod calibration;
mod counted;
mod game;
mod game_calibration;
mod root;
mod state;

pub use calibration::Calibration;
pub use game::{BadSection, GameBuild};
pub use game_calibration::{GameEstimate, SliceEstimate};
pub use root::{BadRoot, RootBuild, RootEstimate};

use crate::index::Section;
use crate::kernel::Kernel;
use crate::solve::{SolveError, Stopped};
use crate::tables::{ErrorKind, TableError, Target};
use crate::verify::counts::CountsError;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// What the work is done with.
#[derive(Clone, Debug)]
pub struct Resources {
    /// The kernel.
    pub kernel: Kernel,
    /// Threads of the rayon pool that the work is done in; 1: it is done in the calling thread alone.
    pub threads: usize,
    /// Bytes of memory that it may take.
    pub memory: u64,
    /// The folder for what doesn't fit in memory.
    pub scratch: PathBuf,
    /// Bytes that may lie there.
    pub scratch_limit: u64,
}

/// What was built.
#[derive(Clone, Debug)]
pub struct Built {
    /// The tables, by slice.
    pub paths: Vec<PathBuf>,
    /// Bytes of them.
    pub bytes: u64,
    /// The most bytes that lay in the scratch folder at one time.
    pub scratch_bytes: u64,
    /// They were there already.
    pub already: bool,
    /// How often blocks of next slices were decoded.
    pub decoded: Decoded,
}

/// How often blocks were decoded: where memory is short, more than once for each section that depends on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    /// All times.
    pub all: u64,
    /// If it were once for each block.
    pub once: u64,
}

impl Built {
    fn new(paths: Vec<PathBuf>, scratch_bytes: u64, already: bool) -> Result<Built, TableError> {
        let size =
            |path: &PathBuf| fs::metadata(path).map(|m| m.len()).map_err(|e| io_error(path, "look for", e));
        let bytes = paths.iter().map(size).sum::<Result<u64, TableError>>()?;
        Ok(Built { paths, bytes, scratch_bytes, already, decoded: Decoded::default() })
    }
}

fn io_error(path: &Path, action: &'static str, error: io::Error) -> TableError {
    TableError { path: path.to_owned(), block: None, kind: ErrorKind::Io { action, error } }
}

/// Why tables weren't built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file or folder.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Memory.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A section of the next slice.
    #[error("the next slice lacks section {0}: build that slice again")]
    Missing(Section),
    /// A list of counts that was begun.
    #[error(transparent)]
    Counts(#[from] CountsError),
    /// Nowhere to go on from.
    #[error("{folder} has no complete slice of {target} with more than {down_to} marbles to start from", folder = folder.display())]
    NothingThere {
        /// Where it was looked for.
        folder: PathBuf,
        /// What was looked for.
        target: Target,
        /// Marbles of the slice that was asked for.
        down_to: u8,
    },
    /// A slice below a root that is too large for a table.
    #[error(
        "the slice with {slice} marbles has {boards} boards, a table holds at most {}: keep fewer slices",
        u32::MAX
    )]
    TooLarge {
        /// Marbles of the slice.
        slice: u8,
        /// Its boards.
        boards: u64,
    },
    /// It was begun in another way.
    #[error(
        "this build was started with {what}: continue it that way, or delete {folder} to start over",
        folder = folder.display()
    )]
    Begun {
        /// What is different.
        what: String,
        /// The scratch folder.
        folder: PathBuf,
    },
}

impl From<Stopped> for BuildError {
    fn from(stopped: Stopped) -> BuildError {
        match stopped {
            Stopped::Spill(error) => match error.downcast::<TableError>() {
                Ok(error) => BuildError::Table(*error),
                Err(error) => BuildError::Solve(Stopped::Spill(error).into()),
            },
            Stopped::Cancelled(_) => BuildError::Solve(stopped.into()),
        }
    }
}
