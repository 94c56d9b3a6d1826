//! A bounded hash table of results by board.

use crate::supers::Half;

/// The results for one board and one attacker.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BoardResult {
    /// The rotations at which the attacker wins.
    pub won: Half,
    /// The rotations at which the board needs no search: a player has five in a row, or the
    /// defender completes five by a placement.
    pub settled: Half,
    /// The rotations at which a search of depth `depth` - 1 found no win.
    pub open: Half,
    /// One more than the depth of the deepest search, or 0 if no search visited the board.
    pub depth: u8,
    /// The number of sockets of the largest proof of the board.
    pub sockets: u8,
    /// The maximum number of plies to the end of the game, at the rotations in `won`.
    pub plies: u8,
}

/// The marbles of both players on a board, and the results for the board. A slot with two empty
/// sets is free.
type TableSlot = ([u64; 2], BoardResult);

/// A hash table of bounded size with [`WAYS`] slots for each hash. A full group replaces the slot
/// with the least work in it. The table starts small, since most searches are short, and grows as
/// it fills.
pub(super) struct ResultTable {
    slots: Vec<TableSlot>,
    mask: usize,
    /// The number of used slots.
    used: usize,
    /// The maximum number of groups.
    most: usize,
}

/// The number of slots in a group.
const WAYS: usize = 4;

/// The initial number of groups.
const FIRST_GROUPS: usize = 1 << 8;

impl ResultTable {
    /// Creates a table that grows to at most `bytes` bytes, but holds at least one group.
    pub fn new(bytes: u64) -> ResultTable {
        let groups = (bytes / (WAYS * size_of::<TableSlot>()) as u64).max(1);
        let most = 1usize << groups.ilog2().min(40);
        let groups = FIRST_GROUPS.min(most);
        ResultTable { slots: vec![TableSlot::default(); groups * WAYS], mask: groups - 1, used: 0, most }
    }

    /// Makes this table a copy of `other`, reusing its memory.
    pub fn copy_from(&mut self, other: &ResultTable) {
        self.slots.clone_from(&other.slots);
        (self.mask, self.used, self.most) = (other.mask, other.used, other.most);
    }

    /// Returns the index of the first slot of a board's group.
    fn group(&self, key: [u64; 2]) -> usize {
        let mut hash =
            key[0].wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key[1].wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        hash ^= hash >> 32;
        hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((hash >> 24) as usize & self.mask) * WAYS
    }

    /// Returns the results for a board, or the default if the table has none.
    pub fn get(&self, key: [u64; 2]) -> BoardResult {
        let from = self.group(key);
        let slot = self.slots[from..from + WAYS].iter().find(|slot| slot.0 == key);
        slot.map_or_else(BoardResult::default, |slot| slot.1)
    }

    /// Replaces the results for a board.
    pub fn set(&mut self, key: [u64; 2], result: BoardResult) {
        let from = self.group(key);
        let group = &mut self.slots[from..from + WAYS];
        let at = group.iter().position(|slot| slot.0 == key).unwrap_or_else(|| {
            let least = (0..WAYS).min_by_key(|&i| (group[i].1.sockets, group[i].1.depth));
            least.expect("a group has slots")
        });
        self.used += usize::from(group[at].0 == [0; 2]);
        group[at] = (key, result);
        // Above a third, groups overflow long before the table is full.
        if 3 * self.used > self.slots.len() && self.mask + 1 < self.most {
            self.grow();
        }
    }

    /// Doubles the number of groups. Each group splits in two, so no slot is lost.
    fn grow(&mut self) {
        let groups = 2 * (self.mask + 1);
        let old = std::mem::replace(&mut self.slots, vec![TableSlot::default(); groups * WAYS]);
        self.mask = groups - 1;
        for slot in old.into_iter().filter(|slot| slot.0 != [0; 2]) {
            let from = self.group(slot.0);
            let free = self.slots[from..from + WAYS].iter_mut().find(|slot| slot.0 == [0; 2]);
            *free.expect("a group is split in two") = slot;
        }
    }

    /// Adds won rotations to the results for a board. At each of these rotations the game ends
    /// within `plies` plies.
    pub fn add(&mut self, key: [u64; 2], won: Half, plies: u8) {
        let mut result = self.get(key);
        if won & !result.won != Half::NONE {
            result.won = result.won | won;
            result.plies = result.plies.max(plies);
            self.set(key, result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A growing table keeps nearly all of its results, and stays within its size in bytes.
    #[test]
    fn tables_grow() {
        let slots = 1 << 14;
        let mut table = ResultTable::new((slots * size_of::<TableSlot>()) as u64);
        let key = |i: u64| [i << 20 | 1, i * i];
        let result = |i: u64| BoardResult { won: Half([i, !i]), depth: 1, ..BoardResult::default() };
        let some = slots as u64 / 8;
        (0..some).for_each(|i| table.set(key(i), result(i)));
        let there = (0..some).filter(|&i| table.get(key(i)).won == result(i).won).count();
        assert!(there as u64 > some * 98 / 100, "{there} of {some}");
        assert!(table.slots.len() < slots);
        (0..4 * slots as u64).for_each(|i| table.set(key(i), result(i)));
        assert_eq!(table.slots.len(), slots);
        // The last result is in the table, and every stored result is correct.
        let last = 4 * slots as u64 - 1;
        assert_eq!(table.get(key(last)).won, result(last).won);
        for i in 0..last {
            let found = table.get(key(i));
            assert!(found.depth == 0 || found.won == result(i).won);
        }
    }
}
