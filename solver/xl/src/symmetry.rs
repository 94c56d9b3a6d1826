//! Two symmetry groups of boards.
//!
//! The small group has the 8 symmetries of the whole board, which preserve the value of a position.
//! The large group also has all turns of single blocks: 8 x 4^8 = 524,288 elements. The large group
//! does not preserve values. It preserves the set of boards that turns alone reach from a board.
//!
//! An element of the large group turns each block independently, then maps the whole board. For
//! each of the 8 maps, the least image of a board therefore consists of the least image of each
//! block. The canonical form is the least of these 8 images.

use crate::geometry::{Socket, SocketSet, TURNABLE, TURNED, pattern, sockets, with_pattern};
use crate::position::Position;

/// A group of symmetries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymmetryGroup {
    /// The 8 symmetries of the whole board.
    WholeBoard,
    /// The 8 symmetries of the whole board combined with all turns of blocks: 524,288 elements.
    WithBlocks,
}

/// One of the 8 maps of the whole board. If `mirror` is `true`, the board is first reflected in its
/// vertical axis. Then it makes `quarters` clockwise quarter turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoardMap {
    quarters: u8,
    mirror: bool,
}

impl BoardMap {
    /// Returns all 8 maps. The first one is the identity.
    pub fn all() -> impl Iterator<Item = BoardMap> {
        [false, true].into_iter().flat_map(|mirror| (0..4).map(move |quarters| BoardMap { quarters, mirror }))
    }

    /// Returns the socket to which the map moves `socket`.
    pub fn socket(self, socket: Socket) -> Socket {
        let (file, rank) = socket.file_rank();
        let start = (if self.mirror { 8 - file } else { file }, rank);
        // Each clockwise quarter turn moves a9, the top left corner, to i9.
        let (file, rank) = (0..self.quarters).fold(start, |(file, rank), _| (rank, 8 - file));
        Socket::on(file, rank).unwrap_or(socket)
    }

    /// Returns the set of sockets to which the map moves the sockets of `set`.
    pub fn set(self, set: SocketSet) -> SocketSet {
        sockets(set).fold(0, |image, socket| image | self.socket(socket).bit())
    }

    /// Returns the position to which the map moves all marbles of `p`.
    pub fn position(self, p: &Position) -> Position {
        Position { marbles: p.marbles.map(|set| self.set(set)), ..*p }
    }
}

impl SymmetryGroup {
    /// Returns the order of the group, which is the number of its elements.
    pub const fn order(self) -> u64 {
        match self {
            SymmetryGroup::WholeBoard => 8,
            SymmetryGroup::WithBlocks => 8 << 16,
        }
    }

    /// Returns the canonical form of a position: the least position in its orbit. Positions are
    /// compared by the marbles of seat A, then of B, C and D.
    pub fn canonical(self, p: &Position) -> Position {
        let least = BoardMap::all().map(|map| self.least_blocks(&map.position(p).marbles).0).min();
        Position { marbles: least.unwrap_or(p.marbles), ..*p }
    }

    /// Returns the number of elements of the group that leave the board of a position unchanged.
    pub fn stabiliser_size(self, p: &Position) -> u64 {
        // Count the maps after which the blocks have the same least images as before. Each such
        // map, combined with `ways` combinations of turns, leaves the board unchanged.
        let (own, ways) = self.least_blocks(&p.marbles);
        let same = |map: &BoardMap| self.least_blocks(&map.position(p).marbles).0 == own;
        BoardMap::all().filter(same).count() as u64 * ways
    }

    /// Returns the number of different boards to which the group maps a position.
    pub fn orbit_size(self, p: &Position) -> u64 {
        self.order() / self.stabiliser_size(p)
    }

    /// Replaces each block of the board by its least image under the turns of the group. Returns
    /// the resulting board, and the number of combinations of turns that lead to it.
    fn least_blocks(self, marbles: &[SocketSet; 4]) -> ([SocketSet; 4], u64) {
        if self == SymmetryGroup::WholeBoard {
            return (*marbles, 1);
        }
        let (mut least, mut ways) = (*marbles, 1);
        for block in TURNABLE {
            let own = marbles.map(|set| pattern(set, block) as u16);
            let (mut image, mut best, mut fixed) = (own, own, 1);
            for _ in 1..4 {
                image = image.map(|pattern| TURNED[1][usize::from(pattern)]);
                fixed += u64::from(image == own);
                best = best.min(image);
            }
            ways *= fixed;
            for (set, pattern) in least.iter_mut().zip(best) {
                *set = with_pattern(*set, block, pattern);
            }
        }
        (least, ways)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Rules;

    #[test]
    fn canonical_forms_by_listing_all_boards_of_three() {
        for (group, expected) in [(SymmetryGroup::WholeBoard, 32_288), (SymmetryGroup::WithBlocks, 2_886)] {
            let mut canonical = BTreeSet::new();
            for b in 0..81 {
                for a in 0..81 {
                    for c in a + 1..81 {
                        if a != b && c != b {
                            let marbles = [1 << a | 1 << c, 1 << b, 0, 0];
                            let p = Position { marbles, ..Position::EMPTY };
                            canonical.insert(group.canonical(&p).marbles);
                        }
                    }
                }
            }
            assert_eq!(canonical.len(), expected);
        }
    }

    #[test]
    fn orbits_and_stabilisers() {
        let rules: Rules = "xl:seats=3".parse().unwrap();
        for marbles in 0..8 {
            for p in rules.random_positions(marbles, 5, marbles as u64, false).unwrap() {
                let orbit: BTreeSet<_> = BoardMap::all().map(|map| map.position(&p)).collect();
                assert_eq!(orbit.len() as u64, SymmetryGroup::WholeBoard.orbit_size(&p));
                // If the orbit is small, compare its size with the number of boards that turns and
                // maps reach, one after another.
                let size = SymmetryGroup::WithBlocks.orbit_size(&p);
                if size <= 5_000 {
                    assert_eq!(closure(p).len() as u64, size);
                }
                for group in [SymmetryGroup::WholeBoard, SymmetryGroup::WithBlocks] {
                    let canonical = group.canonical(&p);
                    assert_eq!(group.canonical(&canonical), canonical);
                    assert!(BoardMap::all().all(|map| group.canonical(&map.position(&p)) == canonical));
                }
                for turn in crate::Turn::all() {
                    let turned = p.turned(turn);
                    assert_eq!(
                        SymmetryGroup::WithBlocks.canonical(&turned),
                        SymmetryGroup::WithBlocks.canonical(&p)
                    );
                }
            }
        }
        assert_eq!(SymmetryGroup::WithBlocks.stabiliser_size(&Position::EMPTY), 524_288);
    }

    fn closure(p: Position) -> BTreeSet<Position> {
        let mut all = BTreeSet::from([p]);
        let mut open = vec![p];
        while let Some(p) = open.pop() {
            let turned = crate::Turn::all().map(|turn| p.turned(turn));
            for image in BoardMap::all().map(|map| map.position(&p)).chain(turned) {
                if all.insert(image) {
                    open.push(image);
                }
            }
        }
        all
    }
}
