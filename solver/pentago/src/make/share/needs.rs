//! Counts the blocks of the next slice that a range of blocks needs. The count is exact, and
//! depends on no stored value.
//!
//! A range touches at most five boxes of rows of blocks in each section. A box needs a box of
//! blocks of each child section, which is a product of index sets, one set per axis. Along most
//! axes, the set is the same as in the parent. Along the quadrant with the additional marble, the
//! set contains the blocks with the patterns that follow from the parent's patterns. An axis has at
//! most 64 blocks, so a set is one word. The entries of several boxes are counted by inclusion and
//! exclusion.

use super::memory::Memory;
use super::schedule::forget;
use super::stretches::{Stretch, Stretches};
use pentago_core::index::{EDGE, Section};
use pentago_core::solve::{self, mask};
use pentago_core::values::{Entry, Grid};
use std::collections::BTreeMap;
use std::ops::Range;

/// A box of blocks: the product of four sets of block indices, one bit set per axis.
pub type BlockBox = [u64; 4];

/// Returns the range of the indices of all rows of a section.
pub fn all_rows(grid: &Grid) -> Range<u64> {
    0..grid.counts()[..3].iter().map(|&count| u64::from(count)).product()
}

/// Returns the number of entries that a range of blocks computes, and the number of entries of the
/// next slice that the range decodes.
pub fn load(own: &Stretches, range: &Range<u64>, memory: Memory) -> [f64; 2] {
    let together = |child: Section, needed: &[BlockBox]| {
        let grid = Grid::new(own.all.extents(child), EDGE);
        BTreeMap::from([(0, union(&grid, needed, [u64::MAX; 4]))])
    };
    let mut decoded = 0.0;
    let computed = go_through(own, range, memory, together, &mut |_, _, entries| decoded += entries);
    [computed.iter().map(|(_, entries)| entries).sum(), decoded]
}

/// Visits the sections that a range of blocks touches. `owners` returns how many entries of the
/// needed blocks of a child section each owner has. `get` is called with a child, an owner and the
/// number of entries to read. Returns the index of each section and the number of its entries in
/// the range.
pub fn go_through(
    own: &Stretches,
    range: &Range<u64>,
    memory: Memory,
    owners: impl Fn(Section, &[BlockBox]) -> BTreeMap<u32, f64>,
    get: &mut dyn FnMut(Section, u32, f64),
) -> Vec<(usize, f64)> {
    let (mut needs, mut computed) = (Vec::new(), Vec::new());
    for place in touched(&own.each, range) {
        let stretch = &own.each[place];
        let rows = rows(stretch, range);
        let boxes = boxes(&stretch.grid, &rows);
        computed.push((place, boxes.iter().map(|sets| volume(&stretch.grid, *sets)).sum()));
        let plan = own.plan(stretch, &rows, memory);
        let room = memory.for_blocks(plan.bytes()) as f64 / size_of::<Entry>() as f64;
        for (q, times) in plan.times.into_iter().enumerate() {
            let Some(child) = stretch.section.child(own.all.shape(), q) else { continue };
            let needed: Vec<BlockBox> = needed(own.read_by(stretch.section, q), q, &boxes).collect();
            let owners = owners(child, &needed);
            needs.push(ChildReads { owners, child: own.all.standardise(child).0, times, room });
        }
    }
    simulate(&needs, get);
    computed
}

/// Returns the indices of the sections that a range of blocks touches.
pub fn touched(stretches: &[Stretch], range: &Range<u64>) -> Range<usize> {
    let first = stretches.partition_point(|s| s.first_block + s.grid.blocks() <= range.start);
    let end = if range.is_empty() { first } else { stretches.partition_point(|s| s.first_block < range.end) };
    first..end
}

/// Returns the range of rows of a section that lie within a range of blocks. The range must consist
/// of whole rows.
pub fn rows(stretch: &Stretch, range: &Range<u64>) -> Range<u64> {
    let within = |block: u64| block.clamp(stretch.first_block, stretch.first_block + stretch.grid.blocks());
    let across = u64::from(stretch.grid.counts()[3]);
    let row = |block: u64| (within(block) - stretch.first_block) / across;
    row(range.start)..row(range.end)
}

/// Splits a range of rows into disjoint boxes.
pub fn boxes(grid: &Grid, rows: &Range<u64>) -> Vec<BlockBox> {
    let [a, b, c, d] = grid.counts();
    let boxes = solve::boxes([a, b, c], rows).into_iter();
    boxes.map(|[a, b, c]| [a, b, c, mask(0..u64::from(d))]).collect()
}

/// Returns the blocks of the child by quadrant `q` that boxes of a section need. The child isn't
/// standardised, so its axes are the same as the axes of the section. `reads` is indexed by the
/// block along the axis of `q`, and its elements are the sets of the child's blocks that the block
/// reads. Along the last axis, whole lines of blocks are read.
fn needed<'a>(reads: &'a [u64], q: usize, boxes: &'a [BlockBox]) -> impl Iterator<Item = BlockBox> + 'a {
    let all = reads.iter().fold(0, |a, b| a | b);
    boxes.iter().map(move |sets| {
        let mut needed = *sets;
        let taken = |(block, set): (usize, &u64)| if sets[q] >> block & 1 == 1 { *set } else { 0 };
        needed[q] = if q == 3 { all } else { reads.iter().enumerate().map(taken).fold(0, |a, b| a | b) };
        needed
    })
}

/// Returns the number of entries in a box of blocks.
fn volume(grid: &Grid, sets: BlockBox) -> f64 {
    let along = |axis: usize| {
        let (extent, set) = (grid.extents[axis], sets[axis]);
        let last = extent.div_ceil(EDGE) - 1;
        debug_assert!(set >> last <= 1, "an axis has as many blocks as its own array");
        let short = if set >> last & 1 == 1 { (last + 1) * EDGE - extent } else { 0 };
        f64::from(EDGE * set.count_ones() - short)
    };
    (0..4).map(along).product()
}

/// Returns the number of entries in the union of the boxes `products`, restricted to the box
/// `within`.
pub fn union(grid: &Grid, products: &[BlockBox], within: BlockBox) -> f64 {
    let Some((first, rest)) = products.split_first() else { return 0.0 };
    let both = |a: &BlockBox, b: &BlockBox| -> BlockBox { std::array::from_fn(|axis| a[axis] & b[axis]) };
    let here = both(first, &within);
    if here.contains(&0) {
        return union(grid, rest, within);
    }
    volume(grid, here) + union(grid, rest, within) - union(grid, rest, here)
}

/// The entries of one child that a section reads.
struct ChildReads {
    child: Section,
    /// The number of needed entries, keyed by owner.
    owners: BTreeMap<u32, f64>,
    /// The mean number of times that each entry is read.
    times: f64,
    /// The number of entries that the cache may hold for later sections while this section is
    /// computed.
    room: f64,
}

/// Simulates the cache while the sections of a share are computed, and calls `get` with the entries
/// that the cache lacks.
fn simulate(needs: &[ChildReads], get: &mut dyn FnMut(Section, u32, f64)) {
    // For each child, the indices of its reads in descending order.
    let mut uses: BTreeMap<Section, Vec<usize>> = BTreeMap::new();
    let each = || needs.iter().enumerate();
    each().for_each(|(place, need)| uses.entry(need.child).or_default().push(place));
    uses.values_mut().for_each(|places| places.reverse());
    // The number of cached entries, keyed by the index of their next use.
    let mut kept: BTreeMap<usize, f64> = BTreeMap::new();
    let mut held = 0.0;
    for (place, ChildReads { child, owners, times, room }) in each() {
        let all: f64 = owners.values().sum();
        let there = kept.remove(&place).unwrap_or(0.0);
        held -= there;
        let missing = if all > 0.0 { 1.0 - (there / all).min(1.0) } else { 0.0 };
        owners.iter().for_each(|(&owner, entries)| get(*child, owner, entries * missing));
        let later = uses.get_mut(child).and_then(|places| {
            places.pop();
            places.last().copied()
        });
        forget(&mut kept, &mut held, *room);
        let mut again = |kept: f64| {
            let part = (times - 1.0) * (1.0 - if all > 0.0 { kept / all } else { 0.0 });
            owners.iter().for_each(|(&owner, entries)| get(*child, owner, entries * part));
        };
        let Some(later) = later else {
            again(0.0);
            continue;
        };
        kept.insert(later, all);
        held += all;
        forget(&mut kept, &mut held, *room);
        // This section doesn't read entries again if they stay in the cache for later sections.
        again(kept.get(&later).copied().unwrap_or(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_core::index::Sections;
    use pentago_core::rules::{Dir, Shape};

    /// Checks that a whole section needs all entries of its children. With ample memory, each entry
    /// is read about once.
    #[test]
    fn a_section_needs_its_children() {
        let all = Sections::of(Shape::Pentago, Dir::Both);
        for marbles in [5, 18, 27, 30, 35] {
            let sections: Vec<Section> = all.standard(marbles).into_iter().step_by(7).collect();
            let own = Stretches::new(all, &sections);
            for stretch in &own.each {
                let range = stretch.first_block..stretch.first_block + stretch.grid.blocks();
                let boxes = boxes(&stretch.grid, &rows(stretch, &range));
                let mut children = 0.0;
                for q in 0..4 {
                    let Some(child) = stretch.section.child(all.shape(), q) else { continue };
                    let grid = Grid::new(all.extents(child), EDGE);
                    let needed: Vec<BlockBox> = needed(own.read_by(stretch.section, q), q, &boxes).collect();
                    let entries = union(&grid, &needed, [u64::MAX; 4]);
                    assert_eq!(entries, grid.entries() as f64, "{child} of {}", stretch.section);
                    children += entries;
                }
                let [entries, decoded] = load(&own, &range, Memory::of(1 << 50, 1));
                assert_eq!(entries, stretch.grid.entries() as f64);
                assert!(decoded >= 0.0 && decoded < 1.25 * children + 1.0, "{decoded} {children}");
            }
        }
    }
}
