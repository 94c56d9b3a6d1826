//! The two ends of a solver: the source of the blocks that it reads, and the sink of the blocks that it
//! computes.

use super::block::Block;
use super::counts::WdlCounts;
use super::entry::Entry;
use pentago_base::BlockId;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// What a [`Source`], a [`Sink`] or a spill store may fail with: an error of its own, which who knows it
/// finds again in the box.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A source of the blocks of a finished slice.
pub trait Source: Sync {
    /// Fills `into` with the entries of a block; it has the block's length.
    ///
    /// # Errors
    /// If the block can't be read, or is damaged.
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError>;

    /// Returns a block that the source keeps in memory, or decodes into memory of its own now, so that nobody copies
    /// it. Each call is a use of the block. None: it has to be [got](Source::get).
    ///
    /// # Errors
    /// As for [`Source::get`].
    fn shared(&self, _id: BlockId) -> Result<Option<Arc<Block>>, BoxError> {
        Ok(None)
    }

    /// This block will be got soon: a source that takes long to answer may fetch it meanwhile.
    fn ahead(&self, _id: BlockId) {}

    /// From now on blocks are got for these arrays of the slice that is computed; before the first
    /// block for an array it is among them. All threads wait for their next row meanwhile: it should
    /// only take note, and must not wait for another thread.
    fn computing(&self, _arrays: RangeInclusive<u32>) {}
}

/// A block as a solver of sections makes it.
pub struct SolvedBlock<'a> {
    /// Which one it is.
    pub id: BlockId,
    /// Its entries; none if the sink needs the [counts alone](Sink::counts_alone).
    pub entries: &'a [Entry],
    /// Its boards, as those of its domain are counted.
    pub counts: WdlCounts,
    /// The bits that the guess leaves open, in both parts as [`codec::open`](crate::codec::open) packs them: if the
    /// sink [wants them](Sink::wants_open_bits), and all values keep to the guess.
    pub open: Option<[&'a [u8]; 2]>,
    /// The same entries in memory that the sink [has given](Sink::memory) for them.
    pub kept: Option<Arc<Block>>,
}

/// A sink for the blocks of a slice: it takes each exactly once, in any order, from any thread.
pub trait Sink: Sync {
    /// Takes the entries of a block.
    ///
    /// # Errors
    /// If the block can't be stored.
    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), BoxError>;

    /// Takes a block of which more is known than its entries. A sink that counts boards, or looks for open bits,
    /// needn't do so again.
    ///
    /// # Errors
    /// If the block can't be stored.
    fn put_solved(&self, block: SolvedBlock) -> Result<(), BoxError> {
        self.put(block.id, block.entries)
    }

    /// Returns whether it needs the counts of blocks alone: then it has its own [`Sink::put_solved`], and gets blocks
    /// without entries.
    fn counts_alone(&self) -> bool {
        false
    }

    /// Memory that nobody else has, for a block of `len` entries that stays as it is computed: it comes back with
    /// the [solved block](Sink::put_solved). None: it doesn't stay, or there is no room.
    fn memory(&self, _id: BlockId, _len: usize) -> Option<Arc<Block>> {
        None
    }

    /// Returns whether it stores what a guess leaves open.
    fn wants_open_bits(&self) -> bool {
        false
    }

    /// From now on blocks of these arrays come, of the others none; before the first block of an array
    /// it is among them. Not every caller of `put` says so. As for [`Source::computing`], all threads
    /// wait meanwhile.
    fn computing(&self, _arrays: RangeInclusive<u32>) {}
}
