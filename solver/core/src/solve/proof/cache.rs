//! A cache of proved values for later questions.

use super::value::ProvedValue;
use crate::answer::{Origin, Value};
use crate::rules::{Position, Rules};
use crate::symmetry::Group;
use pentago_base::lock;
use std::collections::HashMap;
use std::sync::Mutex;

/// The maximum number of cached positions, which take about 30 MB. A full cache is cleared before
/// the next insertion.
const MOST: usize = 1 << 18;

/// A cache of proved values: the values of positions in questions, and of the positions after one
/// move.
///
/// Every answer that uses the cache is correct. The proof that an answer reports may depend on the
/// earlier questions.
#[derive(Debug, Default)]
pub struct ProofCache(Mutex<HashMap<(Rules, Position), ProvedValue>>);

impl ProofCache {
    /// Returns the cached value for the side to move. Symmetric images of a position share one
    /// value. Returns `None` if no value is cached.
    pub(super) fn get(&self, rules: &Rules, position: &Position) -> Option<ProvedValue> {
        lock(&self.0).get(&key(rules, position)).copied()
    }

    /// Returns the origin of a proved win of the side to move, or `None` if the cache has no such
    /// win. The proof may establish that some move wins without naming the winning move.
    pub fn win(&self, rules: &Rules, position: &Position) -> Option<Origin> {
        self.get(rules, position).filter(|proved| proved.value == Value::Win).map(|proved| proved.origin())
    }

    /// Caches a proved win or loss of the side to move.
    pub(super) fn insert(&self, rules: &Rules, position: &Position, proved: ProvedValue) {
        debug_assert!(matches!(proved.value, Value::Win | Value::Loss));
        let key = key(rules, position);
        let mut values = lock(&self.0);
        if values.len() >= MOST {
            values.clear();
        }
        values.insert(key, proved);
    }
}

/// Returns the key of the cache: the rules and the canonical image of the position.
fn key(rules: &Rules, position: &Position) -> (Rules, Position) {
    (*rules, position.canonical(Group::whole_board(rules.dir)))
}
