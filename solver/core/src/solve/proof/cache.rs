//! A cache of proved values for later questions.

use super::value::ProvedValue;
use crate::answer::{Origin, Value};
use crate::rules::{Position, Rules};
use crate::symmetry::Group;
use pentago_base::lock;
use std::collections::HashMap;
use std::sync::Mutex;

/// The maximum number of cached positions, about 30 MB. A full cache is cleared before the next
/// insertion.
const MOST: usize = 1 << 18;

/// A cache of proved values of the positions in questions, and of the positions after their moves.
///
/// An answer that uses the cache is correct, but may differ with the earlier questions.
#[derive(Debug, Default)]
pub struct ProofCache(Mutex<HashMap<(Rules, Position), ProvedValue>>);

impl ProofCache {
    /// Returns the cached value of a position or of one of its images, for the side to move.
    pub(super) fn get(&self, rules: &Rules, position: &Position) -> Option<ProvedValue> {
        lock(&self.0).get(&key(rules, position)).copied()
    }

    /// Returns the proof of a win of the side to move, or `None` if the cache has none. The proof
    /// may cover all moves without naming the winning one.
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

/// Returns the rules and the canonical image of a position.
fn key(rules: &Rules, position: &Position) -> (Rules, Position) {
    (*rules, position.canonical(Group::whole_board(rules.dir)))
}
