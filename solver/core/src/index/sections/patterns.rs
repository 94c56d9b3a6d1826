//! The patterns of one quadrant up to rotation, and their order.
//!
//! The *number* of a pattern is the sum of `d(cell) 3^cell` over its cells, with d = 0 for a free
//! cell, d = 1 for a marble of the first player and d = 2 for a marble of the second player. A
//! pattern is *minimal* if none of its four rotations has a smaller number. Each pair of marble
//! counts has a list of minimal patterns. Below, "the mirror image of a minimal pattern" means the
//! minimal rotation of its mirror image.
//!
//! A list starts with the patterns that differ from their mirror image. A pattern and its image
//! form a pair, smaller number first, and the pairs are sorted by the smaller number. The patterns
//! that are their own mirror image follow, sorted by number. So blocks of even length never
//! separate a pair, and the mirror image of a block of values is a block of values.
//!
//! The lists of the published solution (Irving 2014) contain the same numbers. The published
//! solution numbers the cells upwards, column by column. A quarter turn maps this order to the
//! order of this crate. So in the published solution, each number belongs to the pattern turned
//! counterclockwise by a quarter.

use crate::rules::{Board, Shape};

/// The marbles in one quadrant: a set of cells for each player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pattern(pub [u16; 2]);

impl Pattern {
    /// Returns the pattern of quadrant `q` of a board.
    #[inline]
    pub fn of(board: Board, q: usize) -> Pattern {
        Pattern([board.x, board.o].map(|set| (set >> (16 * q)) as u16))
    }

    /// Returns the pattern after `quarters` clockwise quarter turns.
    #[inline]
    pub fn turned(self, shape: Shape, quarters: u8) -> Pattern {
        Pattern(self.0.map(|set| shape.rotate_quadrant(set, quarters)))
    }

    /// Returns the image under one of the 8 symmetries of the square, numbered as in
    /// [`Shape::quadrant_image`].
    #[inline]
    pub fn image(self, shape: Shape, symmetry: u8) -> Pattern {
        Pattern(self.0.map(|set| shape.quadrant_image(set, symmetry)))
    }

    /// Returns the number of marbles of each player.
    #[inline]
    pub fn counts(self) -> [u8; 2] {
        self.0.map(|set| set.count_ones() as u8)
    }

    /// Returns the number of rotations, including the identity, that map the pattern to itself: 1,
    /// 2 or 4.
    pub fn stabiliser(self, shape: Shape) -> u8 {
        (0..4).filter(|&quarters| self.turned(shape, quarters) == self).count() as u8
    }

    /// Returns the set of cells without a marble.
    #[inline]
    pub fn free(self, shape: Shape) -> u16 {
        shape.quadrant_mask() as u16 & !(self.0[0] | self.0[1])
    }

    /// Returns the number of the pattern, which the module's documentation defines.
    pub fn number(self) -> u32 {
        let [x, o] = self.0.map(|set| u32::from(TERNARY[usize::from(set % 512)]));
        x + 2 * o
    }
}

/// The number of a pattern with marbles of the first player only, indexed by the set of these
/// marbles. The number has the binary digits of the set, read in base 3.
static TERNARY: [u16; 512] = {
    let mut numbers = [0; 512];
    let mut set = 1;
    while set < 512 {
        numbers[set] = 3 * numbers[set / 2] + (set % 2) as u16;
        set += 1;
    }
    numbers
};

/// The index of a pattern: the index of its minimal rotation in the list of patterns with the same
/// marble counts, and the number of turns between the two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatternPlace {
    /// The index of the minimal pattern in the list for its marble counts.
    pub index: u16,
    /// The least number of clockwise quarter turns, 0 to 3, that map the minimal pattern to the
    /// pattern.
    pub quarters: u8,
}

/// The minimal patterns of the quadrants of one board shape.
#[derive(Debug)]
pub struct Patterns {
    shape: Shape,
    /// The minimal patterns: `lists[x][o]` has the patterns with x marbles of the first player and
    /// o marbles of the second. The list is empty if x + o marbles don't fit in a quadrant.
    lists: Vec<Vec<Vec<Pattern>>>,
    /// The list index and the turns of each pattern, indexed by the number of the pattern.
    places: Vec<PatternPlace>,
}

impl Patterns {
    /// Lists all minimal patterns of a quadrant of a board of this shape.
    pub fn new(shape: Shape) -> Patterns {
        let cells = shape.quadrant_sockets();
        let least = |p: Pattern| {
            let turned = |quarters| (p.turned(shape, quarters).number(), quarters);
            turned(0).min(turned(1)).min(turned(2)).min(turned(3))
        };
        let mut keyed = vec![vec![Vec::new(); cells + 1]; cells + 1];
        let sets = 1u16 << cells;
        let all = (0..sets).flat_map(|x| (0..sets).filter(move |o| x & o == 0).map(move |o| Pattern([x, o])));
        for p in all.clone() {
            let number = p.number();
            if least(p).0 == number {
                let partner = least(p.image(shape, 4)).0;
                let [x, o] = p.counts();
                keyed[usize::from(x)][usize::from(o)].push((
                    partner == number,
                    number.min(partner),
                    number,
                    p,
                ));
            }
        }
        let sorted = |mut list: Vec<(bool, u32, u32, Pattern)>| {
            list.sort_unstable_by_key(|&(own, smaller, number, _)| (own, smaller, number));
            list.into_iter().map(|(.., p)| p).collect::<Vec<_>>()
        };
        let lists: Vec<Vec<Vec<Pattern>>> =
            keyed.into_iter().map(|row| row.into_iter().map(sorted).collect()).collect();
        let mut places = vec![PatternPlace::default(); 3usize.pow(cells as u32)];
        for list in lists.iter().flatten() {
            for (index, p) in list.iter().enumerate() {
                // Try the numbers of turns in descending order, so that the least number of turns
                // overwrites the others.
                for quarters in (0..4).rev() {
                    let turned = p.turned(shape, quarters);
                    places[turned.number() as usize] = PatternPlace { index: index as u16, quarters };
                }
            }
        }
        Patterns { shape, lists, places }
    }

    /// Returns the shape of the board.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the minimal patterns with x marbles of the first player and o marbles of the second.
    /// Returns an empty list if x + o marbles don't fit in a quadrant.
    pub fn list(&self, [x, o]: [u8; 2]) -> &[Pattern] {
        self.lists.get(usize::from(x)).and_then(|row| row.get(usize::from(o))).map_or(&[], Vec::as_slice)
    }

    /// Returns the index of a pattern among the patterns with the same marble counts.
    #[inline]
    pub fn place(&self, p: Pattern) -> PatternPlace {
        self.places[p.number() as usize]
    }

    /// Returns the indices of the children of all patterns in the list for `counts`. Each pattern
    /// has one child for each of its free cells, in ascending order. The child has one more marble
    /// of `player` (0 or 1) in that cell.
    pub fn children(&self, counts: [u8; 2], player: usize) -> Vec<PatternPlace> {
        let child = |p: Pattern, cell: u32| {
            let mut grown = p;
            grown.0[player] |= 1 << cell;
            self.place(grown)
        };
        let cells = self.shape.quadrant_sockets() as u32;
        let of = |p: &Pattern| {
            let p = *p;
            (0..cells).filter(move |cell| p.free(self.shape) >> cell & 1 != 0).map(move |cell| child(p, cell))
        };
        self.list(counts).iter().flat_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists equal the published lists: their lengths, some complete lists, the sum of all
    /// numbers, and the sum weighted by position.
    #[test]
    fn the_lists_are_the_published_ones() {
        let patterns = Patterns::new(Shape::Pentago);
        let lengths: Vec<Vec<usize>> =
            (0..10u8).map(|x| (0..10 - x).map(|o| patterns.list([x, o]).len()).collect()).collect();
        assert_eq!(lengths[0], [1, 3, 10, 22, 34, 34, 22, 10, 3, 1]);
        assert_eq!(lengths[1], [3, 18, 64, 126, 160, 126, 64, 18, 3]);
        assert_eq!(lengths[3], [22, 126, 318, 420, 318, 126, 22]);
        assert_eq!(lengths[4], [34, 160, 318, 318, 160, 34]);
        let numbers = |counts| patterns.list(counts).iter().map(|p| p.number()).collect::<Vec<_>>();
        assert_eq!(numbers([2, 0]), [4, 12, 36, 244, 10, 30, 82, 84, 270, 738]);
        assert_eq!(
            numbers([1, 1]),
            [5, 21, 7, 15, 11, 19, 33, 57, 45, 245, 63, 487, 83, 87, 163, 165, 297, 747]
        );
        let all: Vec<u64> = (0..10u8)
            .flat_map(|x| (0..10 - x).flat_map(move |o| [[x, o]]))
            .flat_map(numbers)
            .map(u64::from)
            .collect();
        assert_eq!(all.len(), 4995);
        assert_eq!(all.iter().sum::<u64>(), 21_040_683);
        assert_eq!(all.iter().enumerate().map(|(i, n)| i as u64 * n).sum::<u64>(), 60_396_143_750);
    }

    /// A pattern is a rotation of its minimal pattern. The mirror image of a list element is its
    /// neighbour or the element itself. The number of patterns in an orbit is 4 divided by the
    /// order of the stabiliser.
    #[test]
    fn places_mirrors_and_orbits() {
        for shape in [Shape::Pentago, Shape::Mini4] {
            let patterns = Patterns::new(shape);
            let cells = shape.quadrant_sockets();
            let mut raw = 0;
            for x in 0..=cells as u8 {
                for o in 0..=cells as u8 - x {
                    let list = patterns.list([x, o]);
                    let own = |p: &Pattern| {
                        patterns.list(p.counts())[usize::from(patterns.place(p.image(shape, 4)).index)] == *p
                    };
                    let paired = list.iter().position(own).unwrap_or(list.len());
                    assert!(list[paired..].iter().all(own));
                    for (i, &p) in list.iter().enumerate() {
                        raw += 4 / usize::from(p.stabiliser(shape));
                        assert_eq!(patterns.place(p), PatternPlace { index: i as u16, quarters: 0 });
                        let image = usize::from(patterns.place(p.image(shape, 4)).index);
                        assert_eq!(image, if i < paired { i ^ 1 } else { i });
                        for quarters in 0..4 {
                            let turned = p.turned(shape, quarters);
                            let place = patterns.place(turned);
                            assert_eq!(p.turned(shape, place.quarters), turned);
                            assert!(place.quarters <= quarters);
                        }
                    }
                }
            }
            assert_eq!(raw, 3usize.pow(cells as u32));
        }
    }

    #[test]
    fn children_are_placements() {
        for shape in [Shape::Pentago, Shape::Mini4] {
            let patterns = Patterns::new(shape);
            let cells = shape.quadrant_sockets() as u8;
            for (x, o) in (0..=cells).flat_map(|x| (0..=cells - x).map(move |o| (x, o))) {
                for player in 0..2 {
                    let children = patterns.children([x, o], player);
                    let free = usize::from(cells - x - o);
                    let list = patterns.list([x, o]);
                    assert_eq!(children.len(), free * list.len());
                    let mut grown = [x, o];
                    grown[player] += 1;
                    for (p, of) in list.iter().zip(children.chunks(free.max(1))) {
                        let sockets = shape.sockets_of(u64::from(p.free(shape)));
                        for (socket, place) in sockets.zip(of) {
                            let least = patterns.list(grown)[usize::from(place.index)];
                            let mut expected = p.0;
                            expected[player] |= 1 << socket.cell();
                            assert_eq!(least.turned(shape, place.quarters).0, expected);
                        }
                    }
                }
            }
        }
    }
}
