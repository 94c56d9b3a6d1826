//! Builds of tables: computes a solution, writes the files, and resumes after an interruption.
//!
//! Only this module uses both the solvers and the tables.

mod game;
mod root;
pub(crate) mod share;

pub(crate) use game::{FREEING_STEPS, least_memory};
pub use game::{GameBuild, Shard};
pub(crate) use root::RUN;
pub use root::RootBuild;
pub use share::{Shares, Weights};

use pentago_core::kernel::Kernel;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The resources of a build.
#[derive(Clone, Debug)]
pub struct Resources {
    /// The kernel to use.
    pub kernel: Kernel,
    /// The number of threads of the current rayon pool. With one thread, the calling thread does
    /// all work.
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
    /// The paths of the tables, in the order of their slices.
    pub paths: Vec<PathBuf>,
    /// The size of all tables in bytes.
    pub bytes: u64,
    /// The peak size of temporary data in bytes.
    pub scratch_bytes: u64,
    /// `true` if all tables already existed.
    pub already: bool,
    /// The number of blocks that were decoded to compute slices of a game.
    pub decoded: Decoded,
    /// The slices of a game that should be kept but are missing. Slices with fewer marbles exist,
    /// so the build doesn't need the missing slices.
    pub gaps: Vec<u8>,
}

/// Counts of decoded blocks. With little memory, a block is decoded several times for each section
/// that needs the block. A computed block that stays in memory is never decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    /// The number of decoded blocks. A block that is decoded twice counts twice.
    pub all: u64,
    /// The number of blocks in the slices from which other slices were computed.
    pub once: u64,
}

impl From<pentago_store::Built> for Built {
    fn from(built: pentago_store::Built) -> Built {
        let pentago_store::Built { paths, bytes, already } = built;
        Built { paths, bytes, already, ..Built::default() }
    }
}
