//! Points of the board, and sets of points.

/// The largest number of points of a board: 19x19.
pub const MAX_POINTS: usize = 361;

const WORDS: usize = MAX_POINTS.div_ceil(64);

/// A point of the board, numbered along the ranks from the lower left corner: `width * rank +
/// file`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(pub(crate) u16);

impl Point {
    /// Returns the index of the point: `width * rank + file`, with file and rank counted from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

// `PointSet` uses plain words instead of a `bitvec::BitArray`: perft and the searches need fast
// sets at every move, and constants need `const` functions.
/// A set of points, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PointSet([u64; WORDS]);

impl PointSet {
    /// The empty set.
    pub const EMPTY: PointSet = PointSet([0; WORDS]);

    /// Returns `true` if a point belongs to the set.
    pub const fn contains(&self, p: Point) -> bool {
        self.0[p.0 as usize / 64] >> (p.0 % 64) & 1 == 1
    }

    /// Adds a point.
    pub const fn insert(&mut self, p: Point) {
        self.0[p.0 as usize / 64] |= 1 << (p.0 % 64);
    }

    /// Removes a point.
    pub const fn remove(&mut self, p: Point) {
        self.0[p.0 as usize / 64] &= !(1 << (p.0 % 64));
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns `true` if the set has no point.
    pub fn is_empty(&self) -> bool {
        *self == PointSet::EMPTY
    }

    /// Returns the union: the points that belong to at least one of the two sets.
    pub fn union(&self, other: &PointSet) -> PointSet {
        PointSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// Iterates over the points in ascending order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = Point> + use<> {
        let mut words = self.0;
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < WORDS && words[at] == 0 {
                at += 1;
            }
            let word = words.get_mut(at)?;
            let bit = word.trailing_zeros() as u16;
            *word &= *word - 1;
            Some(Point(64 * at as u16 + bit))
        })
    }

    /// Returns the words of the set, 64 points each, the lowest points first.
    pub(crate) fn words(&self) -> [u64; WORDS] {
        self.0
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> PointSet {
        let mut set = PointSet::EMPTY;
        points.into_iter().for_each(|p| set.insert(p));
        set
    }
}
