//! [`Pool`]: a thread pool that still works after a fork of the process.

use crate::error::{Error, ErrorKind};
use rayon::ThreadPool;
use std::num::NonZeroUsize;
use std::process;
use std::sync::OnceLock;

/// A thread pool. A fork copies only the calling thread, so each process starts its own threads
/// when it first needs them.
#[derive(Debug, Default)]
pub struct Pool {
    threads: Option<NonZeroUsize>,
    first: OnceLock<Box<Started>>,
}

/// The threads of one process.
#[derive(Debug)]
struct Started {
    process: u32,
    /// `None` only while the value is dropped.
    pool: Option<ThreadPool>,
    /// The threads of a process that was forked from this one.
    next: OnceLock<Box<Started>>,
}

impl Pool {
    /// Makes a pool without starting its threads. If `threads` is `None`, the pool has one thread
    /// for each CPU that the process may use.
    #[must_use]
    pub fn new(threads: Option<NonZeroUsize>) -> Pool {
        Pool { threads, first: OnceLock::new() }
    }

    /// Returns the threads of this process. The first call starts the threads.
    ///
    /// # Errors
    /// [`Environment`](ErrorKind::Environment) if the threads can't be started.
    pub fn get(&self) -> Result<&ThreadPool, Error> {
        let process = process::id();
        let mut place = &self.first;
        loop {
            match place.get().map(|started| &**started) {
                Some(Started { process: owner, pool: Some(pool), .. }) if *owner == process => {
                    return Ok(pool);
                }
                Some(started) => place = &started.next,
                None => {
                    let threads = self.threads.map_or(0, NonZeroUsize::get);
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                    let failed = |error| format!("starting the threads of the solver: {error}");
                    let pool = pool.map_err(|error| Error::new(ErrorKind::Environment, failed(error)));
                    let pool = Some(pool?);
                    // If another thread has started threads in the meantime, use those threads.
                    place.get_or_init(|| Box::new(Started { process, pool, next: OnceLock::new() }));
                }
            }
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if self.process != process::id() {
            // The threads belong to another process: ending them could block for ever.
            std::mem::forget(self.pool.take());
        }
    }
}
