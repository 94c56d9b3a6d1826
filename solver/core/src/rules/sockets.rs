//! Sockets, and sets of sockets.

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

    /// Returns the socket with the lowest number of a set.
    const fn of_lowest(bits: u64) -> Option<Socket> {
        if bits == 0 { None } else { Some(Socket(bits.trailing_zeros() as u8)) }
    }

    /// Returns the set with this socket alone.
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

/// A set of sockets of one board, such as the free sockets: a `u64` with bit `16 * quadrant + cell`
/// for each socket. The set iterates over its sockets in ascending order.
///
/// ```
/// use pentago_core::rules::Position;
///
/// let position: Position = "OO1OO1/6/6/6/6/XXXX2 x".parse()?;
/// let free = position.free();
/// assert_eq!(free.len(), 28);
/// assert!(free.iter().all(|socket| position.board().at(socket).is_none()));
/// # Ok::<(), pentago_core::rules::ParseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SocketSet(pub(super) u64);

impl SocketSet {
    /// Returns the set as bits.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the number of sockets.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set contains a socket.
    pub const fn contains(self, socket: Socket) -> bool {
        self.0 & socket.bit() != 0
    }

    /// Returns the sockets in ascending order.
    pub const fn iter(self) -> Sockets {
        Sockets(self.0)
    }
}

impl IntoIterator for SocketSet {
    type Item = Socket;
    type IntoIter = Sockets;

    fn into_iter(self) -> Sockets {
        self.iter()
    }
}

/// An iterator over the sockets of a [`SocketSet`], in ascending order.
#[derive(Debug, Clone)]
pub struct Sockets(u64);

impl Iterator for Sockets {
    type Item = Socket;

    fn next(&mut self) -> Option<Socket> {
        let socket = Socket::of_lowest(self.0)?;
        self.0 &= self.0 - 1;
        Some(socket)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.count_ones() as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for Sockets {}
