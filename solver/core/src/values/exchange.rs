//! The interface between solvers and stores: sources of finished slices, and sinks of computed
//! blocks.
//!
//! A solver reads each block of the next slice from a [`Source`], and puts each block of the
//! current slice into a [`Sink`]. All methods beyond `get` and `put` are optional. They save copies
//! and repeated work.

use super::{Block, BlockId, Entry, WdlCounts};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The error of a [`Source`], a [`Sink`] or a spill store. Callers that know its type downcast the
/// box.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A source of the blocks of a finished slice.
pub trait Source: Sync {
    /// Reads the entries of a block into `into`, which has the length of the block.
    ///
    /// # Errors
    /// If the block is missing, unreadable or damaged.
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError>;

    /// Returns a block in memory of the source: a cached block, or a block that the source decodes
    /// now. This saves the caller a copy. Each call counts as a use of the block. `None` means that
    /// the caller must [read](Source::get) the block.
    ///
    /// # Errors
    /// As for [`Source::get`].
    fn shared(&self, _id: BlockId) -> Result<Option<Arc<Block>>, BoxError> {
        Ok(None)
    }

    /// Announces that the caller will soon read a block. A slow source may prefetch the block.
    fn ahead(&self, _id: BlockId) {}

    /// Announces the arrays of the current slice whose rows are computed from now on. A call with
    /// an array precedes the first read for that array. All threads wait for the call, so it must
    /// return quickly and must not wait for another thread.
    fn computing(&self, _arrays: RangeInclusive<u32>) {}
}

/// A block that a solver of sections has computed.
pub struct SolvedBlock<'a> {
    /// The identifier of the block.
    pub id: BlockId,
    /// The entries; empty if the sink needs [counts alone](SinkNeeds::counts_alone).
    pub entries: &'a [Entry],
    /// The numbers of boards with each value.
    pub counts: WdlCounts,
    /// The bits that the guess leaves open, in both parts as `pentago-tables` packs them. `None` if
    /// the sink doesn't need [open bits](SinkNeeds::open_bits), or if some value contradicts the
    /// guess.
    pub open: Option<[&'a [u8]; 2]>,
    /// The buffer with the entries, if the sink [provided](Sink::memory) one.
    pub kept: Option<Arc<Block>>,
}

/// The parts of a [`SolvedBlock`] that a sink needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct SinkNeeds {
    /// Whether the sink needs only the counts. It gets blocks without entries.
    pub counts_alone: bool,
    /// Whether the sink stores open bits.
    pub open_bits: bool,
}

/// A sink for the blocks of a slice. A solver puts each block exactly once, in any order, from any
/// thread.
pub trait Sink: Sync {
    /// Stores the entries of a block.
    ///
    /// # Errors
    /// If the sink can't store the block.
    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), BoxError>;

    /// Stores a block along with its counts and, if [needed](Sink::needs), its open bits.
    ///
    /// # Errors
    /// If the sink can't store the block.
    fn put_solved(&self, block: SolvedBlock) -> Result<(), BoxError> {
        self.put(block.id, block.entries)
    }

    /// Returns the parts of a solved block that the sink needs. A sink with needs implements
    /// [`Sink::put_solved`].
    fn needs(&self) -> SinkNeeds {
        SinkNeeds::default()
    }

    /// Returns an exclusively owned buffer of `len` entries, to be filled in place. The buffer
    /// comes back with the [solved block](SolvedBlock::kept). `None` means that the sink doesn't
    /// keep the block, or lacks memory.
    fn memory(&self, _id: BlockId, _len: usize) -> Option<Arc<Block>> {
        None
    }

    /// Announces the arrays whose blocks come from now on. A call with an array precedes the
    /// array's first block. Some callers of [`Sink::put`] announce nothing. As for
    /// [`Source::computing`], all threads wait for the call.
    fn computing(&self, _arrays: RangeInclusive<u32>) {}
}
