//! What the memory of a build is for.

/// Bytes for blocks that wait to be written, and for the codecs of a thread; of little memory an eighth
/// each.
pub const WAITING: u64 = 256 << 20;
const REST: u64 = 128 << 20;

/// Memory for decoded entries of the next slice: for what the rows of one section read and compute, and
/// for blocks that later sections need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    pub bytes: u64,
    /// Each has a row in work.
    pub threads: usize,
}

impl Memory {
    /// Of a build that has so many bytes.
    pub fn of(memory: u64, threads: usize) -> Memory {
        let rest = (REST * threads as u64).min(memory / 8);
        Memory { bytes: memory - WAITING.min(memory / 8) - rest, threads }
    }

    /// The most bytes that the rows of one section take, with encoded blocks that wait.
    pub fn for_pieces(self) -> u64 {
        self.bytes / 16 * 15
    }

    /// Bytes for blocks that later sections need, while a section takes so many. An eighth of what is left
    /// is for the holes that the allocator keeps between them (`bench/README.md#memory-of-pieces`).
    pub fn for_blocks(self, section: f64) -> u64 {
        self.bytes.saturating_sub(section.ceil() as u64) / 8 * 7
    }
}

/// Bytes of encoded blocks that may wait in any case, because threads don't finish in their order.
pub fn few_waiting(memory: u64) -> usize {
    WAITING.min(memory / 8) as usize
}
