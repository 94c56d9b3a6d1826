//! Sets of lines: 140 bits in four words, so that one vector holds a set.

/// A set of lines: line `i` is bit `i % 64` of word `i / 64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C, align(32))]
pub(crate) struct LineSet(pub [u64; 4]);

/// What the marbles of one block do for the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C, align(64))]
pub(crate) struct Entry {
    /// The lines that miss nothing in the block.
    pub complete: LineSet,
    /// The lines that miss at most one socket in the block.
    pub nearly: LineSet,
}

impl LineSet {
    #[inline(always)]
    pub fn and(&self, other: &LineSet) -> LineSet {
        LineSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline(always)]
    pub fn or(&self, other: &LineSet) -> LineSet {
        LineSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline(always)]
    pub fn any(&self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] != 0
    }
}
