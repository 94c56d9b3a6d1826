//! The index of tables: finds the rank of each board below a root, and describes positions as
//! rotations of these boards.
//!
//! A board below a root has a number in base 5. Each digit stands for a free socket of the root,
//! and the last of these sockets is the most significant digit. The digit of a free socket is 0,
//! and the digit of a marble is one more than the index of its seat. An array holds the boards of a
//! slice in ascending order of these numbers. The dense solution stores boards in another order for
//! speed, while this index finds single boards.

use crate::dense::board_count;
use crate::geometry::{CENTRE, GRAY, Socket, SocketSet, TURNABLE, pattern, rotated, sockets, turned};
use crate::options::Rules;
use crate::position::Position;
use crate::symmetry::BoardMap;

/// The index of all boards below one root.
#[derive(Clone, Debug)]
pub struct BoardIndex {
    rules: Rules,
    root: Position,
    /// The free sockets of the root, in ascending order.
    pub sockets: Vec<Socket>,
}

/// The address in the tables below a root at which the values of a position are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardAddress {
    /// The number of plies from the root to the slice of the position.
    pub depth: usize,
    /// The rank of the board among the boards of its slice.
    pub rank: u64,
    /// The rotation: two bits for each block that turns, the Gray code of the number of its quarter
    /// turns. The first block in reading order has the lowest bits.
    pub code: u16,
}

impl BoardAddress {
    /// Returns the phase of the arrays that hold the values of this rotation: 0 or 1, the parity of
    /// the number of turns plus the number of plies.
    pub fn phase(&self) -> u8 {
        ((self.code.count_ones() as usize + self.depth) % 2) as u8
    }

    /// Returns the index of the position's bit within a half super.
    pub fn bit(&self) -> usize {
        usize::from(self.code & 0x7fff)
    }
}

impl BoardIndex {
    /// Creates the index of the boards below a root.
    pub fn new(rules: Rules, root: Position) -> BoardIndex {
        BoardIndex { rules, root, sockets: sockets(root.free()).collect() }
    }

    /// Returns the number of marbles that each seat has placed `depth` plies below the root.
    fn counts(&self, depth: usize) -> [usize; 4] {
        self.rules.marbles_placed(self.root.to_move, depth)
    }

    /// Returns the number of boards `depth` plies below the root, but at most `u64::MAX`.
    pub fn boards(&self, depth: usize) -> u64 {
        if depth > self.sockets.len() { 0 } else { board_count(self.sockets.len(), &self.counts(depth)) }
    }

    /// Returns the number of plies from the root to the last slice.
    pub fn last(&self) -> usize {
        self.rules.most_marbles() - self.root.count()
    }

    /// Returns the number of plies below the root, and the rank, of a board whose blocks are not
    /// turned. Returns `None` if the board is not below the root.
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
            // Add the number of boards that have a smaller digit at this socket and the same more
            // significant digits.
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

    /// Returns the board with this rank in the slice `depth` plies below the root, without any
    /// turns. Returns `None` if the slice does not exist or has fewer boards.
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

    /// Returns the position at an address, or `None` if the slice does not exist or has fewer
    /// boards.
    pub fn position(&self, place: &BoardAddress) -> Option<Position> {
        let marbles = self.board(place.depth, place.rank)?;
        let marbles = marbles.map(|set| rotated(set, place.code.into()));
        let to_move = self.rules.seat_after(self.root.to_move, place.depth);
        Some(Position { marbles, to_move, places: [0; 4] })
    }

    /// Returns an address at which the values of a position are stored. A position can have several
    /// addresses, whose values are equal. Returns `None` if no symmetry of the whole board and no
    /// turns of blocks map the position to a board below the root.
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
            // Reverse `turns` quarter turns: turn the block further until it has made a whole turn.
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
