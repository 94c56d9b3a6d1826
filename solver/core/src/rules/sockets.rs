//! Sockets, and sets of sockets.

/// A socket: `16 * quadrant + cell`, with quadrants 0..4 in reading order and cells row by row
/// inside the quadrant, rows from the top. Only [`Shape`] hands out sockets, so each lies on a
/// board of that shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Socket(pub(super) u8);

impl Socket {
    /// `16 * quadrant + cell`, 0..64.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The socket with the lowest number of a set of bits that are sockets of one board.
    const fn of_lowest(bits: u64) -> Option<Socket> {
        if bits == 0 { None } else { Some(Socket(bits.trailing_zeros() as u8)) }
    }

    /// The set of this socket alone.
    #[must_use]
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// The quadrant, 0..4 in reading order.
    #[must_use]
    pub const fn quadrant(self) -> usize {
        self.0 as usize / 16
    }

    /// The number inside the quadrant, row by row from the top left.
    #[must_use]
    pub const fn cell(self) -> usize {
        self.0 as usize % 16
    }
}

/// A set of sockets of one board, such as the free ones: a `u64` in which socket `16 * quadrant +
/// cell` is bit `16 * quadrant + cell`. It iterates over its sockets in the order of their numbers.
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
    /// The set as bits.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns how many sockets it has.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether it has none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether it has this one.
    #[must_use]
    pub const fn contains(self, socket: Socket) -> bool {
        self.0 & socket.bit() != 0
    }

    /// Its sockets, in the order of their numbers.
    #[must_use]
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

/// The sockets of a [`SocketSet`], in the order of their numbers.
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
