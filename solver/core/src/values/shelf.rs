//! A pool that reuses memory for entries.

use super::ENTRY_BYTES;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Returns the size of `entries` entries in bytes.
pub fn bytes(entries: usize) -> u64 {
    (entries * ENTRY_BYTES) as u64
}

/// Returns the range of sizes, in entries, that memory for `len` entries may have. At most one
/// eighth of `len` is wasted.
pub fn fitting(len: usize) -> RangeInclusive<usize> {
    len..=len + len / 8
}

/// A pool of free memory for entries. Reusing memory avoids the time that the system needs for
/// fresh pages (`bench/README.md#memory-of-pieces`).
pub struct Shelf<T> {
    /// The free memory, each piece with its size in entries. The key is the sequence number of the
    /// `put` call.
    free: BTreeMap<u64, (usize, T)>,
    /// The size in entries of each piece of free memory, and the sequence number of its `put` call.
    lens: BTreeSet<(usize, u64)>,
    bytes: u64,
    /// The sequence number of the next `put` call.
    next: u64,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Shelf { free: BTreeMap::new(), lens: BTreeSet::new(), bytes: 0, next: 0 }
    }
}

impl<T> Shelf<T> {
    /// Returns the total size of all free memory in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds memory for `len` entries to the pool.
    pub fn put(&mut self, len: usize, memory: T) {
        self.bytes += bytes(len);
        self.lens.insert((len, self.next));
        self.free.insert(self.next, (len, memory));
        self.next += 1;
    }

    /// Removes and returns the smallest memory that is [fitting] for `len` entries. Among memory of
    /// equal size, the oldest is returned. Returns `None` if no memory fits.
    pub fn take(&mut self, len: usize) -> Option<T> {
        let fitting = fitting(len);
        let &(_, number) = self.lens.range((*fitting.start(), 0)..=(*fitting.end(), u64::MAX)).next()?;
        self.remove(number)
    }

    /// Removes and returns the memory that has been in the pool longest. Returns `None` if the pool
    /// is empty.
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
        // `take` returns the smallest memory that is large enough and wastes at most one eighth.
        // Among equal sizes, it returns the oldest.
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
