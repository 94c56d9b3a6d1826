//! Two groups that act on boards: the 8 symmetries of the whole board, which keep the value of a
//! position, and these together with all turns of single blocks, 8 x 4^8 = 524,288, which keep no
//! value, but the set of boards that turns make of one board.
//!
//! An element of the large group turns each block by itself, then maps the whole board. Blocks are
//! independent of each other, so the canonical form under it is found for each of the 8 maps by the
//! least image of each block.

use crate::geometry::{BLOCKS, CENTRE, Socket, SocketSet, TURNED, pattern};
use crate::position::Position;

/// A group of symmetries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymmetryGroup {
    /// The 8 symmetries of the whole board.
    WholeBoard,
    /// The symmetries of the whole board and all turns of blocks, 524,288.
    WithBlocks,
}

/// One of the 8 maps of the whole board: quarter turns clockwise, after a reflection in the
/// vertical axis if `mirror`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoardMap {
    quarters: u8,
    mirror: bool,
}

impl BoardMap {
    /// The map of this number, 0 to 7, 0 the identity.
    #[must_use]
    pub const fn numbered(number: u8) -> Option<BoardMap> {
        if number < 8 { Some(BoardMap { quarters: number % 4, mirror: number >= 4 }) } else { None }
    }

    /// All 8, the identity first.
    pub fn all() -> impl Iterator<Item = BoardMap> {
        (0..8).filter_map(BoardMap::numbered)
    }

    /// Returns where a socket goes.
    #[must_use]
    pub fn socket(self, socket: Socket) -> Socket {
        let (file, rank) = socket.file_rank();
        let start = (if self.mirror { 8 - file } else { file }, rank);
        // Clockwise a9, the top left corner, goes to i9.
        let (file, rank) = (0..self.quarters).fold(start, |(file, rank), _| (rank, 8 - file));
        Socket::on(file, rank).unwrap_or(socket)
    }

    /// The image of a set.
    #[must_use]
    pub fn set(self, set: SocketSet) -> SocketSet {
        crate::geometry::sockets(set).fold(0, |image, socket| image | self.socket(socket).bit())
    }

    /// The image of a position.
    #[must_use]
    pub fn position(self, p: &Position) -> Position {
        Position { marbles: p.marbles.map(|set| self.set(set)), ..*p }
    }
}

impl SymmetryGroup {
    /// Returns how many elements it has.
    #[must_use]
    pub const fn order(self) -> u64 {
        match self {
            SymmetryGroup::WholeBoard => 8,
            SymmetryGroup::WithBlocks => 8 << 16,
        }
    }

    /// The canonical form of a position: the least of its orbit, in the order of the marbles of A,
    /// then B, C and D.
    #[must_use]
    pub fn canonical(self, p: &Position) -> Position {
        let images = BoardMap::all().map(|map| map.position(p));
        let least = match self {
            SymmetryGroup::WholeBoard => images.map(|image| image.marbles).min(),
            SymmetryGroup::WithBlocks => images.map(|image| least_blocks(&image.marbles).0).min(),
        };
        Position { marbles: least.unwrap_or(p.marbles), ..*p }
    }

    /// Returns how many elements change nothing on the board.
    #[must_use]
    pub fn stabiliser_size(self, p: &Position) -> u64 {
        match self {
            SymmetryGroup::WholeBoard => {
                BoardMap::all().filter(|map| map.position(p).marbles == p.marbles).count() as u64
            }
            SymmetryGroup::WithBlocks => {
                // The images by the 8 maps that have the same least blocks, each in as many ways.
                let (own, ways) = least_blocks(&p.marbles);
                let same = |map: &BoardMap| least_blocks(&map.position(p).marbles).0 == own;
                BoardMap::all().filter(same).count() as u64 * ways
            }
        }
    }

    /// Returns how many different boards its elements make of the board.
    #[must_use]
    pub fn orbit_size(self, p: &Position) -> u64 {
        self.order() / self.stabiliser_size(p)
    }
}

/// The boards with each block that turns in its least image, and by how many combinations of turns
/// each of them is made.
fn least_blocks(marbles: &[SocketSet; 4]) -> ([SocketSet; 4], u64) {
    let mut least = [0; 4];
    let mut ways = 1;
    // From the last block, which weighs most in the order.
    for block in (0..BLOCKS as u8).rev() {
        let mut image = marbles.map(|set| pattern(set, block) as u16);
        let mut best = image;
        let mut fixed = 1;
        if block != CENTRE {
            let own = image;
            for _ in 1..4 {
                image = image.map(|pattern| TURNED[1][usize::from(pattern)]);
                fixed += u64::from(image == own);
                best = best.min(image);
            }
        }
        ways *= fixed;
        for (set, pattern) in least.iter_mut().zip(best) {
            *set |= SocketSet::from(pattern) << (9 * u32::from(block));
        }
    }
    (least, ways)
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
                // All boards that single turns and maps lead to, while there are few.
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

    #[test]
    fn maps_keep_lines() {
        for map in BoardMap::all() {
            let images: BTreeSet<SocketSet> =
                crate::geometry::FIVES.iter().map(|&five| map.set(five)).collect();
            assert_eq!(images, crate::geometry::FIVES.into_iter().collect());
        }
    }
}
