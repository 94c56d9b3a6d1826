//! A table of fixed size for the results of a search for forced wins.
//!
//! The operating system provides and zeroes each page of the table at its first use, so a small
//! search uses only a small part of a large table's memory.

use pentago_base::GOLDEN;
use zerocopy::FromZeros;

/// The bounds of one position for one attack width.
#[derive(Clone, Copy, Default, FromZeros)]
struct BoundEntry {
    key: u64,
    /// The largest number of plies within which a search has found no win.
    fails: u16,
    /// The number of plies within which there is a win, or 0 if no win is known.
    wins: u16,
    /// The move that wins within `wins` plies.
    best: u16,
    /// The age of the table when the entry was written. An entry of another age counts as empty.
    age: u16,
}

/// A hash table of bounds. A new entry replaces the old entry in its slot.
pub(super) struct BoundTable {
    entries: Vec<BoundEntry>,
    age: u16,
}

impl BoundTable {
    /// Makes a table of about `bytes` bytes. If memory does not suffice, the table is smaller, down
    /// to one entry.
    pub fn new(bytes: usize) -> BoundTable {
        let mut entries = 1usize << (bytes / size_of::<BoundEntry>()).max(1).ilog2();
        loop {
            match BoundEntry::new_vec_zeroed(entries) {
                Ok(entries) => return BoundTable { entries, age: 1 },
                Err(_) if entries > 1 => entries /= 2,
                Err(_) => return BoundTable { entries: vec![BoundEntry::default()], age: 1 },
            }
        }
    }

    /// Forgets all entries, by starting a new age.
    pub fn clear(&mut self) {
        self.age = self.age.checked_add(1).unwrap_or_else(|| {
            self.entries.fill(BoundEntry::default());
            1
        });
    }

    #[inline]
    fn slot(&self, key: u64) -> usize {
        let mixed = key.wrapping_mul(GOLDEN);
        (mixed >> 20 ^ mixed >> 42) as usize & (self.entries.len() - 1)
    }

    /// Returns the stored result for a win within `plies` plies: `Some(Some(m))` if the move `m`
    /// wins, `Some(None)` if there is no win, `None` if the table has no result.
    #[inline]
    pub fn get(&self, key: u64, plies: u32) -> Option<Option<u16>> {
        let entry = &self.entries[self.slot(key)];
        if entry.key != key || entry.age != self.age {
            None
        } else if entry.wins != 0 && u32::from(entry.wins) <= plies {
            Some(Some(entry.best))
        } else {
            (u32::from(entry.fails) >= plies).then_some(None)
        }
    }

    /// Stores a move that wins within `plies` plies, or `None` if there is no such move.
    #[inline]
    pub fn put(&mut self, key: u64, plies: u32, best: Option<u16>) {
        let slot = self.slot(key);
        let age = self.age;
        let entry = &mut self.entries[slot];
        if entry.key != key || entry.age != age {
            *entry = BoundEntry { key, age, ..BoundEntry::default() };
        }
        let plies = plies.min(u32::from(u16::MAX)) as u16;
        match best {
            Some(best) => (entry.wins, entry.best) = (plies, best),
            None => entry.fails = entry.fails.max(plies),
        }
    }
}
