//! What is known of the boards that a search has met.

use crate::supers::Half;

/// What is known of one board, for one attacker.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// The rotations at which he wins.
    pub won: Half,
    /// Those at which the board itself says all: somebody has five, or the defender makes it by a
    /// placement.
    pub settled: Half,
    /// Those at which a search of depth `depth` - 1 found no win.
    pub open: Half,
    /// 0: not searched.
    pub depth: u8,
    /// Sockets of the largest proof that was made of it.
    pub sockets: u8,
    /// Where he wins the game ends within so many plies.
    pub plies: u8,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    key: [u64; 2],
    known: Known,
}

/// A table of bounded size: four entries for each hash, of which the one with the least work in it
/// is given up. It begins small, since most searches are short, and is made larger as it fills.
pub(super) struct Table {
    entries: Vec<Entry>,
    mask: usize,
    /// Entries that hold something.
    used: usize,
    /// Groups of entries at most.
    most: usize,
}

const WAYS: usize = 4;

/// Groups that a table begins with.
const FIRST_GROUPS: usize = 1 << 8;

impl Table {
    /// A table that takes at most so many bytes, and at least one group of entries.
    pub fn new(bytes: u64) -> Table {
        let groups = (bytes / (WAYS * size_of::<Entry>()) as u64).max(1);
        let most = 1usize << groups.ilog2().min(40);
        let groups = FIRST_GROUPS.min(most);
        Table { entries: vec![Entry::default(); groups * WAYS], mask: groups - 1, used: 0, most }
    }

    /// Makes this a copy of another one.
    pub fn copy_from(&mut self, other: &Table) {
        self.entries.clone_from(&other.entries);
        (self.mask, self.used, self.most) = (other.mask, other.used, other.most);
    }

    fn group(&self, key: [u64; 2]) -> usize {
        let mut hash =
            key[0].wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key[1].wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        hash ^= hash >> 32;
        hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((hash >> 24) as usize & self.mask) * WAYS
    }

    /// What is known of the board with these marbles.
    pub fn get(&self, key: [u64; 2]) -> Known {
        let from = self.group(key);
        let entry = self.entries[from..from + WAYS].iter().find(|entry| entry.key == key);
        entry.map_or_else(Known::default, |entry| entry.known)
    }

    /// Replaces what is known of a board.
    pub fn set(&mut self, key: [u64; 2], known: Known) {
        let from = self.group(key);
        let group = &mut self.entries[from..from + WAYS];
        let at = group.iter().position(|entry| entry.key == key).unwrap_or_else(|| {
            let work = |entry: &Entry| (entry.known.sockets, entry.known.depth);
            let least = (0..WAYS).min_by_key(|&i| work(&group[i]));
            least.expect("a group has entries")
        });
        self.used += usize::from(group[at].key == [0; 2]);
        group[at] = Entry { key, known };
        // Fuller, and groups would overflow long before the table is full.
        if 3 * self.used > self.entries.len() && self.mask + 1 < self.most {
            self.grow();
        }
    }

    /// Twice as many groups: each is split in two, so that nothing is given up.
    fn grow(&mut self) {
        let groups = 2 * (self.mask + 1);
        let old = std::mem::replace(&mut self.entries, vec![Entry::default(); groups * WAYS]);
        self.mask = groups - 1;
        for entry in old.into_iter().filter(|entry| entry.key != [0; 2]) {
            let from = self.group(entry.key);
            let free = self.entries[from..from + WAYS].iter_mut().find(|entry| entry.key == [0; 2]);
            *free.expect("a group is split in two") = entry;
        }
    }

    /// Adds wins of a board, within so many plies.
    pub fn add(&mut self, key: [u64; 2], won: Half, plies: u8) {
        let mut known = self.get(key);
        if won & !known.won != Half::NONE {
            known.won = known.won | won;
            known.plies = known.plies.max(plies);
            self.set(key, known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// While it grows hardly anything is given up, and it stays within its bytes.
    #[test]
    fn tables_grow() {
        let entries = 1 << 14;
        let mut table = Table::new((entries * size_of::<Entry>()) as u64);
        let key = |i: u64| [i << 20 | 1, i * i];
        let known = |i: u64| Known { won: Half([i, !i]), depth: 1, ..Known::default() };
        let some = entries as u64 / 8;
        (0..some).for_each(|i| table.set(key(i), known(i)));
        let there = (0..some).filter(|&i| table.get(key(i)).won == known(i).won).count();
        assert!(there as u64 > some * 98 / 100, "{there} of {some}");
        assert!(table.entries.len() < entries);
        (0..4 * entries as u64).for_each(|i| table.set(key(i), known(i)));
        assert_eq!(table.entries.len(), entries);
        // The last one is there, and nothing is wrong.
        let last = 4 * entries as u64 - 1;
        assert_eq!(table.get(key(last)).won, known(last).won);
        for i in 0..last {
            let found = table.get(key(i));
            assert!(found.depth == 0 || found.won == known(i).won);
        }
    }
}
