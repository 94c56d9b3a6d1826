//! Builds of tables: the solution, the files, and the resumption after an interruption.
//!
//! This is the only room that uses both the solvers and the tables.

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
    /// The number of threads of the current rayon pool. With 1, the calling thread does all work.
    pub threads: NonZeroUsize,
    /// The memory limit in bytes.
    pub memory: u64,
    /// The folder for temporary data that exceeds the memory.
    pub scratch: PathBuf,
    /// The size limit of temporary data in bytes.
    pub scratch_limit: u64,
}

/// The result of a build.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// The paths of the tables, in the order of the slices.
    pub paths: Vec<PathBuf>,
    /// The size of all tables in bytes.
    pub bytes: u64,
    /// The peak size of temporary data in bytes.
    pub scratch_bytes: u64,
    /// `true` if all tables existed before.
    pub already: bool,
    /// The number of decoded blocks of next slices.
    pub decoded: Decoded,
    /// Slices of a game that should be kept but are missing. Slices with fewer marbles exist, so
    /// the build doesn't need the missing ones.
    pub gaps: Vec<u8>,
}

/// Numbers of decoded blocks. With little memory, a block is decoded several times for each section
/// that needs it. A computed block that stays in memory is never decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    /// The number of decoded blocks, with repetitions.
    pub all: u64,
    /// The number of blocks in the next slices.
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

/// The error of a build.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file or folder can't be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The solver failed or was cancelled.
    #[error(transparent)]
    Solve(SolveError),
    /// The next slice lacks a section.
    #[error("the next slice lacks section {0}: build that slice again")]
    Missing(Section),
    /// A file of counts can't be read or written.
    #[error(transparent)]
    Counts(#[from] CountsError),
    /// The counts of a slice differ from the published ones.
    #[error(
        "{0}: the machine has erred, or what it was computed from was damaged: the slice is kept aside as \
         {wrong}, and the same command computes it again",
        wrong = .1.display()
    )]
    Wrong(Difference, PathBuf),
    /// The folder has no slice to start from.
    #[error(
        "{folder} has no complete slice of {target} with more than {down_to} marbles to start from",
        folder = folder.display()
    )]
    NothingThere {
        /// The searched folder.
        folder: PathBuf,
        /// The target.
        target: Target,
        /// The number of marbles of the last slice to build.
        down_to: u8,
    },
    /// A slice below a root is too large for a table.
    #[error(
        "the slice with {slice} marbles has {} boards, but a table holds at most {}: keep fewer slices",
        thousands(*.boards),
        thousands(u32::MAX.into())
    )]
    TooLarge {
        /// The number of marbles of the slice.
        slice: u8,
        /// The number of boards in the slice.
        boards: u64,
    },
    /// The interrupted build was started with other settings.
    #[error(
        "this build was started with {what}: continue it that way, or delete {folder} to start over",
        folder = folder.display()
    )]
    Begun {
        /// The settings of the interrupted build.
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

/// Sources, sinks and spill stores of a build are files, so their errors are file errors where
/// possible.
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
