//! The ends of a solver: the source of the blocks that it reads, and the sink of the blocks that it
//! computes.

use super::block::Block;
use super::counts::WdlCounts;
use super::entry::Entry;
use pentago_base::BlockId;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The error of a [`Source`], a [`Sink`] or a spill store. A caller that knows the concrete type
/// can downcast it.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A source of the blocks of a finished slice.
pub trait Source: Sync {
    /// Copies the entries of a block to `into`, which has the length of the block.
    ///
    /// # Errors
    /// If the block can't be read or is damaged.
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError>;

    /// Returns a block in memory of the source, which saves a copy. The source either has the block
    /// in memory or decodes it now. `None`: the caller must use [`Source::get`]. Each call counts
    /// as one use of the block.
    ///
    /// # Errors
    /// As for [`Source::get`].
    fn shared(&self, _id: BlockId) -> Result<Option<Arc<Block>>, BoxError> {
        Ok(None)
    }

    /// Announces that the caller needs this block soon. A slow source may fetch the block in
    /// advance.
    fn ahead(&self, _id: BlockId) {}

    /// Announces the arrays of the computed slice for which blocks are read from now on. An array
    /// is announced before its first block is read. All threads wait until the call returns, so an
    /// implementation should only record the range, and must not wait for another thread.
    fn computing(&self, _arrays: RangeInclusive<u32>) {}
}

/// A block as the solver of sections computes it.
pub struct SolvedBlock<'a> {
    /// The number of the block.
    pub id: BlockId,
    /// The entries. Empty if the sink needs the [counts alone](Sink::counts_alone).
    pub entries: &'a [Entry],
    /// The counts of the boards of the block.
    pub counts: WdlCounts,
    /// The bits that the guess leaves open, in two parts as [`open_bits`](super::open_bits) packs
    /// them. `None` unless the sink [wants them](Sink::wants_open_bits) and all values are within
    /// the bounds of the guess.
    pub open: Option<[&'a [u8]; 2]>,
    /// The entries in the memory that the sink [has provided](Sink::memory) for the block, if any.
    pub kept: Option<Arc<Block>>,
}

/// A sink for the blocks of a slice. Each block is put exactly once, in any order, from any thread.
pub trait Sink: Sync {
    /// Stores the entries of a block.
    ///
    /// # Errors
    /// If the block can't be stored.
    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), BoxError>;

    /// Stores a block with its counts and open bits, which the sink then need not compute.
    ///
    /// # Errors
    /// If the block can't be stored.
    fn put_solved(&self, block: SolvedBlock) -> Result<(), BoxError> {
        self.put(block.id, block.entries)
    }

    /// Returns whether the sink needs only the counts of blocks. Such a sink implements
    /// [`Sink::put_solved`], and gets blocks without entries.
    fn counts_alone(&self) -> bool {
        false
    }

    /// Returns memory that nobody else uses, for a block of `len` entries that the sink will keep
    /// uncompressed. The memory comes back in the [solved block](Sink::put_solved). `None`: the
    /// sink doesn't keep the block, or has no room.
    fn memory(&self, _id: BlockId, _len: usize) -> Option<Arc<Block>> {
        None
    }

    /// Returns whether the sink stores the bits that a guess leaves open.
    fn wants_open_bits(&self) -> bool {
        false
    }

    /// Announces the arrays whose blocks are put from now on. An array is announced before its
    /// first block. Not every caller of `put` announces arrays. All threads wait until the call
    /// returns, so an implementation must not wait for another thread.
    fn computing(&self, _arrays: RangeInclusive<u32>) {}
}
