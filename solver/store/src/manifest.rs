//! What a table holds, as far as every game's tables are alike.

use crate::error::Reason;
use crate::layout::{MAX_COUNTERS, MAX_KEY_BYTES, MAX_TARGET_BYTES, RawSchema};
use pentago_base::Grid;
use std::ops::Range;

/// The most entries of a block: it bounds what a reader allocates. A schema may allow fewer.
pub const MAX_BLOCK_ENTRIES: u64 = 1 << 16;
/// The most entries of a table. No sum of them, or of their rotations, overflows.
pub const MAX_ENTRIES: u64 = 1 << 52;
/// The most bytes of a payload.
pub const MAX_PAYLOAD_BYTES: u64 = 1 << 28;

/// One array of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawArrayInfo {
    /// What it is the array of.
    pub key: Box<[u8]>,
    /// Its shape.
    pub grid: Grid,
    /// Its blocks that the table holds: all of them but in a shard.
    pub blocks: Range<u64>,
}

/// What a table holds: what the writer needs to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawManifest {
    /// Who says what the bytes mean.
    pub schema: RawSchema,
    /// What the table is about: at most [`MAX_TARGET_BYTES`].
    pub target: Vec<u8>,
    /// Which of the tables of the target it is.
    pub slice: u32,
    /// Its arrays, in ascending order of their keys.
    pub arrays: Vec<RawArrayInfo>,
}

/// Why a list of arrays is not the content of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadManifest(pub &'static str);

impl From<BadManifest> for Reason {
    fn from(bad: BadManifest) -> Reason {
        Reason::Content(bad.0)
    }
}

impl RawArrayInfo {
    /// An array with all its blocks.
    #[must_use]
    pub fn whole(key: &[u8], grid: Grid) -> RawArrayInfo {
        // Where the grid is no good the number of blocks doesn't matter: `check` says so.
        let good = !grid.extents.contains(&0) && !grid.edges.contains(&0);
        let blocks = if good { count(&grid) } else { 0 };
        RawArrayInfo { key: key.into(), grid, blocks: 0..blocks }
    }

    /// Whether the table holds all its blocks.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.blocks == (0..count(&self.grid))
    }

    /// Blocks that the table holds.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.blocks.end.saturating_sub(self.blocks.start)
    }

    /// Entries of the blocks that the table holds.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.grid.entries_before(self.blocks.end) - self.grid.entries_before(self.blocks.start)
    }

    fn check(&self, key_bytes: usize) -> Result<(), BadManifest> {
        if self.key.len() != key_bytes {
            return Err(BadManifest("a key of another length"));
        }
        let Grid { extents, edges } = self.grid;
        if extents.contains(&0) || edges.contains(&0) {
            return Err(BadManifest("an extent or edge of 0"));
        }
        let product = |numbers: [u32; 4]| numbers.into_iter().map(u128::from).product::<u128>();
        if product(extents) > MAX_ENTRIES.into() {
            return Err(BadManifest("an array of more than 2^52 entries"));
        }
        if product(std::array::from_fn(|axis| extents[axis].min(edges[axis]))) > MAX_BLOCK_ENTRIES.into() {
            return Err(BadManifest("blocks of more than 65,536 entries"));
        }
        if self.blocks.is_empty() || self.blocks.end > self.grid.blocks() {
            return Err(BadManifest("no blocks of an array, or more than it has"));
        }
        Ok(())
    }
}

/// Blocks of any grid without an extent or edge of 0, without overflow.
fn count(grid: &Grid) -> u64 {
    grid.counts().into_iter().fold(1, |n, count| u64::from(count).saturating_mul(n))
}

impl RawManifest {
    /// Checks what every table fulfils.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<(), BadManifest> {
        let RawSchema { key_bytes, counters, .. } = self.schema;
        if self.target.len() > MAX_TARGET_BYTES
            || usize::from(key_bytes) > MAX_KEY_BYTES
            || usize::from(counters) > MAX_COUNTERS
        {
            return Err(BadManifest("a target, a key or counters longer than any table has"));
        }
        if self.arrays.is_empty() || u32::try_from(self.arrays.len()).is_err() {
            return Err(BadManifest("no arrays, or too many"));
        }
        self.arrays.iter().try_for_each(|array| array.check(key_bytes.into()))?;
        if !self.arrays.is_sorted_by(|a, b| a.key < b.key) {
            return Err(BadManifest("keys that aren't in ascending order"));
        }
        if self.arrays.iter().map(|a| u128::from(a.grid.entries())).sum::<u128>() > MAX_ENTRIES.into() {
            return Err(BadManifest("more than 2^52 entries"));
        }
        Ok(())
    }

    /// The number in the file of the first block of each array, and of all blocks.
    #[must_use]
    pub fn first_blocks(&self) -> (Vec<u64>, u64) {
        let mut next = 0;
        let first = |array: &RawArrayInfo| {
            next += array.stored();
            next - array.stored()
        };
        (self.arrays.iter().map(first).collect(), next)
    }

    /// Entries of all blocks that the table holds.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.arrays.iter().map(RawArrayInfo::entries).sum()
    }
}
