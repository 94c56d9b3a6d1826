//! Where the boards below one root lie in a table: one list per slice.
//!
//! The sockets that the root leaves free are e0 < e1 < ...; a board of the slice is a word of digits d, 0 for a free
//! socket, 1 for a marble of the player to move at the root, 2 for one of the other. The boards of a slice stand in ascending order of
//! the sum of `d_i 3^i`: that is, compared from the highest socket on.

use crate::rules::{Board, Color, Shape};

/// The boards of one slice below a root, in the order of tables.
#[derive(Clone, Debug)]
pub struct Below {
    root: Board,
    /// Who is to move at the root.
    first: Color,
    /// The sockets that the root leaves free, ascending.
    free: Vec<u8>,
    /// Marbles that each player has placed, the one to move at the root first.
    placed: [usize; 2],
}

/// Words of `len` digits with `a` ones and `b` twos.
fn words(len: usize, a: usize, b: usize) -> u64 {
    let choose = |n: usize, k: usize| (0..k).fold(1, |c, i| c * (n - i) as u64 / (i + 1) as u64);
    if a + b > len { 0 } else { choose(len, a) * choose(len - a, b) }
}

impl Below {
    /// The boards with `plies` marbles more than a root, of as many X as O or one more.
    ///
    /// # Panics
    /// If there are not so many free sockets.
    #[must_use]
    pub fn new(shape: Shape, root: Board, plies: usize) -> Below {
        let set = root.free(shape);
        let free: Vec<u8> = (0..64).filter(|&socket| set >> socket & 1 != 0).collect();
        assert!(plies <= free.len(), "there are {} free sockets", free.len());
        let first = Color::ALL[root.marbles() as usize % 2];
        Below { root, first, free, placed: [plies.div_ceil(2), plies / 2] }
    }

    /// How many boards there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        words(self.free.len(), self.placed[0], self.placed[1])
    }

    /// Never: there is always a board.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The place of a board, or None if it isn't one of them.
    #[must_use]
    pub fn rank(&self, board: Board) -> Option<u64> {
        let (first, second) = (board.of(self.first), board.of(self.first.other()));
        let [mut a, mut b] = self.placed;
        let mut rank = 0;
        for (lower, &socket) in self.free.iter().enumerate().rev() {
            // All words that are smaller here come before.
            if first >> socket & 1 != 0 {
                rank += words(lower, a, b);
                a = a.checked_sub(1)?;
            } else if second >> socket & 1 != 0 {
                rank += words(lower, a, b) + if a > 0 { words(lower, a - 1, b) } else { 0 };
                b = b.checked_sub(1)?;
            }
        }
        // No digit is left over, and all other marbles are the root's.
        (self.board_with(first, second) == board && a == 0 && b == 0).then_some(rank)
    }

    /// The board at a place: the inverse of [`Below::rank`].
    ///
    /// # Panics
    /// If there are not so many boards.
    #[must_use]
    pub fn board(&self, mut rank: u64) -> Board {
        assert!(rank < self.len(), "there are {} boards", self.len());
        let [mut a, mut b] = self.placed;
        let mut sets = [0u64; 2];
        for (lower, &socket) in self.free.iter().enumerate().rev() {
            let zeros = words(lower, a, b);
            let ones = if a > 0 { words(lower, a - 1, b) } else { 0 };
            if rank < zeros {
            } else if rank < zeros + ones {
                rank -= zeros;
                a -= 1;
                sets[0] |= 1 << socket;
            } else {
                rank -= zeros + ones;
                b -= 1;
                sets[1] |= 1 << socket;
            }
        }
        self.board_with(sets[0], sets[1])
    }

    /// The root with marbles of both players on its free sockets.
    fn board_with(&self, first: u64, second: u64) -> Board {
        let free = self.free.iter().fold(0u64, |set, &socket| set | 1 << socket);
        let (x, o) = match self.first {
            Color::X => (first, second),
            Color::O => (second, first),
        };
        Board { x: self.root.x | x & free, o: self.root.o | o & free }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn ranks_are_the_order_of_the_numbers() {
        let rules = Rules::default();
        for root in ["XOXOXO/XOXOXO/OXOXOX/OXOXOX/3XO1/2X3 o", "XOXOXO/XOXOXO/OXOXOX/OXOX2/1XOXO1/O1X3 x"] {
            let root = rules.parse_position(root).expect("a position").board;
            let free = root.free(rules.shape).count_ones() as usize;
            for plies in 0..=free {
                let below = Below::new(rules.shape, root, plies);
                let mut last = None;
                for rank in 0..below.len() {
                    let board = below.board(rank);
                    assert_eq!(board.marbles() as usize, root.marbles() as usize + plies);
                    assert_eq!((board.x & root.x, board.o & root.o, board.x & board.o), (root.x, root.o, 0));
                    assert_eq!(below.rank(board), Some(rank));
                    let digits = below.free.iter().rev().map(|&socket| {
                        let has = |color| board.of(color) >> socket & 1;
                        has(below.first) + 2 * has(below.first.other())
                    });
                    let number = digits.fold(0, |number, d| 3 * number + d);
                    assert!(last.is_none_or(|last| last < number));
                    last = Some(number);
                }
                assert_eq!(below.rank(Board::EMPTY), None);
                let other = Below::new(rules.shape, root, (plies + 1) % (free + 1));
                assert_eq!(below.rank(other.board(0)), None);
            }
        }
    }

    #[test]
    fn the_whole_board_fits() {
        for plies in 0..=36 {
            let below = Below::new(Shape::Pentago, Board::EMPTY, plies);
            for rank in [0, below.len() / 3, below.len() - 1] {
                assert_eq!(below.rank(below.board(rank)), Some(rank));
            }
        }
    }
}
