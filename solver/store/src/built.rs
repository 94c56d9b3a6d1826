//! What builders of tables have in common.

use crate::error::StoreError;
use crate::writer::RawSettings;
use pentago_base::Stopped;
use std::error::Error;
use std::path::PathBuf;

/// The name and version of this program, for headers.
pub const PROGRAM: &str = concat!("pentago ", env!("CARGO_PKG_VERSION"));

/// Payloads that may wait for their turn to be written, in bytes, where blocks come nearly in order.
const WAITING: usize = 4 << 20;

/// How tables are written whose blocks come nearly in order.
#[must_use]
pub fn in_order() -> RawSettings {
    RawSettings { waiting: WAITING, ..RawSettings::new(PROGRAM) }
}

/// Why tables were not built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The tables.
    #[error(transparent)]
    Table(#[from] StoreError),
    /// It was asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Memory doesn't suffice.
    #[error("at least {needed} bytes of memory are needed, but the limit is {limit}")]
    Memory {
        /// Bytes that it takes.
        needed: u64,
        /// Bytes that it may take.
        limit: u64,
    },
    /// There are no such tables.
    #[error("{0}")]
    TooLarge(Box<dyn Error + Send + Sync>),
    /// The solver failed.
    #[error("{0}")]
    Solver(Box<dyn Error + Send + Sync>),
}

/// What was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The tables, by slice.
    pub paths: Vec<PathBuf>,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Nothing had to be done.
    pub already: bool,
}

impl Built {
    /// These tables, which are finished.
    ///
    /// # Errors
    /// If one isn't there.
    pub fn of(paths: Vec<PathBuf>, already: bool) -> Result<Built, StoreError> {
        let mut bytes = 0;
        for path in &paths {
            bytes += path.metadata().map_err(|error| StoreError::io(path, "look for", error))?.len();
        }
        Ok(Built { paths, bytes, already })
    }
}

/// What building takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableEstimate {
    /// Boards or positions of which the tables are.
    pub boards: u64,
    /// Those whose values are kept.
    pub kept_boards: u64,
    /// How often each is computed: for each question that the tables answer.
    pub times: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of the values before compression.
    pub raw_bytes: u64,
    /// Bytes of the tables, about.
    pub bytes: u64,
    /// Seconds, about.
    pub seconds: f64,
}
