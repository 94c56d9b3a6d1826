//! What proofs have shown, for later questions.

use super::Found;
use crate::answer::{Origin, Value};
use crate::rules::{Position, Rules};
use crate::symmetry::Group;
use pentago_base::lock;
use std::collections::HashMap;
use std::sync::Mutex;

/// Positions that are kept at most, some 30 MB. All are given up for one more.
const MOST: usize = 1 << 18;

/// Values that proofs have shown: of positions that were asked about, and of those after their moves.
///
/// An answer that draws on them is as right as any, but depends on what was asked before.
#[derive(Debug, Default)]
pub struct Kept(Mutex<HashMap<(Rules, Position), Found>>);

impl Kept {
    /// What was shown of a position or of one that a symmetry maps to it, for the side to move.
    pub(super) fn get(&self, rules: &Rules, position: &Position) -> Option<Found> {
        let key = key(rules, position);
        lock(&self.0).get(&key).copied()
    }

    /// How the side to move wins, if that was shown: perhaps of all moves of the other one, not by which
    /// move.
    pub fn win(&self, rules: &Rules, position: &Position) -> Option<Origin> {
        let found = self.get(rules, position).filter(|found| found.value == Value::Win)?;
        Some(found.origin())
    }

    /// Keeps what was shown of a position, for the side to move.
    pub(super) fn keep(&self, rules: &Rules, position: &Position, found: Found) {
        debug_assert!(matches!(found.value, Value::Win | Value::Loss));
        let key = key(rules, position);
        let mut kept = lock(&self.0);
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(key, found);
    }
}

/// One position of those that symmetries map to each other, with the rules.
fn key(rules: &Rules, position: &Position) -> (Rules, Position) {
    (*rules, position.canonical(Group::whole_board(rules.dir)))
}
