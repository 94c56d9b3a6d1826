//! Two groups that act on boards: the 8 symmetries of the whole board, which keep the value of a
//! position, and these together with all turns of single blocks, 8 x 4^8 = 524,288, which keep no
//! value, but the set of boards that turns make of one board.
//!
//! An element of the large group turns each block by itself, then maps the whole board. Blocks are
//! independent of each other, so the canonical form under it is found for each of the 8 maps by the
//! least image of each block.

use crate::geometry::{BLOCKS, CENTRE, SOCKETS, Socket, SocketSet, TURNED, pattern};
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

/// Returns the number of boards with these numbers of marbles of each seat, in all or up to a
/// group.
///
/// By Burnside's lemma: the mean over the group of the number of boards that an element keeps,
/// which follows from the lengths of its cycles. `None` if there are more marbles than sockets, or
/// a number does not fit in 128 bits.
#[must_use]
pub fn board_count(counts: [usize; 4], group: Option<SymmetryGroup>) -> Option<u128> {
    if counts.iter().sum::<usize>() > SOCKETS {
        return None;
    }
    let Some(group) = group else {
        return fixed_boards(
            &{
                let mut cycles = [0; SOCKETS + 1];
                cycles[1] = SOCKETS;
                cycles
            },
            counts,
        );
    };
    let mut sum: u128 = 0;
    for (cycles, elements) in cycle_types(group) {
        let fixed = fixed_boards(&cycles, counts)?;
        sum = sum.checked_add(fixed.checked_mul(u128::from(elements))?)?;
    }
    Some(sum / u128::from(group.order()))
}

/// For each kind of elements: how many cycles of each length they have on the sockets, and how many
/// such elements there are.
fn cycle_types(group: SymmetryGroup) -> Vec<([usize; SOCKETS + 1], u64)> {
    let mut types = std::collections::BTreeMap::new();
    for map in BoardMap::all() {
        // The map permutes the blocks; a cycle of k blocks, gone round once, turns or reflects its
        // first block, and with turns of its blocks by itself makes each further turn of that
        // equally often.
        let mut total = std::collections::BTreeMap::from([([0; SOCKETS + 1], 1u64)]);
        let mut seen = [false; BLOCKS];
        for block in 0..BLOCKS {
            if seen[block] {
                continue;
            }
            let mut length = 0;
            let mut at = block;
            while !seen[at] {
                seen[at] = true;
                length += 1;
                at = usize::from(map.socket(cell(at, 0)).block());
            }
            let turns = match group {
                SymmetryGroup::WithBlocks if block != usize::from(CENTRE) => 4,
                _ => 1,
            };
            let mut next = std::collections::BTreeMap::new();
            for quarters in 0..turns {
                let own = block_cycles(map, block, length, quarters);
                let times = if turns == 4 { 4u64.pow(length as u32 - 1) } else { 1 };
                for (cycles, elements) in &total {
                    let mut sum: [usize; SOCKETS + 1] = *cycles;
                    own.iter().for_each(|&cycle| sum[cycle] += 1);
                    *next.entry(sum).or_insert(0) += elements * times;
                }
            }
            total = next;
        }
        for (cycles, elements) in total {
            *types.entry(cycles).or_insert(0) += elements;
        }
    }
    types.into_iter().collect()
}

fn cell(block: usize, cell: usize) -> Socket {
    Socket::numbered((9 * block + cell) as u8).unwrap_or_else(|| unreachable!("nine blocks of nine"))
}

/// The lengths of the cycles of sockets in a cycle of `length` blocks, where the first block is
/// turned by `quarters` before the map takes it on.
fn block_cycles(map: BoardMap, block: usize, length: usize, quarters: usize) -> Vec<usize> {
    let round = |start: usize| {
        let pattern = (0..quarters).fold(1u16 << start, |p, _| TURNED[1][usize::from(p)]);
        let mut socket = cell(block, pattern.trailing_zeros() as usize);
        for _ in 0..length {
            socket = map.socket(socket);
        }
        usize::from(socket.number()) % 9
    };
    let mut seen = [false; 9];
    let mut cycles = Vec::new();
    for start in 0..9 {
        let (mut at, mut steps) = (start, 0);
        while !seen[at] {
            seen[at] = true;
            steps += 1;
            at = round(at);
        }
        if steps > 0 {
            cycles.push(steps * length);
        }
    }
    cycles
}

/// The number of ways to give whole cycles to the seats so that they get `counts` sockets.
fn fixed_boards(cycles: &[usize; SOCKETS + 1], counts: [usize; 4]) -> Option<u128> {
    // ways[a][b][c][d]: ways to have given a, b, c and d sockets to the seats.
    let sizes = counts.map(|count| count + 1);
    let index = |at: [usize; 4]| ((at[0] * sizes[1] + at[1]) * sizes[2] + at[2]) * sizes[3] + at[3];
    let mut ways = vec![0u128; sizes.iter().product()];
    ways[0] = 1;
    for (length, &number) in cycles.iter().enumerate() {
        for _ in 0..number {
            for a in (0..sizes[0]).rev() {
                for b in (0..sizes[1]).rev() {
                    for c in (0..sizes[2]).rev() {
                        for d in (0..sizes[3]).rev() {
                            let at = [a, b, c, d];
                            let mut sum = ways[index(at)];
                            for seat in 0..4 {
                                if at[seat] >= length {
                                    let mut from = at;
                                    from[seat] -= length;
                                    sum = sum.checked_add(ways[index(from)])?;
                                }
                            }
                            ways[index(at)] = sum;
                        }
                    }
                }
            }
        }
    }
    Some(ways[index(counts)])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Rules;

    fn counts(seats: usize, marbles: usize) -> [usize; 4] {
        std::array::from_fn(|seat| if seat < seats { (marbles + seats - 1 - seat) / seats } else { 0 })
    }

    #[test]
    fn known_numbers_of_boards() {
        let eight = Some(SymmetryGroup::WholeBoard);
        let all = Some(SymmetryGroup::WithBlocks);
        for (seats, group, expected) in [
            (2, None, &[1, 81, 6_480, 255_960, 9_982_440, 256_215_960, 6_490_804_320_u128][..]),
            (2, eight, &[1, 15, 846, 32_288, 1_250_304, 32_039_538, 811_414_884]),
            (2, all, &[1, 9, 180, 2_886, 53_152, 708_224, 9_847_064]),
            (3, eight, &[1, 15, 846, 64_242, 2_497_662]),
            (4, eight, &[1, 15, 846, 64_242, 4_992_732]),
            (3, all, &[1, 9, 180, 5_544, 104_208]),
            (4, all, &[1, 9, 180, 5_544, 205_092]),
        ] {
            for (marbles, &expected) in expected.iter().enumerate() {
                let found = board_count(counts(seats, marbles), group);
                assert_eq!(found, Some(expected), "{seats} seats, {marbles} marbles, {group:?}");
            }
        }
        assert_eq!(board_count([81, 1, 0, 0], None), None);
    }

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
                    let turned = Position { marbles: p.marbles.map(|set| turn.apply(set)), ..p };
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
            let turned = crate::Turn::all()
                .map(|turn| Position { marbles: p.marbles.map(|set| turn.apply(set)), ..p });
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
