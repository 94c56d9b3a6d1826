//! Computes the traffic between the shares of a slice. Numbers of entries are exact, numbers of
//! bytes are estimates.
//!
//! A share consists of boxes of blocks, and so do the blocks of the next slice that the share
//! needs. So the counts depend on no stored value.

use crate::make::share::{
    BlockBox, Memory, Shares, Stretch, Stretches, boxes, go_through, rows, touched, union,
};
use crate::rates::{Rates, SliceRates};
use pentago_core::index::{EDGE, Section, Sections};
use pentago_core::rules::Rules;
use pentago_core::values::{Entry, Grid};
use pentago_store::{PAGE_BLOCKS, RECORD_BYTES};
use pentago_tables::codec::Predictor;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::ops::Range;

/// The work and the traffic of one share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// The number of entries that the share computes.
    pub own: f64,
    /// The number of bytes that the share stores.
    pub written: f64,
    /// The number of entries of the next slice that the share decodes. An entry that is decoded
    /// several times counts several times.
    pub decoded: f64,
    /// The number of bytes that the share reads to decode entries of the next slice.
    pub got: f64,
    /// The number of bytes in `got` that come from other shares.
    pub received: f64,
    /// The number of bytes that other shares read from this share.
    pub sent: f64,
}

/// A slice and its partition into shares.
#[derive(Clone, Copy, Debug)]
pub struct SharedSlice<'a> {
    /// The sections, sorted by key.
    pub sections: &'a [Section],
    /// The partition of the slice into shares.
    pub shares: &'a Shares,
    /// The total size of the payloads of each section, in bytes. Indexed like `sections`.
    pub bytes: &'a [f64],
}

/// Estimates the size of the payloads of each section in bytes, from the size of the slice's table.
/// The size of a payload is a constant plus a size for the values that a search of one move leaves
/// open. Open values are counted in a sample of blocks.
///
/// # Panics
/// If the sections belong to different slices.
pub fn section_bytes(rules: Rules, sections: &[Section], table_bytes: u64, rates: &Rates) -> Vec<f64> {
    let SliceRates { block_bytes, one_sided, .. } = rates.slices;
    let all = Sections::of(rules.shape, rules.dir);
    let Some(first) = sections.first() else { return Vec::new() };
    let predictor = Predictor::new(rules, first.marbles() as u8);
    let samples = (SAMPLED / sections.len() as u64).clamp(1, 8);
    let of = |&section: &Section| {
        let grid = Grid::new(all.extents(section), EDGE);
        let open = weighted_open(&predictor, section, &grid, samples, one_sided) * grid.entries() as f64;
        [open, grid.blocks() as f64]
    };
    let each: Vec<[f64; 2]> = sections.iter().map(of).collect();
    let [open, blocks] = [0, 1].map(|i| each.iter().map(|of| of[i]).sum::<f64>());
    let payloads = (table_bytes as f64 - RECORD_BYTES as f64 * blocks).max(0.0);
    let for_blocks = if open > 0.0 { (block_bytes * blocks).min(payloads) } else { payloads };
    let per_open = (payloads - for_blocks) / open.max(1.0);
    each.iter().map(|of| of[0] * per_open + of[1] * for_blocks / blocks).collect()
}

/// Returns the mean number of open values of an entry of a section, in `samples` blocks. An open
/// value of an imbalanced section counts less, because it takes fewer bytes.
fn weighted_open(predictor: &Predictor, section: Section, grid: &Grid, samples: u64, one_sided: f64) -> f64 {
    let (mut open, mut entries) = (0, 0);
    for sample in 0..samples {
        let block = (2 * sample + 1) * grid.blocks() / (2 * samples);
        let mut guess = vec![Entry::default(); grid.len(block)];
        predictor.guess(section, &grid.ranges(block), &mut guess);
        open += guess.iter().map(open_values).sum::<u64>();
        entries += guess.len();
    }
    open as f64 / entries as f64 * (-imbalance(section) / one_sided).exp()
}

/// Returns the sum over the quadrants of the squared difference between the two sides' numbers of
/// marbles.
fn imbalance(section: Section) -> f64 {
    section.counts().iter().map(|&[a, b]| f64::from(a.abs_diff(b)).powi(2)).sum()
}

/// The number of blocks to sample from a slice that has many sections.
const SAMPLED: u64 = 8000;
/// The number of bytes that opening a shard reads, in addition to the bytes for its arrays and
/// pages.
const SHARD_BYTES: f64 = 530.0;
/// The number of bytes that opening a shard reads for each of its arrays.
const ARRAY_BYTES: f64 = 80.0;
/// The number of bytes that opening a shard reads for each page of its block index.
const PAGE_RECORD: f64 = 16.0;

/// Returns the number of values of an entry that remain open, given the bounds `guess` from looking
/// one move ahead.
pub(super) fn open_values(guess: &Entry) -> u64 {
    let open = |half: usize, word: usize| guess.not_lose.0[half].0[word] & !guess.win.0[half].0[word];
    [[0, 0], [0, 1], [1, 0], [1, 1]].map(|[half, word]| u64::from(open(half, word).count_ones())).iter().sum()
}

/// Returns the load of each share of `slice`, which is computed from the slice `next`. Each share
/// has `threads` threads and `memory` bytes.
pub fn loads(
    all: &Sections,
    slice: SharedSlice,
    next: SharedSlice,
    memory: u64,
    threads: NonZeroUsize,
) -> Vec<Load> {
    let memory = Memory::of(memory, threads.get());
    let (own, below) = (Stretches::new(all, slice.sections), Stretches::new(all, next.sections));
    let numbers: HashMap<Section, usize> = next.sections.iter().copied().zip(0..).collect();
    let (written_each, got_each) =
        (bytes_of_entries(&own, slice.bytes), bytes_of_entries(&below, next.bytes));
    let mut loads = vec![Load::default(); slice.shares.count() as usize];
    let opened: Vec<f64> =
        (0..next.shares.count()).map(|owner| opening(&below, next.shares, owner)).collect();
    for share in 0..slice.shares.count() {
        let pages = RefCell::new(BTreeMap::new());
        let owners = |child: Section, needed: &[BlockBox]| {
            let (standard, by) = all.standardise(child);
            let Some(&number) = numbers.get(&standard) else { return BTreeMap::new() };
            let standardised = |sets: &BlockBox| {
                let mut there = [0; 4];
                (0..4).for_each(|axis| there[usize::from(by.quadrant(axis as u8))] = sets[axis]);
                there
            };
            let needed: Vec<BlockBox> = needed.iter().map(standardised).collect();
            let stretch = &below.each[number];
            let owners = owners(stretch, &needed, next.shares);
            for &owner in owners.keys() {
                let read = pages_read(stretch, &needed, &next.shares.range(owner));
                pages.borrow_mut().entry(owner).or_insert_with(Vec::new).push(read);
            }
            owners
        };
        let range = slice.shares.range(share);
        let mut decoded = 0.0;
        let computed = go_through(&own, &range, memory, owners, &mut |child, owner, entries| {
            decoded += entries;
            transfer(&mut loads, share, owner, entries * got_each[numbers[&child]]);
        });
        for (owner, pages) in pages.take() {
            let blocks = blocks_of(pages, &next.shares.range(owner));
            transfer(&mut loads, share, owner, (RECORD_BYTES as u64 * blocks) as f64);
        }
        // The builder of each share opens every shard of the next slice.
        (0..).zip(&opened).for_each(|(owner, &bytes)| transfer(&mut loads, share, owner, bytes));
        let load = &mut loads[share as usize];
        load.decoded = decoded;
        load.own = computed.iter().map(|(_, entries)| entries).sum();
        load.written = computed.iter().map(|&(number, entries)| entries * written_each[number]).sum::<f64>()
            + ((range.end - range.start) * RECORD_BYTES as u64) as f64
            + opening(&own, slice.shares, share);
    }
    loads
}

/// Returns the mean size of an entry in bytes for each section. `bytes` lists the total payload
/// size of each section.
fn bytes_of_entries(stretches: &Stretches, bytes: &[f64]) -> Vec<f64> {
    let stretches = stretches.each.iter().zip(bytes);
    stretches.map(|(stretch, bytes)| bytes / stretch.grid.entries() as f64).collect()
}

/// Adds `bytes` bytes that the share `share` reads from the share `owner` to the loads of both
/// shares.
fn transfer(loads: &mut [Load], share: u32, owner: u32, bytes: f64) {
    let load = &mut loads[share as usize];
    load.got += bytes;
    if owner != share {
        load.received += bytes;
        loads[owner as usize].sent += bytes;
    }
}

/// Returns the number of bytes that are read to open a shard, without its payloads and its block
/// index.
fn opening(stretches: &Stretches, shares: &Shares, owner: u32) -> f64 {
    let range = shares.range(owner);
    if stretches.each.is_empty() || range.is_empty() {
        return 0.0;
    }
    let arrays = touched(&stretches.each, &range).len() as f64;
    let pages = (range.end - range.start).div_ceil(PAGE_BLOCKS) as f64;
    SHARD_BYTES + ARRAY_BYTES * arrays + PAGE_RECORD * pages
}

/// Returns the pages of a shard's block index that are read: all pages from the first to the last
/// needed block of a section. `range` is the range of blocks in the shard.
fn pages_read(stretch: &Stretch, needed: &[BlockBox], range: &Range<u64>) -> Range<u64> {
    let number = |sets: &BlockBox, at: fn(u64) -> u32| {
        let along =
            |place, axis: usize| place * u64::from(stretch.grid.counts()[axis]) + u64::from(at(sets[axis]));
        stretch.first_block + (0..4).fold(0, along)
    };
    let there = || needed.iter().filter(|sets| !sets.contains(&0));
    let first = there().map(|sets| number(sets, u64::trailing_zeros)).min().unwrap_or(range.start);
    let last = there().map(|sets| number(sets, u64::ilog2)).max().unwrap_or(range.start);
    let page = |block: u64| (block.clamp(range.start, range.end - 1) - range.start) / PAGE_BLOCKS;
    page(first)..page(last) + 1
}

/// Returns the number of blocks in the given pages of a shard's block index. Counts a page only
/// once if several ranges contain it.
fn blocks_of(mut pages: Vec<Range<u64>>, range: &Range<u64>) -> u64 {
    pages.sort_unstable_by_key(|pages| pages.start);
    let (mut blocks, mut seen) = (0, 0);
    for pages in pages {
        let first = pages.start.max(seen);
        seen = seen.max(pages.end);
        let end = (seen * PAGE_BLOCKS).min(range.end - range.start);
        blocks += end.saturating_sub(first * PAGE_BLOCKS);
    }
    blocks
}

/// Returns the number of entries in the needed blocks of a section, keyed by the share that owns
/// them.
fn owners(stretch: &Stretch, needed: &[BlockBox], shares: &Shares) -> BTreeMap<u32, f64> {
    let last = stretch.first_block + stretch.grid.blocks() - 1;
    let of = |owner: u32| {
        let boxes = boxes(&stretch.grid, &rows(stretch, &shares.range(owner)));
        (owner, boxes.into_iter().map(|within| union(&stretch.grid, needed, within)).sum::<f64>())
    };
    let owners = shares.owner(stretch.first_block)..=shares.owner(last);
    owners.map(of).filter(|&(_, entries)| entries > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::make::Weights;
    use pentago_core::rules::{Dir, Shape};
    use pentago_tables::codec::Codec;

    fn slice(marbles: usize, count: u32) -> (Vec<Section>, Shares) {
        let all = Sections::of(Shape::Pentago, Dir::Both);
        let sections = all.standard(marbles);
        let weights = Weights::of(36 - marbles, Codec::QUICK, Codec::QUICK);
        let shares = Shares::new(all, &sections, count, weights);
        (sections, shares)
    }

    fn of(marbles: usize, count: u32, memory: u64) -> Vec<Load> {
        let all = Sections::of(Shape::Pentago, Dir::Both);
        let ((sections, shares), (next, next_shares)) = (slice(marbles, count), slice(marbles + 1, count));
        // Pretend that each entry takes one byte, so that numbers of bytes are numbers of entries.
        let bytes = |sections: &[Section]| -> Vec<f64> {
            sections.iter().map(|&s| all.extents(s).map(f64::from).iter().product()).collect()
        };
        let (bytes, next_bytes) = (bytes(&sections), bytes(&next));
        let slice = SharedSlice { sections: &sections, shares: &shares, bytes: &bytes };
        let next = SharedSlice { sections: &next, shares: &next_shares, bytes: &next_bytes };
        loads(all, slice, next, memory, NonZeroUsize::MIN)
    }

    /// Checks that the sizes of the sections add up to the size of the slice. Values that a search
    /// of one move decides take almost no space. In the last two slices, every value is decided, so
    /// all blocks have the same size.
    #[test]
    fn bytes_go_where_values_are_open() {
        let rules = Rules::default();
        let all = Sections::of(rules.shape, rules.dir);
        let sections = all.standard(33);
        let bytes = section_bytes(rules, &sections, 1 << 33, Rates::built_in());
        let blocks: u64 = sections.iter().map(|&s| Grid::new(all.extents(s), EDGE).blocks()).sum();
        let payloads = (1 << 33) - blocks * RECORD_BYTES as u64;
        assert!((bytes.iter().sum::<f64>() / payloads as f64 - 1.0).abs() < 1e-9);
        let each = |of: &[Section], bytes: &[f64]| -> Vec<f64> {
            let blocks = of.iter().map(|&s| Grid::new(all.extents(s), EDGE).blocks() as f64);
            bytes.iter().zip(blocks).map(|(bytes, blocks)| bytes / blocks).collect()
        };
        let of_blocks = each(&sections, &bytes);
        let [least, most] = [f64::min, f64::max].map(|f| of_blocks.iter().copied().reduce(f).expect("some"));
        assert!(most > 3.0 * least, "{least} {most}");
        // These two sections have equally many entries. The first is balanced, the second is
        // imbalanced.
        let [even, uneven] = ["54,54,44,34", "90,08,44,44"].map(|text| {
            let section: Section = text.parse().expect("a section");
            imbalance(all.standardise(section).0)
        });
        assert_eq!([even, uneven], [3.0, 145.0]);
        let last = all.standard(35);
        let of_blocks = each(&last, &section_bytes(rules, &last, 1 << 20, Rates::built_in()));
        assert!(of_blocks.iter().all(|bytes| (bytes / of_blocks[0] - 1.0).abs() < 1e-9));
    }

    /// Checks that the pages with needed blocks and all pages between them are read, each once.
    #[test]
    fn pages_are_read_once() {
        let all = Sections::of(Shape::Pentago, Dir::Both);
        let sections = all.standard(30);
        let stretches = Stretches::new(all, &sections);
        let stretch = stretches.each.iter().max_by_key(|stretch| stretch.grid.blocks()).expect("some");
        let grid = &stretch.grid;
        let counts = grid.counts();
        let range = stretch.first_block + 7..stretch.first_block + grid.blocks() - 5;
        let page = |block: u64| (block - range.start) / PAGE_BLOCKS;
        let block = |at: [u32; 4]| {
            stretch.first_block
                + at.iter().zip(counts).fold(0, |n, (&at, n_of)| n * u64::from(n_of) + u64::from(at))
        };
        let [low, high] = [[1, 2, 1, 0], [counts[0] - 1, counts[1] - 2, counts[2] - 1, counts[3] - 1]];
        let sets: BlockBox = std::array::from_fn(|axis| 1 << low[axis] | 1 << high[axis]);
        let read = pages_read(stretch, &[sets], &range);
        assert_eq!(read, page(block(low))..page(block(high).min(range.end - 1)) + 1);
        assert_eq!(pages_read(stretch, &[[0; 4], sets], &range), read);
        assert_eq!(
            blocks_of(vec![5..7, 0..2, 1..3, 6..7], &(10..10 + 6 * PAGE_BLOCKS + 9)),
            4 * PAGE_BLOCKS + 9
        );
    }

    /// Checks that one share computes everything and receives nothing. Many shares together compute
    /// as much, receive as many bytes as they send, and receive less if they have more memory.
    #[test]
    fn loads_add_up() {
        let entries = |marbles: usize| {
            let all = Sections::of(Shape::Pentago, Dir::Both);
            let of = |&s: &Section| all.extents(s).map(f64::from).iter().product::<f64>();
            all.standard(marbles).iter().map(of).sum::<f64>()
        };
        let (little, much) = (24 << 30, 1 << 50);
        let alone = of(31, 1, little)[0];
        assert_eq!((alone.own, alone.received, alone.sent), (entries(31), 0.0, 0.0));
        // Returns the bytes in addition to payloads: the block index, and the bytes that opening a
        // shard reads.
        let besides = |marbles: usize| {
            let all = Sections::of(Shape::Pentago, Dir::Both);
            let (sections, shares) = slice(marbles, 1);
            let range = shares.range(0);
            opening(&Stretches::new(all, &sections), &shares, 0) + (RECORD_BYTES as u64 * range.end) as f64
        };
        assert!((alone.written / (alone.own + besides(31)) - 1.0).abs() < 1e-9);
        assert!((alone.got / (alone.decoded + besides(32)) - 1.0).abs() < 1e-9);
        assert!(alone.decoded > entries(32) && alone.decoded < 4.5 * entries(32));
        // Even with ample memory, it is cheaper to read some pieces twice than to keep them.
        let decoded = of(31, 1, much)[0].decoded / entries(32);
        assert!((0.999..1.25).contains(&decoded), "{decoded}");
        for count in [3, 20] {
            let [loads, with_more] = [little, 1 << 36].map(|memory| of(31, count, memory));
            let sum = |of_load: fn(&Load) -> f64| loads.iter().map(of_load).sum::<f64>();
            assert!((sum(|load| load.own) / alone.own - 1.0).abs() < 1e-9);
            let [received, sent] = [sum(|load| load.received), sum(|load| load.sent)];
            assert!(received > 0.0 && (received / sent - 1.0).abs() < 1e-9);
            assert!(sum(|load| load.decoded) > alone.decoded * 0.9);
            assert!(with_more.iter().map(|load| load.received).sum::<f64>() < received);
        }
    }
}
