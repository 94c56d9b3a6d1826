//! The board: 81 sockets in nine blocks of nine, the turns of a block, and the 140 lines of five.
//!
//! A set of sockets is a [`SocketSet`]: socket `9 * block + cell` is bit `9 * block + cell` of 128 bits.
//! Blocks and the cells of a block are numbered from 0 in reading order. A block's marbles are thus
//! nine neighbouring bits, its *pattern*, and a turn replaces them by their image in a small table.

/// Sockets along one edge of the board.
pub const SIDE: usize = 9;
/// Sockets of the board.
pub const SOCKETS: usize = 81;
/// Blocks of the board.
pub const BLOCKS: usize = 9;
/// The block in the centre, which takes marbles and never turns.
pub const CENTRE: u8 = 4;
/// Lines of five sockets.
pub const LINES: usize = 140;
/// The blocks that turn, in reading order.
pub const TURNABLE: [u8; 8] = [0, 1, 2, 3, 5, 6, 7, 8];
/// The patterns of one block.
pub(crate) const PATTERNS: usize = 512;

/// A set of sockets: bit `9 * block + cell`.
pub type SocketSet = u128;

/// All sockets.
pub const BOARD: SocketSet = (1 << SOCKETS) - 1;

/// A socket of the board, by its number `9 * block + cell`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Socket(u8);

impl Socket {
    /// The socket of this number, 0 to 80.
    #[must_use]
    pub const fn numbered(number: u8) -> Option<Socket> {
        if (number as usize) < SOCKETS { Some(Socket(number)) } else { None }
    }

    /// The socket on a file (0 is a) and a rank (0 is the lowest), each 0 to 8.
    #[must_use]
    pub const fn on(file: usize, rank: usize) -> Option<Socket> {
        if file >= SIDE || rank >= SIDE {
            return None;
        }
        let row = SIDE - 1 - rank;
        Some(Socket((9 * (row / 3 * 3 + file / 3) + row % 3 * 3 + file % 3) as u8))
    }

    /// Its number, 0 to 80.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The set of this socket alone.
    #[must_use]
    pub const fn bit(self) -> SocketSet {
        1 << self.0
    }

    /// Its block, 0 to 8 in reading order.
    #[must_use]
    pub const fn block(self) -> u8 {
        self.0 / 9
    }

    /// Its file and rank, each 0 to 8: a is file 0, and the lowest rank is 0.
    #[must_use]
    pub const fn file_rank(self) -> (usize, usize) {
        let (block, cell) = (self.0 as usize / 9, self.0 as usize % 9);
        let row = block / 3 * 3 + cell / 3;
        (block % 3 * 3 + cell % 3, SIDE - 1 - row)
    }
}

/// The sockets of a set, in the order of their numbers.
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
    /// The turn of a block, 0 to 8 in reading order; none for the centre block, which is fixed.
    #[must_use]
    pub const fn new(block: u8, clockwise: bool) -> Option<Turn> {
        if block as usize >= BLOCKS || block == CENTRE { None } else { Some(Turn { block, clockwise }) }
    }

    /// All 16 turns: by block, clockwise first.
    pub fn all() -> impl Iterator<Item = Turn> {
        TURNABLE.into_iter().flat_map(|block| [true, false].map(|clockwise| Turn { block, clockwise }))
    }

    /// The block, 0 to 8 in reading order, never the centre.
    #[must_use]
    pub const fn block(self) -> u8 {
        self.block
    }

    /// Returns whether it turns clockwise.
    #[must_use]
    pub const fn clockwise(self) -> bool {
        self.clockwise
    }

    /// Its place among [`Turn::all`].
    pub(crate) const fn number(self) -> usize {
        // The fixed block has none.
        let block = self.block - (self.block > CENTRE) as u8;
        2 * block as usize + !self.clockwise as usize
    }

    /// The turn that undoes this one.
    #[must_use]
    pub const fn back(self) -> Turn {
        Turn { block: self.block, clockwise: !self.clockwise }
    }

    /// The set after this turn.
    #[inline]
    #[must_use]
    pub fn apply(self, set: SocketSet) -> SocketSet {
        let pattern = pattern(set, self.block);
        with_pattern(set, self.block, TURNED[usize::from(self.clockwise)][pattern])
    }
}

/// The Gray code of 0 to 3 clockwise quarter turns: a quarter turn either way changes one bit.
pub(crate) const GRAY: [usize; 4] = [0b00, 0b01, 0b11, 0b10];

/// Returns the set after the turns of a rotation: bits `2i` and `2i + 1` of `code` are the Gray code
/// of the clockwise quarter turns of block `TURNABLE[i]`.
#[cfg(any(test, feature = "tables"))]
pub(crate) fn rotated(set: SocketSet, code: usize) -> SocketSet {
    TURNABLE.into_iter().enumerate().fold(set, |set, (i, block)| {
        let turns = GRAY.iter().position(|&gray| gray == code >> (2 * i) & 3).unwrap_or(0);
        turned(set, block, turns)
    })
}

/// Returns the set after a number of clockwise quarter turns of a block.
#[cfg(any(test, feature = "tables"))]
pub(crate) fn turned(set: SocketSet, block: u8, turns: usize) -> SocketSet {
    (0..turns).fold(set, |set, _| with_pattern(set, block, TURNED[1][pattern(set, block)]))
}

/// The nine bits of a block.
#[inline]
pub(crate) fn pattern(set: SocketSet, block: u8) -> usize {
    (set >> (9 * u32::from(block))) as usize & (PATTERNS - 1)
}

/// The set with the nine bits of a block replaced.
#[inline]
pub(crate) fn with_pattern(set: SocketSet, block: u8, pattern: u16) -> SocketSet {
    let shift = 9 * u32::from(block);
    set & !((PATTERNS as SocketSet - 1) << shift) | SocketSet::from(pattern) << shift
}

/// Every pattern turned by 90 degrees: counter-clockwise, clockwise.
pub(crate) static TURNED: [[u16; PATTERNS]; 2] = turned_patterns();

const fn turned_patterns() -> [[u16; PATTERNS]; 2] {
    let mut table = [[0; PATTERNS]; 2];
    let mut pattern = 0;
    while pattern < PATTERNS {
        let mut cell = 0;
        while cell < 9 {
            if pattern >> cell & 1 != 0 {
                let (row, column) = (cell / 3, cell % 3);
                // Clockwise the top row becomes the right column.
                table[1][pattern] |= 1 << (3 * column + 2 - row);
                table[0][pattern] |= 1 << (3 * (2 - column) + row);
            }
            cell += 1;
        }
        pattern += 1;
    }
    table
}

/// The 140 lines of five: horizontal, vertical, then both diagonals, each in reading order of its
/// first socket.
pub static FIVES: [SocketSet; LINES] = fives();

const fn fives() -> [SocketSet; LINES] {
    let mut all = [0; LINES];
    let mut len = 0;
    // Steps in file and rank: to the right, down, down right, down left.
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

/// The sockets of `free` that would complete a line of five of `own`.
#[must_use]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_as_counted_by_hand() {
        let mut by_parts = std::collections::BTreeMap::new();
        let mut by_turnable = [0; 5];
        let mut sets = std::collections::BTreeSet::new();
        for five in FIVES {
            assert_eq!(five.count_ones(), 5);
            let mut parts: Vec<u32> =
                (0..9).map(|block| pattern(five, block).count_ones()).filter(|&n| n > 0).collect();
            parts.sort_unstable_by(|a, b| b.cmp(a));
            *by_parts.entry(parts).or_insert(0) += 1;
            let touched: Vec<u8> = TURNABLE.into_iter().filter(|&b| pattern(five, b) != 0).collect();
            by_turnable[touched.len()] += 1;
            sets.insert(touched);
        }
        let expected = [(vec![2, 1, 1, 1], 16), (vec![2, 2, 1], 16), (vec![3, 1, 1], 20), (vec![3, 2], 88)];
        assert_eq!(by_parts.into_iter().collect::<Vec<_>>(), expected);
        assert_eq!(by_turnable, [0, 32, 76, 32, 0]);
        assert_eq!(sets.len(), 40);
        let maximal =
            |a: &&Vec<u8>| !sets.iter().any(|b| b.len() > a.len() && a.iter().all(|block| b.contains(block)));
        assert_eq!(sets.iter().filter(maximal).count(), 20);
        let distinct: std::collections::BTreeSet<SocketSet> = FIVES.into_iter().collect();
        assert_eq!(distinct.len(), LINES);
    }

    #[test]
    fn sockets_and_their_names_are_inverse() {
        for number in 0..81 {
            let socket = Socket::numbered(number).unwrap();
            let (file, rank) = socket.file_rank();
            assert_eq!(Socket::on(file, rank), Some(socket));
        }
        assert_eq!(Socket::on(0, 8).unwrap().number(), 0);
        assert_eq!(Socket::on(8, 0).unwrap().number(), 80);
        assert_eq!((Socket::on(9, 0), Socket::on(0, 9), Socket::numbered(81)), (None, None, None));
        assert_eq!(sockets(BOARD).count(), 81);
    }

    #[test]
    fn four_turns_are_none_and_both_ways_cancel() {
        let set: SocketSet = 0x0123_4567_89ab_cdef_0f1e_2d3c & BOARD;
        for turn in Turn::all() {
            let back = turn.back();
            assert_eq!(back.apply(turn.apply(set)), set);
            assert_eq!((0..4).fold(set, |set, _| turn.apply(set)), set);
        }
        assert_eq!(Turn::all().count(), 16);
        assert!(Turn::all().map(Turn::number).eq(0..16));
        assert_eq!((Turn::new(CENTRE, true), Turn::new(9, true)), (None, None));
        // The top left corner of block 1 becomes its top right one: a9 to c9.
        let a9 = Socket::on(0, 8).unwrap().bit();
        assert_eq!(Turn::new(0, true).unwrap().apply(a9), Socket::on(2, 8).unwrap().bit());
    }
}
