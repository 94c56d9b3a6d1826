//! [`ShortWins`]: the results of searches for wins in five plies, shared by the threads of a proof.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use pentago_base::{Budget, Stopped};

use super::pattern::{Answer, Lemma, Spot};
use super::search::LemmaSearch;

/// The result of a search for a win in five plies.
#[derive(Clone, Default)]
pub(super) struct ShortWin {
    pub answer: Option<Answer>,
    /// The lemmas of the answer. They refer to each other by their indices in this list.
    pub lemmas: Vec<Lemma>,
    /// The number of nodes of the search.
    pub nodes: u64,
}

/// The results of searches for wins in five plies, keyed by the least image of the position. A
/// thread holds the lock of a result while it searches. Each result depends only on the position,
/// so it doesn't matter which thread searches.
#[derive(Default)]
pub(super) struct ShortWins {
    results: Mutex<HashMap<Spot, Arc<Mutex<Option<ShortWin>>>>>,
    /// The number of the move that the proof has reached. Other threads skip this move and the moves
    /// before it.
    reached: AtomicU64,
}

impl ShortWins {
    /// Creates the results of positions without a win in five plies.
    pub(super) fn without(failures: &HashSet<Spot>) -> ShortWins {
        let result = |&spot: &Spot| (spot, Arc::new(Mutex::new(Some(ShortWin::default()))));
        let results = Mutex::new(failures.iter().map(result).collect());
        ShortWins { results, ..ShortWins::default() }
    }

    /// Tells the other threads which move the proof has reached.
    pub(super) fn reach(&self, number: u64) {
        self.reached.store(number, Ordering::Relaxed);
    }

    /// Returns the result of a position that is its least image. Searches if there is no result. A
    /// search for the move with the number `ahead` stops if the proof has reached this move, or if
    /// another thread searches this position.
    pub(super) fn get(&self, spot: &Spot, budget: &Budget, ahead: Option<u64>) -> Result<ShortWin, Stopped> {
        let result = {
            let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(results.entry(*spot).or_default())
        };
        let mut result = match ahead {
            None => result.lock().unwrap_or_else(PoisonError::into_inner),
            Some(number) if number <= self.reached.load(Ordering::Relaxed) => return Err(Stopped),
            Some(_) => match result.try_lock() {
                Ok(result) => result,
                Err(TryLockError::Poisoned(error)) => error.into_inner(),
                Err(TryLockError::WouldBlock) => return Err(Stopped),
            },
        };
        if result.is_none() {
            *result = Some(LemmaSearch::short_win(spot, budget.rest())?);
        }
        Ok(result.clone().unwrap_or_default())
    }
}
