//! The geometry of the board: 81 sockets in nine blocks of nine, the turns of a block, and the 140
//! lines of five sockets.
//!
//! A [`SocketSet`] is a set of sockets: bit `9 * block + cell` of its 128 bits stands for the
//! socket in cell `cell` of block `block`. Blocks are numbered from 0 in reading order, and so are
//! the cells of a block. The marbles of a block are therefore nine adjacent bits, the *pattern* of
//! the block. A turn looks up the turned pattern in a table of 512 patterns.

/// The number of sockets along one edge of the board.
pub const SIDE: usize = 9;
/// The number of sockets of the board.
pub const SOCKETS: usize = 81;
/// The number of blocks of the board.
pub const BLOCKS: usize = 9;
/// The index of the centre block. The centre block holds marbles but never turns.
pub const CENTRE: u8 = 4;
/// The number of lines of five sockets.
pub const LINES: usize = 140;
/// The indices of the blocks that turn, in reading order.
pub const TURNABLE: [u8; 8] = [0, 1, 2, 3, 5, 6, 7, 8];
/// The number of possible patterns of one block: 2^9, one for each subset of its nine cells.
pub(crate) const PATTERNS: usize = 512;

/// A set of sockets. Bit `9 * block + cell` stands for the socket in cell `cell` of block `block`.
pub type SocketSet = u128;

/// The set of all sockets.
pub const BOARD: SocketSet = (1 << SOCKETS) - 1;

/// A socket of the board, stored as the number `9 * block + cell`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Socket(u8);

impl Socket {
    /// Returns the socket with the number `9 * block + cell`, from 0 to 80. Returns `None` if the
    /// number is above 80.
    pub const fn numbered(number: u8) -> Option<Socket> {
        if (number as usize) < SOCKETS { Some(Socket(number)) } else { None }
    }

    /// Returns the socket on a file and a rank, both from 0 to 8. File 0 is file a, and rank 0 is
    /// the bottom row. Returns `None` if the file or the rank is above 8.
    pub const fn on(file: usize, rank: usize) -> Option<Socket> {
        if file >= SIDE || rank >= SIDE {
            return None;
        }
        let row = SIDE - 1 - rank;
        Some(Socket((9 * (row / 3 * 3 + file / 3) + row % 3 * 3 + file % 3) as u8))
    }

    /// Returns the number of the socket, `9 * block + cell`, from 0 to 80.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns the set that contains only this socket.
    pub const fn bit(self) -> SocketSet {
        1 << self.0
    }

    /// Returns the index of the socket's block, 0 to 8 in reading order.
    pub const fn block(self) -> u8 {
        self.0 / 9
    }

    /// Returns the file of the socket, then its rank, both from 0 to 8. File 0 is file a, and rank
    /// 0 is the bottom row.
    pub const fn file_rank(self) -> (usize, usize) {
        let (block, cell) = (self.0 as usize / 9, self.0 as usize % 9);
        let row = block / 3 * 3 + cell / 3;
        (block % 3 * 3 + cell % 3, SIDE - 1 - row)
    }
}

/// Returns the sockets of a set in ascending order of their numbers.
pub fn sockets(set: SocketSet) -> impl Iterator<Item = Socket> {
    let mut left = set & BOARD;
    std::iter::from_fn(move || {
        let number = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        Socket::numbered(number as u8)
    })
}

/// A quarter turn of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn {
    block: u8,
    clockwise: bool,
}

impl Turn {
    /// Returns the turn of the block with this index, from 0 to 8 in reading order. Returns `None`
    /// for the centre block, which never turns, and for an index above 8.
    pub const fn new(block: u8, clockwise: bool) -> Option<Turn> {
        if block as usize >= BLOCKS || block == CENTRE { None } else { Some(Turn { block, clockwise }) }
    }

    /// Returns all 16 turns, sorted by block. For each block, the clockwise turn comes first.
    pub fn all() -> impl Iterator<Item = Turn> {
        TURNABLE.into_iter().flat_map(|block| [true, false].map(|clockwise| Turn { block, clockwise }))
    }

    /// Returns the index of the block that turns, from 0 to 8 in reading order. The centre block
    /// (4) never turns.
    pub const fn block(self) -> u8 {
        self.block
    }

    /// Returns `true` if the block turns clockwise.
    pub const fn clockwise(self) -> bool {
        self.clockwise
    }

    /// Returns the index of the turn in [`Turn::all`].
    pub(crate) const fn number(self) -> usize {
        // The centre block has no turns, so the blocks after it have an index one lower.
        let block = self.block - (self.block > CENTRE) as u8;
        2 * block as usize + !self.clockwise as usize
    }

    /// Returns the turn that reverses this turn.
    #[must_use]
    pub const fn back(self) -> Turn {
        Turn { block: self.block, clockwise: !self.clockwise }
    }

    /// Returns the set of sockets to which this turn moves the marbles of `set`.
    #[inline]
    pub fn apply(self, set: SocketSet) -> SocketSet {
        let pattern = pattern(set, self.block);
        with_pattern(set, self.block, TURNED[usize::from(self.clockwise)][pattern])
    }
}

/// The Gray codes of 0, 1, 2 and 3 clockwise quarter turns. A quarter turn in either direction
/// changes exactly one bit of the code.
pub(crate) const GRAY: [usize; 4] = [0b00, 0b01, 0b11, 0b10];

/// Returns `set` after the turns of a rotation. Bits `2i` and `2i + 1` of `code` are the Gray code
/// of the number of clockwise quarter turns of block `TURNABLE[i]`.
#[cfg(any(test, feature = "tables"))]
pub(crate) fn rotated(set: SocketSet, code: usize) -> SocketSet {
    TURNABLE.into_iter().enumerate().fold(set, |set, (i, block)| {
        let turns = GRAY.iter().position(|&gray| gray == code >> (2 * i) & 3).unwrap_or(0);
        turned(set, block, turns)
    })
}

/// Returns `set` after `turns` clockwise quarter turns of a block.
#[cfg(any(test, feature = "tables"))]
pub(crate) fn turned(set: SocketSet, block: u8, turns: usize) -> SocketSet {
    (0..turns).fold(set, |set, _| with_pattern(set, block, TURNED[1][pattern(set, block)]))
}

/// Returns the pattern of a block: the nine bits of `set` that stand for the block's sockets.
#[inline]
pub(crate) fn pattern(set: SocketSet, block: u8) -> usize {
    (set >> (9 * u32::from(block))) as usize & (PATTERNS - 1)
}

/// Returns `set` with the pattern of one block replaced by `pattern`.
#[inline]
pub(crate) fn with_pattern(set: SocketSet, block: u8, pattern: u16) -> SocketSet {
    let shift = 9 * u32::from(block);
    set & !((PATTERNS as SocketSet - 1) << shift) | SocketSet::from(pattern) << shift
}

/// The pattern of a block after a quarter turn. The first index is 0 for counter-clockwise and 1
/// for clockwise. The second index is the pattern before the turn.
pub(crate) static TURNED: [[u16; PATTERNS]; 2] = turned_patterns();

const fn turned_patterns() -> [[u16; PATTERNS]; 2] {
    let mut table = [[0; PATTERNS]; 2];
    let mut pattern = 0;
    while pattern < PATTERNS {
        let mut cell = 0;
        while cell < 9 {
            if pattern >> cell & 1 != 0 {
                let (row, column) = (cell / 3, cell % 3);
                // A clockwise turn moves the top row to the right column.
                table[1][pattern] |= 1 << (3 * column + 2 - row);
                table[0][pattern] |= 1 << (3 * (2 - column) + row);
            }
            cell += 1;
        }
        pattern += 1;
    }
    table
}

/// The 140 lines of five sockets. Horizontal lines come first, then vertical, falling and rising
/// lines. The lines of each direction are in the reading order of their first sockets.
pub static FIVES: [SocketSet; LINES] = fives();

const fn fives() -> [SocketSet; LINES] {
    let mut all = [0; LINES];
    let mut len = 0;
    // Each step is a change of file and a change of rank: right, down, down and right, down and
    // left.
    let steps: [(i32, i32); 4] = [(1, 0), (0, -1), (1, -1), (-1, -1)];
    let mut direction = 0;
    while direction < 4 {
        let (df, dr) = steps[direction];
        let mut start = 0;
        while start < SOCKETS {
            let (file, rank) = ((start % SIDE) as i32, 8 - (start / SIDE) as i32);
            let (last_file, last_rank) = (file + 4 * df, rank + 4 * dr);
            if last_file >= 0 && last_file <= 8 && last_rank >= 0 {
                let mut line = 0;
                let mut i = 0;
                while i < 5 {
                    if let Some(socket) = Socket::on((file + i * df) as usize, (rank + i * dr) as usize) {
                        line |= socket.bit();
                    }
                    i += 1;
                }
                all[len] = line;
                len += 1;
            }
            start += 1;
        }
        direction += 1;
    }
    all
}

/// Returns those sockets of `free` on which one more marble completes a line of five for `own`.
pub fn completions(own: SocketSet, free: SocketSet) -> SocketSet {
    let mut all = 0;
    for five in FIVES {
        let missing = five & !own;
        if missing & missing.wrapping_sub(1) == 0 {
            all |= missing & free;
        }
    }
    all
}
