//! A slice in memory, which is both a source and a sink.

use super::{BlockId, BoxError, Entry, Grid, Sink, SinkNeeds, Source};
use std::sync::OnceLock;

/// All blocks of one slice, uncompressed. Each block can be put once, and then read any number of
/// times.
#[derive(Debug)]
pub struct Memory {
    arrays: Vec<Vec<OnceLock<Box<[Entry]>>>>,
}

impl Memory {
    /// Creates a slice without blocks. `grids` has the grid of each array.
    pub fn new(grids: &[Grid]) -> Memory {
        let array = |grid: &Grid| (0..grid.blocks()).map(|_| OnceLock::new()).collect();
        Memory { arrays: grids.iter().map(array).collect() }
    }

    /// Returns the entries of a block, or `None` if the block has not been put yet.
    pub fn block(&self, id: BlockId) -> Option<&[Entry]> {
        self.arrays[id.array as usize][id.block as usize].get().map(|b| &b[..])
    }
}

impl Source for Memory {
    /// # Panics
    /// If the block has not been put.
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError> {
        into.copy_from_slice(self.block(id).expect("the slice is complete"));
        Ok(())
    }
}

impl Sink for Memory {
    /// # Panics
    /// If the block has already been put.
    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), BoxError> {
        let slot = &self.arrays[id.array as usize][id.block as usize];
        assert!(slot.set(entries.into()).is_ok(), "each block is put once");
        Ok(())
    }
}

/// A sink that discards all blocks. It serves computations that only count positions or measure
/// time.
#[derive(Clone, Copy, Debug)]
pub struct NullSink {
    /// `true` if the sink needs only the counts; see [`SinkNeeds::counts_alone`].
    pub counts_alone: bool,
}

impl Sink for NullSink {
    fn put(&self, _: BlockId, _: &[Entry]) -> Result<(), BoxError> {
        Ok(())
    }

    fn needs(&self) -> SinkNeeds {
        SinkNeeds { counts_alone: self.counts_alone, open_bits: false }
    }
}
