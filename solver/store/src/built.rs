//! Types and settings that the table builders of all games share.

use crate::error::StoreError;
use crate::writer::RawSettings;
use pentago_base::Stopped;
use std::error::Error;
use std::path::PathBuf;

/// The name and version of this program, as stored in the headers of tables.
pub const PROGRAM: &str = concat!("pentago ", env!("CARGO_PKG_VERSION"));

/// The maximum size, in bytes, of the payloads that wait in memory until all earlier blocks are
/// written. This limit suffices if blocks arrive nearly in order.
const WAITING: usize = 4 << 20;

/// Returns the settings of a writer whose blocks arrive nearly in order.
pub fn in_order() -> RawSettings {
    RawSettings { waiting: WAITING, ..RawSettings::new(PROGRAM) }
}

/// An error that ends a build of tables.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A table can't be read or written.
    #[error(transparent)]
    Table(#[from] StoreError),
    /// The caller cancelled the build.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The memory limit is too low.
    #[error("at least {needed} bytes of memory are needed, but the limit is {limit}")]
    Memory {
        /// The memory that the build needs, in bytes.
        needed: u64,
        /// The memory that the build may use, in bytes.
        limit: u64,
    },
    /// The requested tables are too large to be built.
    #[error("{0}")]
    TooLarge(Box<dyn Error + Send + Sync>),
    /// The solver failed.
    #[error("{0}")]
    Solver(Box<dyn Error + Send + Sync>),
}

/// The tables that a build has finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The paths of the tables, sorted by slice.
    pub paths: Vec<PathBuf>,
    /// The size of all tables in bytes.
    pub bytes: u64,
    /// `true` if all tables existed before the build.
    pub already: bool,
}

impl Built {
    /// Creates the summary of finished tables. Reads the sizes of the table files from the disk.
    ///
    /// # Errors
    /// If a table doesn't exist.
    pub fn of(paths: Vec<PathBuf>, already: bool) -> Result<Built, StoreError> {
        let mut bytes = 0;
        for path in &paths {
            bytes += path.metadata().map_err(|error| StoreError::io(path, "look for", error))?.len();
        }
        Ok(Built { paths, bytes, already })
    }
}

/// The estimated cost of a build.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableEstimate {
    /// The number of boards or positions in the target.
    pub boards: u64,
    /// The number of boards or positions whose values are stored.
    pub kept_boards: u64,
    /// The number of times that each position is computed.
    pub times: u64,
    /// The memory that the build needs, in bytes.
    pub memory: u64,
    /// The size of the values before compression, in bytes.
    pub raw_bytes: u64,
    /// The estimated size of the tables in bytes.
    pub bytes: u64,
    /// The maximum size in bytes of the journals that exist at the same time.
    pub journals: u64,
    /// The estimated time in seconds.
    pub seconds: f64,
}
