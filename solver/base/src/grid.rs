//! The division of an array into blocks. Arrays and blocks are boxes with up to four axes.

use std::ops::Range;

/// The extents of an array and of its blocks along four axes. Entries are numbered with the last
/// axis running fastest. If the edge of a block doesn't divide the extent of the array along an
/// axis, the last blocks along that axis are smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    /// The number of entries along each axis, at least 1.
    pub extents: [u32; 4],
    /// The number of entries along each axis of a block, at least 1.
    pub edges: [u32; 4],
}

impl Grid {
    /// Creates a grid for an array of `extents`, whose blocks have `edge` entries along each axis.
    pub fn new(extents: [u32; 4], edge: u32) -> Grid {
        Grid { extents, edges: [edge; 4] }
    }

    /// Creates a grid for a list of `len` entries in blocks of `run` entries.
    pub fn list(len: u32, run: u32) -> Grid {
        Grid { extents: [1, 1, 1, len], edges: [1, 1, 1, run] }
    }

    /// Returns the number of entries in the array.
    pub fn entries(&self) -> u64 {
        self.extents.iter().map(|&n| u64::from(n)).product()
    }

    /// Returns the number of blocks along each axis.
    pub fn counts(&self) -> [u32; 4] {
        std::array::from_fn(|axis| self.extents[axis].div_ceil(self.edges[axis]))
    }

    /// Returns the number of blocks in the array.
    pub fn blocks(&self) -> u64 {
        self.counts().iter().map(|&n| u64::from(n)).product()
    }

    /// Returns the index of the block with the coordinates `at`. Along each axis, the coordinate
    /// must be less than the number of blocks ([`Grid::counts`]).
    #[inline]
    pub fn number(&self, at: [u32; 4]) -> u64 {
        let counts = self.counts();
        (0..4).fold(0, |number, axis| number * u64::from(counts[axis]) + u64::from(at[axis]))
    }

    /// Returns the coordinates of the block with index `number`.
    pub fn coordinates(&self, number: u64) -> [u32; 4] {
        digits(number, self.counts())
    }

    /// Returns the coordinates of the entries in the block with index `number`: one range per axis.
    pub fn ranges(&self, number: u64) -> [Range<u32>; 4] {
        let at = self.coordinates(number);
        std::array::from_fn(|axis| {
            let start = at[axis] * self.edges[axis];
            start..self.extents[axis].min(start.saturating_add(self.edges[axis]))
        })
    }

    /// Returns the number of entries in the block with index `number`.
    pub fn len(&self, number: u64) -> usize {
        self.ranges(number).iter().map(|r| r.len()).product()
    }

    /// Returns the total number of entries in all blocks whose index is less than `number`. If
    /// `number` is the number of blocks, the result is the number of entries in the array.
    pub fn entries_before(&self, number: u64) -> u64 {
        if number >= self.blocks() {
            return self.entries();
        }
        let ranges = self.ranges(number);
        let below = |axis: usize| self.extents[axis + 1..].iter().map(|&n| u64::from(n)).product::<u64>();
        let (mut sum, mut width) = (0, 1);
        for (axis, range) in ranges.iter().enumerate() {
            sum += width * u64::from(range.start) * below(axis);
            width *= range.len() as u64;
        }
        sum
    }

    /// Returns the number of entries in the largest block.
    pub fn longest(&self) -> usize {
        (0..4).map(|axis| self.extents[axis].min(self.edges[axis]) as usize).product()
    }

    /// Returns the coordinates of the entry with index `number` in the array. The index counts
    /// entries with the last axis running fastest, regardless of blocks.
    pub fn index(&self, number: u64) -> [u32; 4] {
        digits(number, self.extents)
    }

    /// Lists the coordinates of the entries in the block with index `number`, in the order in which
    /// the block stores the entries.
    pub fn indices(&self, number: u64) -> impl Iterator<Item = [u32; 4]> + use<> {
        let ranges = self.ranges(number);
        let lens = ranges.each_ref().map(|range| range.end - range.start);
        let of_block = Grid { extents: lens, edges: lens };
        (0..of_block.entries()).map(move |place| {
            let at = of_block.index(place);
            std::array::from_fn(|axis| ranges[axis].start + at[axis])
        })
    }

    /// Returns the index of the block that holds the entry with the coordinates `index`, and the
    /// offset of the entry in that block.
    #[inline]
    pub fn locate(&self, index: [u32; 4]) -> (u64, usize) {
        let at: [u32; 4] = std::array::from_fn(|axis| index[axis] / self.edges[axis]);
        let place = (0..4).fold(0, |place, axis| {
            let start = at[axis] * self.edges[axis];
            let width = self.edges[axis].min(self.extents[axis] - start);
            place * width as usize + (index[axis] - start) as usize
        });
        (self.number(at), place)
    }
}

/// Splits a number into four digits. The digit at each index is less than the radix at the same
/// index. The last digit is the least significant one.
fn digits(mut number: u64, radices: [u32; 4]) -> [u32; 4] {
    let mut digits = [0; 4];
    for (digit, radix) in digits.iter_mut().zip(radices).rev() {
        *digit = (number % u64::from(radix)) as u32;
        number /= u64::from(radix);
    }
    digits
}

/// The identifier of a block in a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId {
    /// The index of the array in the slice.
    pub array: u32,
    /// The index of the block in the [`Grid`] of the array.
    pub block: u64,
}

impl BlockId {
    /// An identifier that is greater than the identifier of any block. It ends a range of blocks.
    pub const END: BlockId = BlockId { array: u32::MAX, block: 0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_partition_the_array() {
        for (extents, edges) in [
            ([1, 1, 1, 1], [8; 4]),
            ([3, 17, 8, 9], [8; 4]),
            ([5, 4, 3, 2], [2, 3, 4, 5]),
            ([1, 1, 1, 100], [1, 1, 1, 7]),
        ] {
            let grid = Grid { extents, edges };
            let mut seen = vec![Vec::new(); grid.blocks() as usize];
            let mut all = 0;
            for a in 0..extents[0] {
                for b in 0..extents[1] {
                    for c in 0..extents[2] {
                        for d in 0..extents[3] {
                            let (number, place) = grid.locate([a, b, c, d]);
                            assert_eq!(grid.index(all), [a, b, c, d]);
                            all += 1;
                            // Within a block, entries appear in ascending order of their offsets.
                            assert_eq!(seen[number as usize].len(), place);
                            seen[number as usize].push([a, b, c, d]);
                        }
                    }
                }
            }
            for (number, of_block) in seen.iter().enumerate() {
                let number = number as u64;
                assert_eq!(of_block.len(), grid.len(number));
                assert!(grid.len(number) <= grid.longest());
                assert_eq!(grid.number(grid.coordinates(number)), number);
                let ranges = grid.ranges(number);
                assert!(of_block.iter().all(|at| (0..4).all(|axis| ranges[axis].contains(&at[axis]))));
                assert!(grid.indices(number).eq(of_block.iter().copied()));
            }
            assert_eq!(seen.iter().map(Vec::len).sum::<usize>() as u64, grid.entries());
            for number in 0..=seen.len() {
                let before = seen[..number].iter().map(Vec::len).sum::<usize>() as u64;
                assert_eq!(grid.entries_before(number as u64), before);
            }
        }
    }
}
