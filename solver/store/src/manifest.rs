//! The content of a table, in the form that the container defines for all games.

use crate::error::Reason;
use crate::layout::{MAX_COUNTERS, MAX_KEY_BYTES, MAX_TARGET_BYTES, RawSchema};
use pentago_base::Grid;
use std::ops::Range;

/// The maximum number of entries in a block, which bounds the allocations of a reader. A schema may
/// set a lower limit.
pub const MAX_BLOCK_ENTRIES: u64 = 1 << 16;
/// The maximum number of entries in a table. This limit ensures that sums over all rotations of all
/// entries fit in 64 bits.
pub const MAX_ENTRIES: u64 = 1 << 52;
/// The maximum size of a payload in bytes.
pub const MAX_PAYLOAD_BYTES: u64 = 1 << 28;

/// An array of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawArrayInfo {
    /// The key, which identifies the array in its table.
    pub key: Box<[u8]>,
    /// The shape of the array and of its blocks.
    pub grid: Grid,
    /// The range of the array's blocks that the table contains. Only a shard lacks blocks of an
    /// array.
    pub blocks: Range<u64>,
}

/// The content of a table, which the writer needs before the first block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawManifest {
    /// The schema, which defines the meaning of the bytes.
    pub schema: RawSchema,
    /// The encoded target, at most [`MAX_TARGET_BYTES`] bytes.
    pub target: Vec<u8>,
    /// The index of the slice within the target.
    pub slice: u32,
    /// The arrays, in ascending order of their keys.
    pub arrays: Vec<RawArrayInfo>,
}

impl RawArrayInfo {
    /// Returns an array of which the table contains all blocks.
    pub fn whole(key: &[u8], grid: Grid) -> RawArrayInfo {
        // A grid with an extent or edge of 0 has no blocks. `check` rejects such a grid later.
        let good = !grid.extents.contains(&0) && !grid.edges.contains(&0);
        let blocks = if good { count(&grid) } else { 0 };
        RawArrayInfo { key: key.into(), grid, blocks: 0..blocks }
    }

    /// Returns `true` if the table holds all blocks of the array.
    pub fn is_whole(&self) -> bool {
        self.blocks == (0..count(&self.grid))
    }

    /// Returns the number of the array's blocks that the table contains.
    pub fn stored(&self) -> u64 {
        self.blocks.end.saturating_sub(self.blocks.start)
    }

    /// Returns the number of entries in the array's blocks that the table contains.
    pub fn entries(&self) -> u64 {
        self.grid.entries_before(self.blocks.end) - self.grid.entries_before(self.blocks.start)
    }

    fn check(&self, key_bytes: usize) -> Result<(), Reason> {
        if self.key.len() != key_bytes {
            return Err(Reason::Content("a key of another length"));
        }
        let Grid { extents, edges } = self.grid;
        if extents.contains(&0) || edges.contains(&0) {
            return Err(Reason::Content("an extent or edge of 0"));
        }
        let product = |numbers: [u32; 4]| numbers.into_iter().map(u128::from).product::<u128>();
        if product(extents) > MAX_ENTRIES.into() {
            return Err(Reason::Content("an array of more than 2^52 entries"));
        }
        if product(std::array::from_fn(|axis| extents[axis].min(edges[axis]))) > MAX_BLOCK_ENTRIES.into() {
            return Err(Reason::Content("blocks of more than 65,536 entries"));
        }
        if self.blocks.is_empty() || self.blocks.end > self.grid.blocks() {
            return Err(Reason::Content("no blocks of an array, or more than it has"));
        }
        Ok(())
    }
}

/// Returns the number of blocks of a grid, saturated at 2^64 - 1. No extent or edge may be 0.
fn count(grid: &Grid) -> u64 {
    grid.counts().into_iter().fold(1, |n, count| u64::from(count).saturating_mul(n))
}

impl RawManifest {
    /// Checks that the content respects the limits of all tables.
    ///
    /// # Errors
    /// [`Reason::Content`], which names the first exceeded limit.
    pub fn check(&self) -> Result<(), Reason> {
        let RawSchema { key_bytes, counters, .. } = self.schema;
        if self.target.len() > MAX_TARGET_BYTES
            || usize::from(key_bytes) > MAX_KEY_BYTES
            || usize::from(counters) > MAX_COUNTERS
        {
            return Err(Reason::Content("a target, a key or counters longer than any table has"));
        }
        if self.arrays.is_empty() || u32::try_from(self.arrays.len()).is_err() {
            return Err(Reason::Content("no arrays, or too many"));
        }
        self.arrays.iter().try_for_each(|array| array.check(key_bytes.into()))?;
        if !self.arrays.is_sorted_by(|a, b| a.key < b.key) {
            return Err(Reason::Content("keys that aren't in ascending order"));
        }
        if self.arrays.iter().map(|a| u128::from(a.grid.entries())).sum::<u128>() > MAX_ENTRIES.into() {
            return Err(Reason::Content("more than 2^52 entries"));
        }
        Ok(())
    }

    /// Returns the index of each array's first block among all blocks of the file, and the number
    /// of blocks of the file.
    pub fn first_blocks(&self) -> (Vec<u64>, u64) {
        let mut next = 0;
        let first = |array: &RawArrayInfo| {
            next += array.stored();
            next - array.stored()
        };
        (self.arrays.iter().map(first).collect(), next)
    }

    /// Returns the size in bytes of the table without its payloads.
    pub fn bytes_around(&self) -> u64 {
        self.schema.bytes_around(self.target.len(), self.arrays.len(), self.first_blocks().1)
    }

    /// Returns the number of entries in all blocks that the table contains.
    pub fn entries(&self) -> u64 {
        self.arrays.iter().map(RawArrayInfo::entries).sum()
    }
}
