//! The order in which the rows of blocks of a section are computed.
//!
//! A table stores the blocks of a section sorted by their coordinates. A block that is computed
//! early waits until all earlier blocks are stored. Each row shares pieces of the children with
//! other rows along each of the axes 0, 1 and 2. The rows are therefore computed in *tiles*. A tile
//! contains several planes (coordinates along axis 0), several lines (coordinates along axis 1),
//! and all of axis 2. A tile of one plane and one line leads to the order of the table.

use crate::values::{BlockId, Grid};
use std::cmp::Ordering;
use std::ops::Range;

/// A set of rows of blocks: a set of coordinates along each of the axes 0, 1 and 2. Each set is a
/// bit mask, because no axis has more than 64 blocks.
pub type RowSets = [u64; 3];

/// The order of the rows of one section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowOrder {
    counts: [u32; 3],
    /// The number of planes and the number of lines in a tile.
    tile: [u32; 2],
    /// The coordinates of a plane and of a line at which a tile must begin.
    first: [u32; 2],
}

impl RowOrder {
    /// Creates the order for a section with `counts` blocks along the axes 0, 1 and 2.
    pub fn new(counts: [u32; 3], tile: [u32; 2], first: [u32; 2]) -> RowOrder {
        RowOrder { counts, tile: [0, 1].map(|axis| tile[axis].clamp(1, counts[axis].max(1))), first }
    }

    /// Returns the number of rows of the section.
    pub fn rows(&self) -> u64 {
        self.counts.map(u64::from).iter().product()
    }

    /// Returns `true` if the rows are in the order of the table.
    #[cfg(test)]
    pub fn is_plain(&self) -> bool {
        self.tile == [1, 1]
    }

    /// Returns the range of planes (axis 0) or of lines (axis 1) in the tile that contains the
    /// coordinate `at`.
    fn together(&self, axis: usize, at: u32) -> Range<u32> {
        let tile = self.tile[axis];
        // The first tile is shortened so that a later tile begins at `first`.
        let short = self.first[axis] % tile;
        let start = if at < short { 0 } else { at - (at - short) % tile };
        let end = if at < short { short } else { start + tile };
        start..end.min(self.counts[axis])
    }

    /// Returns the coordinates of the row that has the rank `place` in this order.
    pub fn at(&self, place: u64) -> [u32; 3] {
        let [_, b, c] = self.counts.map(u64::from);
        // The rows of a group of planes have consecutive ranks, and so have the rows of each tile
        // in the group. So `place` determines first the planes of the tile, and then its lines.
        let planes = self.together(0, (place / (b * c)) as u32);
        let (place, n) = (place - u64::from(planes.start) * b * c, u64::from(planes.end - planes.start));
        let lines = self.together(1, (place / (c * n)) as u32);
        let (place, m) = (place - u64::from(lines.start) * c * n, u64::from(lines.end - lines.start));
        let (k, j, i) = (place / (m * n), place / n % m, place % n);
        [planes.start + i as u32, lines.start + j as u32, k as u32]
    }

    /// Returns the rank of the row with these coordinates in this order.
    pub fn place(&self, [i, j, k]: [u32; 3]) -> u64 {
        let [_, b, c] = self.counts.map(u64::from);
        let (planes, lines) = (self.together(0, i), self.together(1, j));
        let of = |range: &Range<u32>| u64::from(range.end - range.start);
        let (n, m) = (of(&planes), of(&lines));
        u64::from(planes.start) * b * c
            + u64::from(lines.start) * c * n
            + u64::from(k) * m * n
            + u64::from(j - lines.start) * n
            + u64::from(i - planes.start)
    }
}

/// Returns the range of the rows of array `array` that have blocks in `range`. Rows are numbered in
/// the order of the blocks.
pub fn rows_within(range: &Range<BlockId>, array: u32, grid: &Grid) -> Range<u64> {
    let (blocks, across) = (grid.blocks(), u64::from(grid.counts()[3]));
    // Returns the number of the array's blocks that precede block `id`.
    let before = |id: BlockId| match id.array.cmp(&array) {
        Ordering::Less => 0,
        Ordering::Equal => id.block.min(blocks),
        Ordering::Greater => blocks,
    };
    let (start, end) = (before(range.start), before(range.end));
    start / across..end.div_ceil(across)
}

/// Divides a range of rows into disjoint boxes. Rows are numbered in the order of the table. A
/// section has `counts` blocks along the axes 0, 1 and 2.
pub fn boxes(counts: [u32; 3], rows: &Range<u64>) -> Vec<RowSets> {
    let [_, b, c] = counts.map(u64::from);
    let mut boxes = Vec::new();
    let mut row = rows.start;
    while row < rows.end {
        let left = rows.end - row;
        // Take as many whole planes as possible. Otherwise take whole lines up to the end of a
        // plane, or single rows up to the end of a line.
        let (at, place) = (row / (b * c), row / c % b);
        let (sets, taken) = if row.is_multiple_of(b * c) && left >= b * c {
            let planes = left / (b * c);
            ([mask(at..at + planes), mask(0..b), mask(0..c)], planes * b * c)
        } else if row.is_multiple_of(c) && left >= c {
            let lines = (left / c).min(b - place);
            ([mask(at..at + 1), mask(place..place + lines), mask(0..c)], lines * c)
        } else {
            let single = left.min(c - row % c);
            ([mask(at..at + 1), mask(place..place + 1), mask(row % c..row % c + single)], single)
        };
        boxes.push(sets);
        row += taken;
    }
    boxes
}

/// Returns a large box of rows, for which an order is optimised. If the range contains a whole
/// plane, this is the box of all planes with at least one row in the range. Otherwise it is the
/// largest of [`boxes`].
pub(crate) fn most(counts: [u32; 3], rows: &Range<u64>) -> RowSets {
    let [_, b, c] = counts.map(u64::from);
    let plane = b * c;
    if rows.start.next_multiple_of(plane) + plane <= rows.end {
        return [mask(rows.start / plane..rows.end.div_ceil(plane)), mask(0..b), mask(0..c)];
    }
    let size = |sets: &RowSets| sets.iter().map(|set| set.count_ones()).product::<u32>();
    boxes(counts, rows).into_iter().max_by_key(size).unwrap_or([0; 3])
}

/// Returns the numbers in `range`, which must be below 64, as a bit mask.
pub fn mask(range: Range<u64>) -> u64 {
    let below = |end: u64| if end >= 64 { u64::MAX } else { (1 << end) - 1 };
    below(range.end) & !below(range.start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Each row has exactly one rank, and the tiles are in ascending order of their planes.
    #[test]
    fn every_row_has_a_place() {
        let counts = [5, 7, 3];
        for tile in [[1, 1], [1, 7], [2, 3], [5, 7], [3, 2], [9, 9]] {
            for first in [[0, 0], [1, 2], [4, 6]] {
                let order = RowOrder::new(counts, tile, first);
                let rows: Vec<[u32; 3]> = (0..order.rows()).map(|place| order.at(place)).collect();
                assert_eq!(rows.iter().collect::<BTreeSet<_>>().len(), 105);
                assert!((0..).zip(&rows).all(|(place, &row)| order.place(row) == place), "{order:?}");
                assert_eq!(order.is_plain(), rows.is_sorted() || tile == [1, 1]);
                // The planes of a tile follow the planes of all earlier tiles.
                let planes: Vec<u32> = rows.iter().map(|row| order.together(0, row[0]).start).collect();
                assert!(planes.is_sorted(), "{order:?}");
                assert!((0..2).all(|axis| order.together(axis, first[axis]).start == first[axis]));
            }
        }
    }

    #[test]
    fn the_most_of_a_range_is_a_box() {
        let counts = [3, 4, 4];
        let whole = [0b111, 0b1111, 0b1111];
        for (rows, sets) in [
            (0..48, whole),
            (1..47, whole),
            (16..32, [0b10, 0b1111, 0b1111]),
            (15..32, [0b11, 0b1111, 0b1111]),
            (17..32, [0b10, 0b1110, 0b1111]),
            (10..26, [0b10, 0b11, 0b1111]),
            (5..6, [0b1, 0b10, 0b10]),
            (3..3, [0; 3]),
        ] {
            assert_eq!(most(counts, &rows), sets, "{rows:?}");
        }
    }

    /// The boxes together contain each row of the range exactly once.
    #[test]
    fn boxes_are_the_rows() {
        let counts = [3, 4, 4];
        for rows in [0..48, 1..47, 5..6, 3..3, 7..31, 16..32] {
            let mut found = BTreeSet::new();
            for sets in boxes(counts, &rows) {
                for row in 0..48 {
                    let at = [row / 16, row / 4 % 4, row % 4];
                    if (0..3).all(|axis| sets[axis] >> at[axis] & 1 == 1) {
                        assert!(found.insert(row), "{rows:?} has {row} twice");
                    }
                }
            }
            assert!(found.into_iter().eq(rows.clone()), "{rows:?}");
        }
    }
}
