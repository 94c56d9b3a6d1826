//! The boards below a root as numbers, and positions as rotations of such boards.
//!
//! The root's free sockets, in ascending order, are the digits of a number: 0 for a free one, else
//! one more than the number of the seat. All boards of a slice in the ascending order of these
//! numbers are the entries of an array. (The same order as in the dense solution, whose index is
//! made for speed; this one finds single boards.)

use crate::dense::board_count;
use crate::geometry::{CENTRE, GRAY, Socket, SocketSet, TURNABLE, pattern, rotated, sockets, turned};
use crate::options::Rules;
use crate::position::Position;
use crate::symmetry::BoardMap;

/// The boards below a root.
#[derive(Clone, Debug)]
pub struct BoardIndex {
    rules: Rules,
    root: Position,
    sockets: Vec<Socket>,
}

/// Where the values of a position stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardAddress {
    /// Plies below the root.
    pub depth: usize,
    /// The number of the board among those of its slice.
    pub rank: u64,
    /// How its blocks are turned: two bits each, the first one's lowest.
    pub code: u16,
}

impl BoardAddress {
    /// The phase of the arrays that hold the values.
    #[must_use]
    pub fn phase(&self) -> u8 {
        ((self.code.count_ones() as usize + self.depth) % 2) as u8
    }

    /// The bit of the half super.
    #[must_use]
    pub fn bit(&self) -> usize {
        usize::from(self.code & 0x7fff)
    }
}

impl BoardIndex {
    /// The boards below a root.
    #[must_use]
    pub fn new(rules: Rules, root: Position) -> BoardIndex {
        BoardIndex { rules, root, sockets: sockets(root.free()).collect() }
    }

    /// The free sockets of the root.
    #[must_use]
    pub fn sockets(&self) -> &[Socket] {
        &self.sockets
    }

    /// The marbles of each seat that are not in the root, after so many plies.
    fn counts(&self, depth: usize) -> [usize; 4] {
        self.rules.marbles_placed(self.root.to_move, depth)
    }

    /// The boards so many plies below the root; what doesn't fit in 64 bits is the largest number.
    #[must_use]
    pub fn boards(&self, depth: usize) -> u64 {
        if depth > self.sockets.len() { 0 } else { board_count(self.sockets.len(), &self.counts(depth)) }
    }

    /// The last slice: plies below the root.
    #[must_use]
    pub fn last(&self) -> usize {
        self.rules.most_marbles() - self.root.count()
    }

    /// Plies below the root and number of an unturned board, if it is below the root.
    #[must_use]
    pub fn rank(&self, marbles: &[SocketSet; 4]) -> Option<(usize, u64)> {
        let root = &self.root;
        let mut added = [0; 4];
        for seat in 0..4 {
            if root.marbles[seat] & !marbles[seat] != 0 {
                return None;
            }
            added[seat] = marbles[seat] & !root.marbles[seat];
        }
        let mut left = added.map(|set| set.count_ones() as usize);
        let depth = left.iter().sum();
        if depth > self.last() || left != self.counts(depth) {
            return None;
        }
        let mut rank = 0;
        for (i, socket) in self.sockets.iter().enumerate().rev() {
            let seat = added.iter().position(|set| set & socket.bit() != 0);
            // All boards with a smaller digit here, and the same ones above.
            let Some(seat) = seat else { continue };
            if left.iter().sum::<usize>() <= i {
                rank += board_count(i, &left);
            }
            for smaller in 0..seat {
                if left[smaller] > 0 {
                    let mut fewer = left;
                    fewer[smaller] -= 1;
                    rank += board_count(i, &fewer);
                }
            }
            left[seat] -= 1;
        }
        Some((depth, rank))
    }

    /// The unturned board with a number; none if the slice ends before.
    #[must_use]
    pub fn board(&self, depth: usize, rank: u64) -> Option<[SocketSet; 4]> {
        if depth > self.last() || rank >= self.boards(depth) {
            return None;
        }
        let mut marbles = self.root.marbles;
        let (mut left, mut rest) = (self.counts(depth), rank);
        for (i, socket) in self.sockets.iter().enumerate().rev() {
            let free = if left.iter().sum::<usize>() <= i { board_count(i, &left) } else { 0 };
            if rest < free {
                continue;
            }
            rest -= free;
            for seat in 0..4 {
                let Some(fewer) = left[seat].checked_sub(1) else { continue };
                let mut after = left;
                after[seat] = fewer;
                let boards = board_count(i, &after);
                if rest < boards {
                    marbles[seat] |= socket.bit();
                    left = after;
                    break;
                }
                rest -= boards;
            }
        }
        Some(marbles)
    }

    /// The position of a board at a rotation; none if the slice ends before.
    #[must_use]
    pub fn position(&self, place: &BoardAddress) -> Option<Position> {
        let marbles = self.board(place.depth, place.rank)?;
        let marbles = marbles.map(|set| rotated(set, place.code.into()));
        let to_move = self.rules.seat_after(self.root.to_move, place.depth);
        Some(Position { marbles, to_move, places: [0; 4] })
    }

    /// Returns where the values of a position stand, if some symmetry of the board and some turns
    /// of the blocks take it to a board below the root. (There can be several such places; their
    /// values are equal.)
    #[must_use]
    pub fn locate(&self, p: &Position) -> Option<BoardAddress> {
        if p.count() < self.root.count() {
            return None;
        }
        BoardMap::all().find_map(|map| self.locate_as_it_is(&map.position(p).marbles))
    }

    fn locate_as_it_is(&self, marbles: &[SocketSet; 4]) -> Option<BoardAddress> {
        let root = &self.root.marbles;
        let fits = |marbles: &[SocketSet; 4], block: u8| {
            (0..4).all(|seat| pattern(root[seat], block) & !pattern(marbles[seat], block) == 0)
        };
        if !fits(marbles, CENTRE) {
            return None;
        }
        let mut board = *marbles;
        let mut code = 0;
        for (i, block) in TURNABLE.into_iter().enumerate() {
            // Turned on by what is missing to four turns, it is as it was before.
            let found = (0..4).find_map(|turns| {
                let back = board.map(|set| turned(set, block, (4 - turns) % 4));
                fits(&back, block).then_some((turns, back))
            });
            let (turns, back) = found?;
            board = back;
            code |= (GRAY[turns] << (2 * i)) as u16;
        }
        let (depth, rank) = self.rank(&board)?;
        Some(BoardAddress { depth, rank, code })
    }
}
