//! What a range of blocks of a slice needs of the next one: exactly, without looking at a value.
//!
//! A range touches at most five boxes of rows of blocks in each section. The blocks of a child section
//! that such a box needs are a product of sets of indices, one for each axis: the parent's own, but
//! along the quadrant with the further marble those that its patterns lead to. An axis has at most 64
//! blocks, so that a set is a word. The entries of several boxes are counted by inclusion and exclusion.

use super::memory::Memory;
use super::schedule::forget;
use super::stretches::{Stretch, Stretches};
use pentago_core::index::{EDGE, Section};
use pentago_core::solve::{self, mask};
use pentago_core::values::{Entry, Grid};
use std::collections::BTreeMap;
use std::ops::Range;

/// Sets of blocks along the four axes: their product is a set of blocks.
pub type Sets = [u64; 4];

/// All rows of a section, counted in their order.
pub fn all_rows(grid: &Grid) -> Range<u64> {
    0..grid.counts()[..3].iter().map(|&count| u64::from(count)).product()
}

/// What a range of blocks takes, whoever has what it needs: the entries that are computed, and
/// those of the next slice that are decoded.
pub fn load(own: &Stretches, range: &Range<u64>, memory: Memory) -> [f64; 2] {
    let together = |child: Section, needed: &[Sets]| {
        let grid = Grid::new(own.all.extents(child), EDGE);
        BTreeMap::from([(0, union(&grid, needed, [u64::MAX; 4]))])
    };
    let mut decoded = 0.0;
    let computed = go_through(own, range, memory, together, &mut |_, _, entries| decoded += entries);
    [computed.iter().map(|(_, entries)| entries).sum(), decoded]
}

/// Goes through the sections that a range of blocks touches. `owners` says who has how many entries
/// of the blocks of a child section that are needed; `get` is told what has to be got of which child
/// from whom. Returns the entries of the range in each section, by its place.
pub fn go_through(
    own: &Stretches,
    range: &Range<u64>,
    memory: Memory,
    owners: impl Fn(Section, &[Sets]) -> BTreeMap<u32, f64>,
    get: &mut dyn FnMut(Section, u32, f64),
) -> Vec<(usize, f64)> {
    // What its sections need, in their order: the child, and how much of whom.
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
            let needed: Vec<Sets> = needed(own.read_by(stretch.section, q), q, &boxes).collect();
            // The sets are in the child's own order of axes.
            let owners = owners(child, &needed);
            needs.push(Need { owners, child: own.all.standardise(child).0, times, room });
        }
    }
    keep(&needs, get);
    computed
}

/// The sections that a range of blocks touches.
pub fn touched(stretches: &[Stretch], range: &Range<u64>) -> Range<usize> {
    let first = stretches.partition_point(|s| s.first_block + s.grid.blocks() <= range.start);
    let end = if range.is_empty() { first } else { stretches.partition_point(|s| s.first_block < range.end) };
    first..end
}

/// The rows of a section that a range of blocks has; shares are cut between rows.
pub fn rows(stretch: &Stretch, range: &Range<u64>) -> Range<u64> {
    let within = |block: u64| block.clamp(stretch.first_block, stretch.first_block + stretch.grid.blocks());
    let across = u64::from(stretch.grid.counts()[3]);
    let row = |block: u64| (within(block) - stretch.first_block) / across;
    row(range.start)..row(range.end)
}

/// A range of rows as boxes that have nothing in common.
pub fn boxes(grid: &Grid, rows: &Range<u64>) -> Vec<Sets> {
    let [a, b, c, d] = grid.counts();
    let boxes = solve::boxes([a, b, c], rows).into_iter();
    boxes.map(|[a, b, c]| [a, b, c, mask(0..u64::from(d))]).collect()
}

/// The blocks of the child by quadrant `q` that boxes of a section need, in the child's own order
/// of axes; `reads` says which ones each block along that axis reads. Whole lines of blocks along the
/// last axis are read.
fn needed<'a>(reads: &'a [u64], q: usize, boxes: &'a [Sets]) -> impl Iterator<Item = Sets> + 'a {
    let all = reads.iter().fold(0, |a, b| a | b);
    boxes.iter().map(move |sets| {
        let mut needed = *sets;
        let taken = |(block, set): (usize, &u64)| if sets[q] >> block & 1 == 1 { *set } else { 0 };
        needed[q] = if q == 3 { all } else { reads.iter().enumerate().map(taken).fold(0, |a, b| a | b) };
        needed
    })
}

/// The entries of a product of sets.
fn volume(grid: &Grid, sets: Sets) -> f64 {
    let along = |axis: usize| {
        let (extent, set) = (grid.extents[axis], sets[axis]);
        let last = extent.div_ceil(EDGE) - 1;
        debug_assert!(set >> last <= 1, "an axis has as many blocks as its own array");
        let short = if set >> last & 1 == 1 { (last + 1) * EDGE - extent } else { 0 };
        f64::from(EDGE * set.count_ones() - short)
    };
    (0..4).map(along).product()
}

/// The entries of a union of products, as far as they lie in another product.
pub fn union(grid: &Grid, products: &[Sets], within: Sets) -> f64 {
    let Some((first, rest)) = products.split_first() else { return 0.0 };
    let both = |a: &Sets, b: &Sets| -> Sets { std::array::from_fn(|axis| a[axis] & b[axis]) };
    let here = both(first, &within);
    if here.contains(&0) {
        return union(grid, rest, within);
    }
    volume(grid, here) + union(grid, rest, within) - union(grid, rest, here)
}

/// What a section needs of a child.
struct Need {
    child: Section,
    /// Entries, by who has them.
    owners: BTreeMap<u32, f64>,
    /// How often it reads them.
    times: f64,
    /// Entries that may be kept for others meanwhile.
    room: f64,
}

/// Goes through what the sections of a share need, keeps what fits for later ones, and says what
/// has to be got, from whom.
fn keep(needs: &[Need], get: &mut dyn FnMut(Section, u32, f64)) {
    // By child: the places of all needs, the last first.
    let mut uses: BTreeMap<Section, Vec<usize>> = BTreeMap::new();
    let each = || needs.iter().enumerate();
    each().for_each(|(place, need)| uses.entry(need.child).or_default().push(place));
    uses.values_mut().for_each(|places| places.reverse());
    // By next use: the entries that are kept.
    let mut kept: BTreeMap<usize, f64> = BTreeMap::new();
    let mut held = 0.0;
    for (place, Need { child, owners, times, room }) in each() {
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
        // What is kept for others needn't be got again for the section itself.
        again(kept.get(&later).copied().unwrap_or(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_core::index::Sections;
    use pentago_core::rules::{Dir, Shape};

    /// A whole section needs all of its children, each of them in the child's own order of axes; what is
    /// read of them once adds up to them.
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
                    let needed: Vec<Sets> = needed(own.read_by(stretch.section, q), q, &boxes).collect();
                    let entries = union(&grid, &needed, [u64::MAX; 4]);
                    assert_eq!(entries, grid.entries() as f64, "{child} of {}", stretch.section);
                    children += entries;
                }
                // With ample memory they are read once, or a little of them again.
                let [entries, decoded] = load(&own, &range, Memory::of(1 << 50, 1));
                assert_eq!(entries, stretch.grid.entries() as f64);
                assert!(decoded >= 0.0 && decoded < 1.25 * children + 1.0, "{decoded} {children}");
            }
        }
    }
}
