//! The entries of a block, in memory that can be reused for other blocks.

use super::Entry;
use std::ops::Deref;
use zerocopy::FromZeros;

/// The entries of a block. The memory may be larger than the block.
#[derive(Default)]
pub struct Block {
    memory: Vec<Entry>,
    len: usize,
}

impl Block {
    /// Returns the maximum number of entries that fit in the memory.
    pub fn room(&self) -> usize {
        self.memory.len()
    }

    /// Sets the number of entries to `len`, and returns the entries. Their contents are
    /// unspecified.
    pub fn reset(&mut self, len: usize) -> &mut [Entry] {
        if self.memory.len() < len {
            self.memory = Entry::new_vec_zeroed(len).expect("memory for a block");
        }
        self.len = len;
        &mut self.memory[..len]
    }
}

impl Deref for Block {
    type Target = [Entry];

    fn deref(&self) -> &[Entry] {
        &self.memory[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_keeps_its_memory() {
        let mut block = Block::default();
        assert_eq!((block.reset(9).len(), block.room()), (9, 9));
        assert_eq!((block.reset(8).len(), block.len(), block.room()), (8, 8, 9));
        assert_eq!((block.reset(10).len(), block.len(), block.room()), (10, 10, 10));
    }
}
