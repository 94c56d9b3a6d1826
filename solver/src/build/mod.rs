//! From a request to finished tables: what it will take, the solution, the files; goes on where it was stopped.
//!
//! The only room that knows both the solvers and the tables.

mod calibration;
mod root;
mod state;

pub use calibration::Calibration;
pub use root::{BadRoot, Built, RootBuild, RootForecast};

use crate::solve::{SolveError, Stopped};
use crate::supers::Kernel;
use crate::table::TableError;
use std::path::PathBuf;

/// What the work is done with.
#[derive(Clone, Debug)]
pub struct Means {
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

/// Why tables weren't built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file or folder.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Memory.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// It was begun in another way.
    #[error(
        "this build was begun with {what}: build it so, or begin afresh after removing {folder}",
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
            Stopped::Shelf(error) => match error.downcast::<TableError>() {
                Ok(error) => BuildError::Table(*error),
                Err(error) => BuildError::Solve(Stopped::Shelf(error).into()),
            },
            Stopped::Cancelled(_) => BuildError::Solve(stopped.into()),
        }
    }
}
