//! A pool of memory for entries.

use super::ENTRY_BYTES;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Returns the size of `entries` entries in bytes.
pub fn bytes(entries: usize) -> u64 {
    (entries * ENTRY_BYTES) as u64
}

/// Returns the range of sizes, in entries, of memory that may hold `len` entries. Up to an eighth
/// of `len` may remain unused.
pub fn fitting(len: usize) -> RangeInclusive<usize> {
    len..=len + len / 8
}

/// A pool of memory for entries. Reuse avoids the time for fresh pages
/// (`bench/README.md#memory-of-pieces`).
pub struct Shelf<T> {
    /// The free memory with its size in entries, keyed by the number of the `put` call.
    free: BTreeMap<u64, (usize, T)>,
    /// The size in entries of each memory, and the number of its `put` call.
    lens: BTreeSet<(usize, u64)>,
    bytes: u64,
    /// The number of the next `put` call.
    next: u64,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Shelf { free: BTreeMap::new(), lens: BTreeSet::new(), bytes: 0, next: 0 }
    }
}

impl<T> Shelf<T> {
    /// Returns the size of all free memory in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds memory of `len` entries to the pool.
    pub fn put(&mut self, len: usize, memory: T) {
        self.bytes += bytes(len);
        self.lens.insert((len, self.next));
        self.free.insert(self.next, (len, memory));
        self.next += 1;
    }

    /// Takes the smallest [fitting] memory for `len` entries, and the oldest among equals. Returns
    /// `None` if no memory fits.
    pub fn take(&mut self, len: usize) -> Option<T> {
        let fitting = fitting(len);
        let &(_, number) = self.lens.range((*fitting.start(), 0)..=(*fitting.end(), u64::MAX)).next()?;
        self.remove(number)
    }

    /// Takes the memory that has been in the pool longest. Returns `None` if the pool is empty.
    pub fn oldest(&mut self) -> Option<T> {
        let (&number, _) = self.free.first_key_value()?;
        self.remove(number)
    }

    fn remove(&mut self, number: u64) -> Option<T> {
        let (len, memory) = self.free.remove(&number)?;
        self.lens.remove(&(len, number));
        self.bytes -= bytes(len);
        Some(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_used_again() {
        let mut shelf = Shelf::default();
        for (len, name) in [(100, 'a'), (90, 'b'), (100, 'c'), (81, 'd')] {
            shelf.put(len, name);
        }
        assert_eq!(shelf.bytes(), bytes(371));
        // `take` returns the smallest memory with enough room, but none that wastes more than an
        // eighth. Of equal sizes, it returns the oldest.
        assert_eq!(
            [80, 80, 70, 95, 101].map(|len| shelf.take(len)),
            [Some('d'), Some('b'), None, Some('a'), None]
        );
        assert_eq!(shelf.bytes(), bytes(100));
        shelf.put(7, 'e');
        assert_eq!([(); 3].map(|()| shelf.oldest()), [Some('c'), Some('e'), None]);
        assert_eq!(shelf.bytes(), 0);
    }
}
