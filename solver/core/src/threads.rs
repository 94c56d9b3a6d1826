//! Work for all threads of the current rayon pool, or for the calling thread alone where there is
//! no rayon (feature `parallel`).

use std::num::NonZeroUsize;

/// How many threads the pool has.
pub fn count() -> NonZeroUsize {
    #[cfg(feature = "parallel")]
    let count = NonZeroUsize::new(rayon::current_num_threads()).unwrap_or(NonZeroUsize::MIN);
    #[cfg(not(feature = "parallel"))]
    let count = NonZeroUsize::MIN;
    count
}

/// Runs `work` once on every thread; the results in the order of the threads.
pub fn broadcast<R: Send>(work: impl Fn() -> R + Sync) -> Vec<R> {
    #[cfg(feature = "parallel")]
    let results = rayon::broadcast(|_| work());
    #[cfg(not(feature = "parallel"))]
    let results = vec![work()];
    results
}

/// The results for all items, in order; `parallel`: by all threads.
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

/// Both results; `parallel`: at the same time.
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
