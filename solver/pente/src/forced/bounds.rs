//! What the search for forced wins remembers, in memory of a fixed size, which comes zeroed from
//! the system and costs time only where it is used.

use zerocopy::FromZeros;

/// Bounds of one position for one way of searching.
#[derive(Clone, Copy, Default, FromZeros)]
struct BoundEntry {
    key: u64,
    /// The plies within which there is no win.
    fails: u16,
    /// The plies within which there is a win, if not 0.
    wins: u16,
    /// The move that wins.
    best: u16,
    /// The search that this was written by: older entries are empty.
    age: u16,
}

/// A table of bounds; a new entry takes the place of an old one.
pub(crate) struct BoundTable {
    entries: Vec<BoundEntry>,
    age: u16,
}

/// What is remembered.
pub(crate) enum Known {
    Wins(u16),
    Fails,
}

impl BoundTable {
    /// About `bytes` bytes, or as many as can be had; at least one entry.
    pub fn new(bytes: usize) -> BoundTable {
        let mut wanted = 1usize << (bytes / size_of::<BoundEntry>()).max(1).ilog2();
        loop {
            match BoundEntry::new_vec_zeroed(wanted) {
                Ok(entries) => return BoundTable { entries, age: 1 },
                Err(_) if wanted > 1 => wanted /= 2,
                Err(_) => return BoundTable { entries: vec![BoundEntry::default()], age: 1 },
            }
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.age = self.age.checked_add(1).unwrap_or_else(|| {
            self.entries.fill(BoundEntry::default());
            1
        });
    }

    #[inline]
    fn at(&self, key: u64) -> usize {
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 20 ^ mixed >> 42) as usize & (self.entries.len() - 1)
    }

    /// Returns what is known about a win within `plies` plies.
    #[inline]
    pub fn get(&self, key: u64, plies: u32) -> Option<Known> {
        let entry = &self.entries[self.at(key)];
        if entry.key != key || entry.age != self.age {
            return None;
        }
        if entry.wins != 0 && u32::from(entry.wins) <= plies {
            Some(Known::Wins(entry.best))
        } else if u32::from(entry.fails) >= plies {
            Some(Known::Fails)
        } else {
            None
        }
    }

    /// Remembers a win with this move within `plies` plies, or that there is none.
    #[inline]
    pub fn put(&mut self, key: u64, plies: u32, best: Option<u16>) {
        let at = self.at(key);
        let age = self.age;
        let entry = &mut self.entries[at];
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
