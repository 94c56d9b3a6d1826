//! Who computes which blocks of a slice, where several builders share it.
//!
//! A *share* is a range of the slice's blocks in their order, cut between rows of blocks, so that all
//! take about as long. It follows from the slice and the number of shares alone: nobody has to be told
//! what others do, and a builder that is started again finds what it did.
//!
//! Ranges have two more virtues. Shards are merged by putting one behind the other. And sections are
//! listed by their counts, which a further marble changes by one: so what a share needs of the next
//! slice lies in a few ranges of it, often in part its own.

use crate::index::{EDGE, Section, Sections};
use crate::values::Grid;
use std::ops::Range;

/// What the work is balanced by: how long it takes to compute and encode an entry, and to decode one of
/// the next slice and turn it to its parents' side of the board. Only the ratio matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// Of an entry of the slice.
    pub own: u64,
    /// Of an entry of the next slice, each time that a section needs it.
    pub child: u64,
}

impl Default for Weights {
    /// As measured with the codec for slices that are passed through.
    fn default() -> Weights {
        Weights { own: 5, child: 2 }
    }
}

/// The shares of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares {
    /// The first block of each, counting those of all sections in order, and the number of all.
    bounds: Vec<u64>,
}

/// A section among those of its slice: its blocks, and what comes before it.
struct Stretch {
    grid: Grid,
    first_block: u64,
    cost_before: u128,
    cost: u128,
}

impl Shares {
    /// Shares these standard sections of one slice between `shares` builders. Where there are more
    /// builders than rows of blocks some get nothing.
    ///
    /// # Panics
    /// If there are no sections, or no builders.
    #[must_use]
    pub fn new(all: &Sections, sections: &[Section], shares: u32, weights: Weights) -> Shares {
        assert!(shares > 0 && !sections.is_empty(), "something is shared between some");
        let (mut first_block, mut cost_before) = (0, 0);
        let mut stretches = Vec::with_capacity(sections.len());
        for &section in sections {
            let grid = Grid::new(all.extents(section), EDGE);
            let cost = cost(all, section, weights);
            stretches.push(Stretch { grid, first_block, cost_before, cost });
            first_block += grid.blocks();
            cost_before += cost;
        }
        let bound = |number: u32| match number {
            0 => 0,
            _ if number == shares => first_block,
            _ => bound(&stretches, cost_before * u128::from(number) / u128::from(shares)),
        };
        Shares { bounds: (0..=shares).map(bound).collect() }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.bounds.len() as u32 - 1
    }

    /// The blocks of a share, counting those of all sections in order.
    #[must_use]
    pub fn range(&self, share: u32) -> Range<u64> {
        self.bounds[share as usize]..self.bounds[share as usize + 1]
    }

    /// The share that a block belongs to.
    #[must_use]
    pub fn owner(&self, block: u64) -> u32 {
        self.bounds.partition_point(|&first| first <= block) as u32 - 1
    }
}

/// What a section takes.
fn cost(all: &Sections, section: Section, weights: Weights) -> u128 {
    let entries = |s: Section| all.extents(s).map(u128::from).iter().product::<u128>();
    // A child has the extents of its standard section, in another order.
    let children = (0..4).filter_map(|q| section.child(all.shape(), q)).map(entries).sum::<u128>();
    u128::from(weights.own) * entries(section) + u128::from(weights.child) * children
}

/// The first block of the row that begins nearest to where so much is done.
fn bound(stretches: &[Stretch], cost: u128) -> u64 {
    let at = stretches.partition_point(|s| s.cost_before <= cost) - 1;
    let Stretch { grid, first_block, cost_before, cost: of_section } = &stretches[at];
    let [a, b, c, across] = grid.counts().map(u64::from);
    let entries = u128::from(grid.entries());
    let before = |row: u64| u128::from(grid.entries_before(row * across)) * of_section / entries;
    let sought = cost - cost_before;
    let (mut low, mut high) = (0, a * b * c);
    while low < high {
        let middle = (low + high) / 2;
        if before(middle) < sought { low = middle + 1 } else { high = middle }
    }
    let nearer = low > 0 && sought - before(low - 1) < before(low).saturating_sub(sought);
    first_block + (low - u64::from(nearer)) * across
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Dir, MiniRun, Shape};

    fn all_shares(shape: Shape, marbles: usize, shares: u32) -> (Vec<Section>, Shares) {
        let all = Sections::of(shape, Dir::Both);
        let sections = all.standard(marbles);
        let of = Shares::new(all, &sections, shares, Weights::default());
        (sections, of)
    }

    #[test]
    fn shares_partition_a_slice_between_rows() {
        let mini = Shape::Mini { run: MiniRun::Four };
        for (shape, marbles, most) in
            [(mini, 8, 40), (mini, 0, 3), (Shape::Pentago, 34, 1024), (Shape::Pentago, 4, 64)]
        {
            let all = Sections::of(shape, Dir::Both);
            for shares in [1, 2, 3, 7, most] {
                let (sections, of) = all_shares(shape, marbles, shares);
                let mut starts = Vec::new();
                let mut first = 0;
                for &section in &sections {
                    let grid = Grid::new(all.extents(section), EDGE);
                    let across = u64::from(grid.counts()[3]);
                    starts.extend((0..grid.blocks() / across).map(|row| first + row * across));
                    first += grid.blocks();
                }
                starts.push(first);
                let mut next = 0;
                for share in 0..of.count() {
                    let range = of.range(share);
                    assert_eq!(range.start, next);
                    assert!(starts.binary_search(&range.end).is_ok(), "{shape:?} {marbles} {shares}");
                    for block in [range.start, range.end.saturating_sub(1)] {
                        assert!(range.is_empty() || of.owner(block) == share);
                    }
                    next = range.end;
                }
                assert_eq!((next, of.count()), (first, shares));
            }
        }
    }

    /// Where a share has many rows, none takes much more than the mean.
    #[test]
    fn shares_take_alike() {
        let all = Sections::of(Shape::Pentago, Dir::Both);
        let weights = Weights::default();
        for (marbles, shares, most) in [(34, 16, 1.01), (33, 64, 1.01), (24, 1024, 1.01)] {
            let (sections, of) = all_shares(Shape::Pentago, marbles, shares);
            let costs: Vec<u128> = sections.iter().map(|&s| cost(all, s, weights)).collect();
            let mean = costs.iter().sum::<u128>() as f64 / f64::from(shares);
            for share in 0..shares {
                let range = of.range(share);
                let (mut first, mut sum) = (0, 0.0);
                for (&section, &cost) in sections.iter().zip(&costs) {
                    let grid = Grid::new(all.extents(section), EDGE);
                    let within =
                        |block: u64| grid.entries_before(block.clamp(first, first + grid.blocks()) - first);
                    let entries = within(range.end) - within(range.start);
                    sum += cost as f64 * entries as f64 / grid.entries() as f64;
                    first += grid.blocks();
                }
                assert!(sum < most * mean, "{marbles}: share {share} of {shares} takes {}", sum / mean);
            }
        }
    }
}
