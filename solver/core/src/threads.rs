//! Runs work on all threads of the current rayon pool. If the crate is built without the feature
//! `parallel`, which uses rayon, the calling thread does all the work.

use std::num::NonZeroUsize;

/// Returns the number of threads of the current rayon pool, or 1 without the feature `parallel`.
pub fn count() -> NonZeroUsize {
    #[cfg(feature = "parallel")]
    let count = NonZeroUsize::new(rayon::current_num_threads()).unwrap_or(NonZeroUsize::MIN);
    #[cfg(not(feature = "parallel"))]
    let count = NonZeroUsize::MIN;
    count
}

/// Runs `work` once on every thread of the pool. Returns the results in the order of the threads.
pub fn broadcast<R: Send>(work: impl Fn() -> R + Sync) -> Vec<R> {
    #[cfg(feature = "parallel")]
    let results = rayon::broadcast(|_| work());
    #[cfg(not(feature = "parallel"))]
    let results = vec![work()];
    results
}

/// Applies `of` to all items, and returns the results in the order of the items. If `parallel` is
/// `true`, all threads of the pool share the items.
pub(crate) fn map<T: Send, R: Send>(
    parallel: bool,
    items: Vec<T>,
    of: impl Fn(T) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "parallel")]
    if parallel {
        use rayon::prelude::*;
        return items.into_par_iter().map(of).collect();
    }
    let _ = parallel;
    items.into_iter().map(of).collect()
}

/// Runs both closures, and returns both results. If `parallel` is `true`, two threads may run the
/// closures at the same time.
pub(crate) fn join<A: Send, B: Send>(
    parallel: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    if parallel {
        return rayon::join(a, b);
    }
    let _ = parallel;
    (a(), b())
}
