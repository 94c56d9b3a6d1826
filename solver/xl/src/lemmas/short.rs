//! [`ShortWins`]: the results of searches for wins in five plies, shared by the threads of a proof.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use pentago_base::{Stopped, lock, try_lock};

use super::pattern::{Answer, Lemma, Spot};

/// The result of a search for a win in five plies.
#[derive(Clone, Default)]
pub(super) struct ShortWin {
    pub answer: Option<Answer>,
    /// The lemmas of the answer, which refer to each other by their indices in this list. Empty
    /// after the proof has copied the lemmas.
    pub lemmas: Vec<Lemma>,
    /// The number of nodes of the search, or 0 after the proof has counted them.
    pub nodes: u64,
}

/// The results of searches for wins in five plies, keyed by the least image of the position. A
/// thread holds the lock of a result while it searches. Each result depends only on the position,
/// so it doesn't matter which thread searches.
#[derive(Default)]
pub(super) struct ShortWins {
    results: Mutex<HashMap<Spot, Arc<Mutex<Option<ShortWin>>>>>,
    /// The number of the move that the proof has reached. Other threads skip this move and the
    /// moves before it.
    reached: AtomicU64,
}

impl ShortWins {
    /// Creates the results of positions without a win in five plies.
    pub(super) fn without(failures: &[Spot]) -> ShortWins {
        let result = |&spot: &Spot| (spot, Arc::new(Mutex::new(Some(ShortWin::default()))));
        let results = Mutex::new(failures.iter().map(result).collect());
        ShortWins { results, ..ShortWins::default() }
    }

    /// Tells the other threads which move the proof has reached.
    pub(super) fn reach(&self, number: u64) {
        self.reached.store(number, Ordering::Relaxed);
    }

    /// Returns the result of a position that is its least image. Searches with `search` if the
    /// position has no result yet. `ahead` is the number of the move that a thread examines ahead
    /// of the proof, or `None` for the proof itself.
    ///
    /// # Errors
    /// If `search` stops. With `ahead`, also if the proof has reached this move, or if another
    /// thread searches this position.
    pub(super) fn get(
        &self,
        spot: &Spot,
        ahead: Option<u64>,
        search: impl FnOnce() -> Result<ShortWin, Stopped>,
    ) -> Result<ShortWin, Stopped> {
        if ahead.is_some_and(|number| number <= self.reached.load(Ordering::Relaxed)) {
            return Err(Stopped);
        }
        let result = self.result(spot);
        let mut result = match ahead {
            None => lock(&result),
            Some(_) => try_lock(&result).ok_or(Stopped)?,
        };
        if result.is_none() {
            *result = Some(search()?);
        }
        Ok(result.clone().unwrap_or_default())
    }

    /// Replaces the result of a position after the proof has copied the lemmas and counted the
    /// nodes.
    pub(super) fn keep(&self, spot: &Spot, answer: Option<Answer>) {
        *lock(&self.result(spot)) = Some(ShortWin { answer, ..ShortWin::default() });
    }

    fn result(&self, spot: &Spot) -> Arc<Mutex<Option<ShortWin>>> {
        Arc::clone(lock(&self.results).entry(*spot).or_default())
    }
}
