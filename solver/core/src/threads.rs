//! Runs work on all threads of the current rayon pool.

use pentago_base::ALONE;
use rayon::prelude::*;
use std::num::NonZeroUsize;

/// Returns the number of threads of the current rayon pool.
pub fn count() -> NonZeroUsize {
    let threads = if ALONE { 1 } else { rayon::current_num_threads() };
    NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN)
}

/// Runs `work` once on every thread of the pool. Returns the results in the order of the threads.
pub fn broadcast<R: Send>(work: impl Fn() -> R + Sync) -> Vec<R> {
    if ALONE { vec![work()] } else { rayon::broadcast(|_| work()) }
}

/// Applies `of` to all items, and returns the results in the order of the items. If `parallel` is
/// `true`, all threads of the pool share the items.
pub(crate) fn map<T: Send, R: Send>(
    parallel: bool,
    items: Vec<T>,
    of: impl Fn(T) -> R + Sync + Send,
) -> Vec<R> {
    if parallel && !ALONE {
        items.into_par_iter().map(of).collect()
    } else {
        items.into_iter().map(of).collect()
    }
}

/// Runs both closures, and returns both results. If `parallel` is `true`, two threads may run the
/// closures at the same time.
pub(crate) fn join<A: Send, B: Send>(
    parallel: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if parallel && !ALONE { rayon::join(a, b) } else { (a(), b()) }
}
