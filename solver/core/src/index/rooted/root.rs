//! The index of a board below a root. The board may be rotated and mapped by a symmetry.
//!
//! A board is below the root if an image of the board contains all marbles of the root, each in its
//! colour. The image results from a symmetry of the board that preserves values, followed by
//! rotations of quadrants. The additional marbles of the image are a number in base three, with one
//! digit for each empty socket of the root. [`Ternary`] computes the rank of this number, which is
//! the rank of the entry. The inverse of the rotations is the rotation within the entry.

use crate::index::Ternary;
use crate::rules::{Board, Color, Rules, Socket};
use crate::symmetry::{Element, Group, Rotation};

/// The index of the boards below one root, slice by slice.
#[derive(Debug)]
pub struct Root {
    rules: Rules,
    board: Board,
    mover: Color,
    /// The bits of the empty sockets, in ascending order.
    empty: Vec<u64>,
    /// The ranks of the boards in each slice, indexed by the number of marbles placed since the
    /// root.
    slices: Vec<Ternary>,
}

/// The index of a board below a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BelowRoot {
    /// The rank of the entry in its slice.
    pub rank: u64,
    /// The symmetry of the board, 0..8, that is applied to the board first.
    pub symmetry: u8,
    /// The number of clockwise quarter turns of each quadrant. These turns map the board of the
    /// entry to the image of the board under `symmetry`.
    pub rotation: Rotation,
}

impl Root {
    /// Creates the index of the boards below the root `board`, whose turn isn't pending. The
    /// numbers of marbles determine the side to move.
    pub fn new(rules: Rules, board: Board) -> Root {
        let free = board.free(rules.shape);
        let empty: Vec<u64> = rules.shape.sockets_of(free).map(Socket::bit).collect();
        let mover = if board.x.count_ones() > board.o.count_ones() { Color::O } else { Color::X };
        let slices = (0..=empty.len()).map(|plies| Ternary::new(empty.len(), [plies.div_ceil(2), plies / 2]));
        let slices = slices.collect();
        Root { rules, board, mover, empty, slices }
    }

    /// Returns the number of marbles on the root board.
    pub fn marbles(&self) -> usize {
        self.board.marbles() as usize
    }

    /// Returns the index of a board, or `None` if the board isn't below the root. If several images
    /// contain the marbles of the root, chooses the first symmetry, then the fewest quarter turns
    /// of each quadrant.
    pub fn locate(&self, board: Board) -> Option<BelowRoot> {
        let plies = (board.marbles() as usize).checked_sub(self.marbles())?;
        let counts = [self.mover, self.mover.other()].map(|c| board.of(c).count_ones());
        let of_root = [self.mover, self.mover.other()].map(|c| self.board.of(c).count_ones());
        if counts[0] != of_root[0] + plies.div_ceil(2) as u32 || counts[1] != of_root[1] + plies as u32 / 2 {
            return None;
        }
        Group::whole_board(self.rules.dir).elements().find_map(|by| {
            let (frame, rotation) = self.frame(by.apply(self.rules.shape, board))?;
            let sets = [self.mover, self.mover.other()].map(|c| self.digits(frame.of(c) & !self.board.of(c)));
            Some(BelowRoot { rank: self.slices[plies].rank(sets), symmetry: by.global(), rotation })
        })
    }

    /// Turns the quadrants of a board so that the turned board contains the marbles of the root.
    /// Returns the turned board and the rotation that maps the turned board back to `board`.
    /// Returns `None` if no rotation fits.
    fn frame(&self, board: Board) -> Option<(Board, Rotation)> {
        let shape = self.rules.shape;
        let mut frame = Board::EMPTY;
        let mut rotation = [0; 4];
        for (q, quarters) in rotation.iter_mut().enumerate() {
            let lane = |set: u64| (set >> (16 * q)) as u16;
            let [x, o] = [lane(board.x), lane(board.o)];
            let [root_x, root_o] = [lane(self.board.x), lane(self.board.o)];
            let back = |r: u8| [x, o].map(|pattern| shape.rotate_quadrant(pattern, 4 - r));
            let fits = |&r: &u8| {
                let [x, o] = back(r);
                root_x & !x == 0 && root_o & !o == 0
            };
            *quarters = (0..4).find(fits)?;
            let [x, o] = back(*quarters).map(|pattern| u64::from(pattern) << (16 * q));
            frame.x |= x;
            frame.o |= o;
        }
        Some((frame, rotation))
    }

    /// Converts a set of empty sockets to the bit set of their indices in `empty`.
    fn digits(&self, set: u64) -> u64 {
        (0..).zip(&self.empty).fold(0, |digits, (i, bit)| digits | u64::from(set & bit != 0) << i)
    }

    /// Returns the number of entries with `marbles` marbles. The number is 0 if the root has more
    /// marbles.
    pub fn len(&self, marbles: usize) -> u64 {
        marbles.checked_sub(self.marbles()).and_then(|plies| self.slices.get(plies)).map_or(0, Ternary::len)
    }

    /// Returns a board that is turned by `rotation`: the board of the entry with rank `rank`, among
    /// the entries with `marbles` marbles.
    ///
    /// # Panics
    /// If no entry has this rank.
    pub fn board(&self, marbles: usize, rank: u64, rotation: Rotation) -> Board {
        let sets = self.slices[marbles - self.marbles()].unrank(rank).map(|digits| {
            (0..).zip(&self.empty).fold(0, |set, (i, bit)| if digits >> i & 1 != 0 { set | bit } else { set })
        });
        let [x, o] = if self.mover == Color::X { sets } else { [sets[1], sets[0]] };
        let frame = Board { x: self.board.x | x, o: self.board.o | o };
        Element::quadrants(rotation).apply(self.rules.shape, frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Position, random};
    use proptest::prelude::*;

    proptest! {
        /// `locate` finds every board below a root, and the rotation maps the entry to an image of
        /// the board.
        #[test]
        fn boards_below_a_root_are_found(
            preset in 0..Rules::presets().len(),
            seed in any::<u64>(),
            left in 1..8u32,
            pick in any::<u64>(),
            by in (0..8u8, any::<[u8; 4]>()),
        ) {
            let rules = Rules::presets()[preset].1;
            let marbles = rules.shape.sockets() as u32 - left;
            let Ok(found) = random::positions(&rules, marbles, 1, seed, false) else { return Ok(()) };
            let root = Root::new(rules, found[0].board());
            for n in marbles..=rules.shape.sockets() as u32 {
                let rank = pick % root.len(n as usize);
                let frame = root.board(n as usize, rank, [0; 4]);
                let group = Group::whole_board(rules.dir);
                let by = Element::new(by.0 % (group.order() as u8), by.1);
                let board = by.apply(rules.shape, frame);
                let at = root.locate(board).expect("it is below the root");
                let back = root.board(n as usize, at.rank, at.rotation);
                prop_assert_eq!(back, Element::whole_board(at.symmetry).apply(rules.shape, board));
                // For the board of an entry itself, `locate` returns the identity symmetry and no
                // turns.
                let found = root.locate(frame).map(|a| (a.rank, a.symmetry, a.rotation));
                prop_assert_eq!(found, Some((rank, 0, [0; 4])));
            }
        }

        /// `locate` finds a board if and only if some image of the board contains the marbles of
        /// the root.
        #[test]
        fn other_boards_are_not_found(seed in any::<u64>(), roots in 0..6u32, more in 1..12u32) {
            let rules = Rules::default();
            let board = |p: Vec<Position>| p[0].board();
            let position = |n, seed| random::positions(&rules, n, 1, seed, false).map(board);
            let (Ok(root), Ok(board)) = (position(roots, seed), position(roots + more, seed ^ 1)) else {
                return Ok(());
            };
            let holds = Group::with_quadrants(rules.dir).elements().any(|by| {
                let image = by.apply(rules.shape, board);
                root.x & !image.x == 0 && root.o & !image.o == 0
            });
            prop_assert_eq!(Root::new(rules, root).locate(board).is_some(), holds);
        }
    }
}
