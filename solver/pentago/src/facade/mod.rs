//! The public interface: a few types that solve positions, build tables and probe tables.

#[cfg(feature = "tables")]
mod build;
mod digest;
mod pool;
mod solver;
#[cfg(feature = "tables")]
mod tablebase;
#[cfg(feature = "tables")]
mod verify;

#[cfg(feature = "tables")]
pub use build::Build;
pub use digest::digest;
pub use pool::Pool;
pub use solver::{Solver, SolverBuilder};
#[cfg(feature = "tables")]
pub use tablebase::{GameCounts, TableInfo, TableWalk, Tablebase};
#[cfg(feature = "tables")]
pub use verify::{Checks, Verified};

use crate::error::Error;
use std::num::NonZeroUsize;

/// The default memory limit of a solver or a build: 4 GB.
const DEFAULT_MEMORY: u64 = 4_000_000_000;

/// The worker threads of a solver or a build.
struct Threads {
    count: NonZeroUsize,
    /// The thread pool, or `None` if the calling thread does all work.
    pool: Option<Pool>,
}

impl Threads {
    /// Starts `count` threads. If `count` is `None`, starts one thread for each CPU that this
    /// process may use.
    fn new(count: Option<NonZeroUsize>) -> Result<Threads, Error> {
        let one = NonZeroUsize::MIN;
        let count = count.unwrap_or_else(|| std::thread::available_parallelism().unwrap_or(one));
        let pool = (count > one).then(|| Pool::new(Some(count)));
        pool.as_ref().map(Pool::get).transpose()?;
        Ok(Threads { count, pool })
    }

    /// Runs `work` in these threads, and returns its result.
    fn run<T: Send>(&self, work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
        match &self.pool {
            Some(pool) => pool.get()?.install(work),
            None => work(),
        }
    }
}
