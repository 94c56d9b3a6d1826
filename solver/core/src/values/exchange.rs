//! The interface between solvers and stores: sources of finished slices, and sinks of computed
//! blocks.
//!
//! A solver reads each block of the next slice from a [`Source`], and puts each block of the
//! current slice into a [`Sink`]. All methods except `get` and `put` are optional. The optional
//! methods save copies and repeated work.

use super::{Block, BlockId, Entry, WdlCounts};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The error of a [`Source`], a [`Sink`] or a spill store. Callers that know the concrete type of
/// the error can downcast the box.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A source from which the blocks of a finished slice can be read.
pub trait Source: Sync {
    /// Reads the entries of a block into `into`, which has the length of the block.
    ///
    /// # Errors
    /// If the block is missing, unreadable or damaged.
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError>;

    /// Returns a block that is in the memory of the source: a cached block, or a block that the
    /// source decodes during this call. The caller thus needs no copy. Each call counts as a use of
    /// the block. If the result is `None`, the caller must [read](Source::get) the block instead.
    ///
    /// # Errors
    /// If the block is missing, unreadable or damaged.
    fn shared(&self, _id: BlockId) -> Result<Option<Arc<Block>>, BoxError> {
        Ok(None)
    }

    /// Announces that the caller will soon read a block. A slow source may prefetch the block.
    fn ahead(&self, _id: BlockId) {}

    /// Announces the arrays of the current slice whose rows are in progress from now on. Each array
    /// is announced before the first read for this array. All threads wait for the call, so an
    /// implementation must return quickly and must not wait for another thread.
    fn computing(&self, _arrays: RangeInclusive<u32>) {}
}

/// A block that a solver of sections has computed.
pub struct SolvedBlock<'a> {
    /// The identifier of the block.
    pub id: BlockId,
    /// The entries of the block. Empty if the sink needs [only counts](SinkNeeds::counts_alone).
    pub entries: &'a [Entry],
    /// The numbers of won, drawn and lost boards in the block.
    pub counts: WdlCounts,
    /// The bits that the guess leaves open, in both parts as `pentago-tables` packs them. `None` if
    /// the sink doesn't need [open bits](SinkNeeds::open_bits), or if an entry contradicts its
    /// guess.
    pub open: Option<[&'a [u8]; 2]>,
    /// The buffer that contains the entries, or `None` if the sink [provided](Sink::memory) no
    /// buffer.
    pub kept: Option<Arc<Block>>,
}

/// The parts of a [`SolvedBlock`] that a sink uses, apart from the identifier and the counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct SinkNeeds {
    /// `true` if the sink uses only the counts. The solver then passes blocks without entries.
    pub counts_alone: bool,
    /// `true` if the sink uses the open bits.
    pub open_bits: bool,
}

/// A sink for the computed blocks of a slice. A solver puts each block into the sink exactly once.
/// Blocks may arrive in any order and from any thread.
pub trait Sink: Sync {
    /// Stores the entries of a block.
    ///
    /// # Errors
    /// If the sink can't store the block.
    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), BoxError>;

    /// Stores a block along with its counts and, if the sink [needs](Sink::needs) them, its open
    /// bits.
    ///
    /// # Errors
    /// If the sink can't store the block.
    fn put_solved(&self, block: SolvedBlock) -> Result<(), BoxError> {
        self.put(block.id, block.entries)
    }

    /// Returns the parts of a solved block that the sink uses. A sink that uses counts or open bits
    /// must implement [`Sink::put_solved`].
    fn needs(&self) -> SinkNeeds {
        SinkNeeds::default()
    }

    /// Returns a buffer of `len` entries, to be filled in place. No other reference to the buffer
    /// may exist. The solver returns the buffer to the sink with the [solved
    /// block](SolvedBlock::kept). `None` means that the sink doesn't retain the block, or lacks
    /// memory.
    fn memory(&self, _id: BlockId, _len: usize) -> Option<Arc<Block>> {
        None
    }

    /// Announces the arrays whose rows are in progress from now on. Each array is announced before
    /// its first block is put. Some callers of [`Sink::put`] make no announcements. All threads
    /// wait for the call, as for [`Source::computing`].
    fn computing(&self, _arrays: RangeInclusive<u32>) {}
}
