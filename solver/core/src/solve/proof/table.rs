//! A bounded hash table of search results, keyed by board.

use crate::supers::Half;

/// The results for one board and one attacker.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BoardResult {
    /// The rotations at which the attacker wins.
    pub won: Half,
    /// The rotations at which the board needs no search: a player has five in a row, or the
    /// defender can complete five by a placement.
    pub settled: Half,
    /// The rotations that a search of depth `depth - 1` has covered. A covered rotation that is not
    /// in `won` was not won at this depth.
    pub open: Half,
    /// One more than the depth of the deepest search, or 0 if no search visited the board.
    pub depth: u8,
    /// The number of sockets of the largest counted proof of the board, or 0 if there was none.
    pub sockets: u8,
    /// The maximum number of plies to the end of the game, over the rotations in `won`.
    pub plies: u8,
}

/// The marble sets of both players, and the results for this board. Two empty sets mark a free
/// slot.
type TableSlot = ([u64; 2], BoardResult);

/// A hash table of bounded size. The slots form groups of [`WAYS`], and a hash selects a group.
/// When a group is full, a new board replaces the board with the least work: the smallest proof,
/// then the lowest depth. Most searches are short, so the table starts small and grows as it fills.
pub(super) struct ResultTable {
    slots: Vec<TableSlot>,
    mask: usize,
    /// The number of used slots.
    used: usize,
    /// The maximum number of groups, a power of two.
    most: usize,
}

/// The number of slots in a group.
const WAYS: usize = 4;

/// The initial number of groups.
const FIRST_GROUPS: usize = 1 << 8;

impl ResultTable {
    /// Creates a table. The table grows to at most `bytes` bytes, but has at least one group.
    pub fn new(bytes: u64) -> ResultTable {
        let groups = (bytes / (WAYS * size_of::<TableSlot>()) as u64).max(1);
        let most = 1usize << groups.ilog2().min(40);
        let groups = FIRST_GROUPS.min(most);
        ResultTable { slots: vec![TableSlot::default(); groups * WAYS], mask: groups - 1, used: 0, most }
    }

    /// Copies the contents of `other` into this table, and reuses this table's memory.
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

    /// Returns the results for a board. Returns the default if the table doesn't contain the board.
    pub fn get(&self, key: [u64; 2]) -> BoardResult {
        let from = self.group(key);
        let slot = self.slots[from..from + WAYS].iter().find(|slot| slot.0 == key);
        slot.map_or_else(BoardResult::default, |slot| slot.1)
    }

    /// Stores the results for a board, in place of any earlier results.
    pub fn set(&mut self, key: [u64; 2], result: BoardResult) {
        let from = self.group(key);
        let group = &mut self.slots[from..from + WAYS];
        let at = group.iter().position(|slot| slot.0 == key).unwrap_or_else(|| {
            let least = (0..WAYS).min_by_key(|&i| (group[i].1.sockets, group[i].1.depth));
            least.expect("a group has slots")
        });
        self.used += usize::from(group[at].0 == [0; 2]);
        group[at] = (key, result);
        // Grow the table when more than a third of the slots are in use: at higher loads, single
        // groups overflow although the table has free slots.
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

    /// Adds the rotations `won` to the wins of a board. At each of these rotations the game ends
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

    /// A growing table loses few results, and stays within its size in bytes.
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
        // The last result is still in the table, and every result that is still stored is correct.
        let last = 4 * slots as u64 - 1;
        assert_eq!(table.get(key(last)).won, result(last).won);
        for i in 0..last {
            let found = table.get(key(i));
            assert!(found.depth == 0 || found.won == result(i).won);
        }
    }
}
