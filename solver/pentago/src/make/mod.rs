//! From a request to finished tables: solution, files, and resuming after an interruption.
//!
//! The only room that knows both the solvers and the tables.

mod game;
mod root;
pub(crate) mod share;

pub use game::{BadSection, GameBuild, Shard};
pub(crate) use root::RUN;
pub use root::{BadRoot, RootBuild};
pub use share::{Shares, Weights};

use pentago_base::{Stopped, thousands};
use pentago_core::index::Section;
use pentago_core::kernel::Kernel;
use pentago_core::solve::SolveError;
use pentago_core::values::BoxError;
use pentago_tables::tables::{TableError, Target};
use pentago_tables::verify::counts::{CountsError, Difference};
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The resources of a build.
#[derive(Clone, Debug)]
pub struct Resources {
    /// The kernel.
    pub kernel: Kernel,
    /// Number of threads of the current rayon pool; with 1, the calling thread does all work.
    pub threads: NonZeroUsize,
    /// Memory limit in bytes.
    pub memory: u64,
    /// The folder for temporary data that doesn't fit in memory.
    pub scratch: PathBuf,
    /// Limit for its size in bytes.
    pub scratch_limit: u64,
}

/// The result of a build.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// The tables, by slice.
    pub paths: Vec<PathBuf>,
    /// Their size in bytes.
    pub bytes: u64,
    /// Peak size of the temporary data in bytes.
    pub scratch_bytes: u64,
    /// Whether all of them existed before.
    pub already: bool,
    /// The number of times that blocks of next slices were decoded.
    pub decoded: Decoded,
    /// Slices of a game that were to stay, and aren't there: slices below them are, so that nothing else
    /// needs them.
    pub gaps: Vec<u8>,
}

/// The number of decoded blocks: if memory is short, each is decoded more than once for each
/// section that depends on it; blocks that stay in memory as they were computed are never decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    /// Counting repetitions.
    pub all: u64,
    /// Counting each block that was needed once.
    pub once: u64,
}

impl Built {
    fn new(paths: Vec<PathBuf>, scratch_bytes: u64, already: bool) -> Result<Built, TableError> {
        let size = |path: &PathBuf| {
            fs::metadata(path).map(|m| m.len()).map_err(|e| TableError::io(path, "look for", e))
        };
        let bytes = paths.iter().map(size).sum::<Result<u64, TableError>>()?;
        Ok(Built { paths, bytes, scratch_bytes, already, decoded: Decoded::default(), gaps: Vec::new() })
    }
}

impl From<pentago_store::Built> for Built {
    fn from(built: pentago_store::Built) -> Built {
        let pentago_store::Built { paths, bytes, already } = built;
        Built { paths, bytes, already, ..Built::default() }
    }
}

/// Why a build failed.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// An error in a file or folder.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The solver failed or was cancelled.
    #[error(transparent)]
    Solve(SolveError),
    /// The next slice lacks a section.
    #[error("the next slice lacks section {0}: build that slice again")]
    Missing(Section),
    /// An error in a list of counts.
    #[error(transparent)]
    Counts(#[from] CountsError),
    /// A slice has other counts than those that were published.
    #[error(
        "{0}: the machine has erred, or what it was computed from was damaged: the slice is kept aside as \
         {wrong}, and the same command computes it again",
        wrong = .1.display()
    )]
    Wrong(Difference, PathBuf),
    /// There is no slice to start from.
    #[error(
        "{folder} has no complete slice of {target} with more than {down_to} marbles to start from",
        folder = folder.display()
    )]
    NothingThere {
        /// The searched folder.
        folder: PathBuf,
        /// The target.
        target: Target,
        /// The number of marbles of the requested slice.
        down_to: u8,
    },
    /// A slice below a root that is too large for a table.
    #[error(
        "the slice with {slice} marbles has {} boards, but a table holds at most {}: keep fewer slices",
        thousands(*.boards),
        thousands(u32::MAX.into())
    )]
    TooLarge {
        /// The number of marbles of the slice.
        slice: u8,
        /// The number of its boards.
        boards: u64,
    },
    /// It was started with other settings.
    #[error(
        "this build was started with {what}: continue it that way, or delete {folder} to start over",
        folder = folder.display()
    )]
    Begun {
        /// The settings that it was started with.
        what: String,
        /// The scratch folder.
        folder: PathBuf,
    },
}

impl From<SolveError> for BuildError {
    fn from(error: SolveError) -> BuildError {
        match error {
            SolveError::Spill(error) => error.into(),
            error => BuildError::Solve(error),
        }
    }
}

/// The sources, sinks and spill stores of a build are files: what goes wrong in one is told as such.
impl From<BoxError> for BuildError {
    fn from(error: BoxError) -> BuildError {
        let table = error.downcast().map(|error| BuildError::Table(*error));
        let known = table.or_else(|error| error.downcast().map(|error| BuildError::Counts(*error)));
        known.unwrap_or_else(|error| BuildError::Solve(SolveError::Spill(error)))
    }
}

impl From<Stopped> for BuildError {
    fn from(stopped: Stopped) -> BuildError {
        BuildError::Solve(stopped.into())
    }
}
