//! The sockets of a board, and their numbers.

/// A socket: `16 * quadrant + cell`. Quadrants are 0..4 in reading order; cells are numbered row by
/// row inside the quadrant, from the top. Only [`Shape`](super::Shape) creates sockets, so each
/// socket lies on a board of that shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Socket(pub(super) u8);

impl Socket {
    /// Returns the number of the socket: `16 * quadrant + cell`, 0..64.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns the set that contains only this socket.
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// Returns the quadrant, 0..4 in reading order.
    pub const fn quadrant(self) -> usize {
        self.0 as usize / 16
    }

    /// Returns the number of the cell inside the quadrant, row by row from the top left.
    pub const fn cell(self) -> usize {
        self.0 as usize % 16
    }
}
