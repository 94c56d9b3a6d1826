//! The transposition table: the results of a search, keyed by position, in memory of fixed size.
//!
//! Four entries of 16 bytes share a bucket of one cache line. A new entry replaces the entry with
//! the smallest subtree, because that subtree is the cheapest to search again (Breuker, Uiterwijk
//! and van den Herik, "Replacement schemes for transposition tables", ICCA Journal 17(4), 1994).
//!
//! The system supplies zeroed pages on first use, so a small search doesn't pay for a large table.

use pentago_base::{GOLDEN, mix};
use zerocopy::FromZeros;

use crate::{Goal, Side};

/// A transposition table. Several questions about the same game with the same rules can share one
/// table. Call [`clear`](Table::clear) before using the table for another game.
pub struct Table {
    /// The entries. Each entry is two words: the tag, then the data.
    words: Vec<u64>,
    /// The index in `words` of the first bucket's first word, chosen so that each bucket is one
    /// cache line.
    first: usize,
    buckets: usize,
}

/// The error for a table that doesn't fit in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot allocate a transposition table of {bytes} bytes")]
pub struct TableTooLarge {
    /// The requested size in bytes.
    pub bytes: usize,
}

/// The number of 64-bit words in a bucket. A bucket has four entries and fills one cache line.
const BUCKET: usize = 8;
const BUCKET_BYTES: usize = BUCKET * size_of::<u64>();

/// The kind of question that an entry answers: the kind of search, and its goal.
#[derive(Clone, Copy)]
pub(crate) struct EntryKind(u64);

impl EntryKind {
    /// Returns the kind of entries that hold the proof number and the disproof number for `goal`.
    pub(crate) fn numbers(goal: Goal) -> Self {
        Self(u64::from(goal.side == Side::Second) << 1 | u64::from(goal.draw_is_enough))
    }

    /// Returns the kind of entries that hold bounds on the number of plies to `goal`.
    pub(crate) fn plies(goal: Goal) -> Self {
        Self(4 | Self::numbers(goal).0)
    }
}

/// The location of a position in the table: its bucket, and the tag of its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableSlot {
    bucket: usize,
    /// A hash of the key. Different keys below 2^64 have different tags.
    pub(crate) tag: u64,
}

/// The number of bits of a payload.
pub(crate) const PAYLOAD_BITS: u32 = 53;

impl Table {
    /// Allocates a table of at most `bytes` bytes, but at least 64 bytes.
    ///
    /// # Errors
    /// If the memory can't be allocated.
    pub fn new(bytes: usize) -> Result<Self, TableTooLarge> {
        let buckets = (bytes / BUCKET_BYTES).max(1);
        let words = u64::new_vec_zeroed((buckets + 1) * BUCKET).map_err(|_| TableTooLarge { bytes })?;
        let first = words.as_ptr().align_offset(BUCKET_BYTES).min(BUCKET);
        Ok(Self { words, first, buckets })
    }

    /// Removes all entries from the table.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Returns the four entries of the bucket with index `number`. Each entry is a tag and 64 bits
    /// of data. The data of an empty entry is 0. Other data holds, from the lowest bit, the size of
    /// the subtree as [`logarithm`] (8 bits, at least 1), the [`EntryKind`] (3 bits) and the
    /// payload (53 bits).
    #[inline]
    fn bucket(&self, number: usize) -> [[u64; 2]; 4] {
        let words = &self.words[self.first + number * BUCKET..][..BUCKET];
        std::array::from_fn(|i| [words[2 * i], words[2 * i + 1]])
    }

    /// Returns the fraction of used entries, from 0 to 1, measured in the first thousand buckets.
    pub fn filled(&self) -> f64 {
        let sample = self.buckets.min(1000);
        let entries = (0..sample).flat_map(|number| self.bucket(number));
        entries.filter(|[_, data]| *data != 0).count() as f64 / (4 * sample) as f64
    }

    /// Returns the location of the position with this key.
    #[inline]
    pub(crate) fn slot(&self, key: u128) -> TableSlot {
        let (low, high) = (key as u64, (key >> 64) as u64);
        // `mix` is a bijection that maps 0 to 0. A key below 2^64 has `high` = 0, so its tag is
        // `mix(low)`, and no two such keys share a tag.
        let tag = mix(low ^ mix(high));
        let place = mix(tag.wrapping_add(GOLDEN) ^ high);
        let bucket = (u128::from(place) * self.buckets as u128) >> 64;
        TableSlot { bucket: bucket as usize, tag }
    }

    /// Returns the latest payload stored for this location and kind of question, or `None` if the
    /// table has no such entry.
    #[inline]
    pub(crate) fn get(&self, slot: TableSlot, kind: EntryKind) -> Option<u64> {
        let found = self.bucket(slot.bucket).into_iter().find(|&entry| is_entry(entry, slot.tag, kind))?;
        Some(found[1] >> 11)
    }

    /// Stores a payload of at most 53 bits for this location and kind of question. `nodes` is the
    /// number of nodes that the search for this result visited.
    pub(crate) fn put(&mut self, slot: TableSlot, kind: EntryKind, payload: u64, nodes: u64) {
        debug_assert!(payload >> PAYLOAD_BITS == 0);
        let bucket = self.bucket(slot.bucket);
        let mut size = logarithm(nodes);
        let victim = match bucket.iter().position(|&entry| is_entry(entry, slot.tag, kind)) {
            Some(same) => {
                size = size.max(bucket[same][1] & 0xff);
                same
            }
            None => (0..4).min_by_key(|&i| bucket[i][1] & 0xff).unwrap_or(0),
        };
        let at = self.first + slot.bucket * BUCKET + 2 * victim;
        self.words[at] = slot.tag;
        self.words[at + 1] = payload << 11 | kind.0 << 8 | size;
    }
}

/// Returns `true` if the entry is not empty and has this tag and kind.
#[inline]
fn is_entry([found, data]: [u64; 2], tag: u64, kind: EntryKind) -> bool {
    found == tag && data != 0 && data >> 8 & 7 == kind.0
}

/// Converts a number of nodes to a logarithmic size from 1 to 255. When the number of nodes
/// doubles, the size increases by 4.
fn logarithm(nodes: u64) -> u64 {
    let nodes = nodes.max(1);
    let exponent = u64::from(nodes.ilog2());
    let fraction = if exponent >= 2 { nodes >> (exponent - 2) & 3 } else { nodes << (2 - exponent) & 3 };
    1 + (4 * exponent + fraction).min(254)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_subtrees_stay() {
        let mut table = Table::new(64).unwrap();
        let kind = EntryKind::numbers(Goal::win(Side::First));
        let other = EntryKind::numbers(Goal::not_lose(Side::First));
        for key in 0..100_u64 {
            let slot = table.slot(u128::from(key));
            table.put(slot, kind, key, if key < 3 { 1000 } else { key });
            assert_eq!(table.get(slot, kind), Some(key));
            assert_eq!(table.get(slot, other), None);
        }
        let kept = |key: u64| table.get(table.slot(u128::from(key)), kind).is_some();
        assert!((0..3).all(kept));
        assert!(kept(99));
        assert_eq!(table.filled(), 1.0);
    }

    #[test]
    fn an_entry_is_replaced_by_a_newer_one_about_the_same() {
        let mut table = Table::new(64).unwrap();
        let kind = EntryKind::plies(Goal::win(Side::Second));
        let slot = table.slot(u128::MAX);
        table.put(slot, kind, 1, 500);
        table.put(slot, kind, (1 << PAYLOAD_BITS) - 1, 1);
        assert_eq!(table.get(slot, kind), Some((1 << PAYLOAD_BITS) - 1));
        table.clear();
        assert_eq!(table.get(slot, kind), None);
    }

    #[test]
    fn logarithms_grow() {
        let mut last = 0;
        for nodes in (0..40).chain((5..63).map(|bits| 1 << bits)).chain([u64::MAX]) {
            let size = logarithm(nodes);
            assert!(size >= last && (1..=255).contains(&size), "{nodes}: {size} after {last}");
            last = size;
        }
        assert!(logarithm(1 << 20) > logarithm(1 << 19));
    }
}
