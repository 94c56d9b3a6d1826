//! The partition of the blocks of a slice between several builders.
//!
//! A *share* is a range of the slice's blocks that consists of whole rows of blocks. All shares
//! take about the same time. The partition depends only on the slice and the number of shares. So
//! builders needn't communicate, and a restarted builder finds its own share again.
//!
//! Ranges have two more advantages. First, shards are merged by concatenation. Second, the blocks
//! that a share needs lie in few ranges of the next slice, some of them in the same builder's
//! share. The reason is that sections are sorted by their marble counts, and one more marble
//! changes one count by one.

use super::memory::Memory;
use super::needs::load;
use super::stretches::{Stretch, Stretches};
use pentago_core::index::{Section, Sections};
use pentago_tables::codec::Codec;
use pentago_tables::codec::open::Preset;
use std::ops::Range;

/// The costs by which work is balanced. The first is the cost to compute and encode an entry. The
/// second is the cost to decode an entry of the next slice and turn it to the orientation of its
/// parents. Only the ratio of the costs matters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// The cost of computing and encoding an entry of the slice.
    pub own: u32,
    /// The cost of decoding an entry of the next slice once, and turning it.
    pub child: u32,
    /// The assumed memory of a builder in bytes. The actual memory is not used, because all
    /// builders must find the same shares, even if a builder is restarted with other memory.
    pub memory: u64,
    /// The assumed number of threads of a builder. The actual number is not used, because all
    /// builders must find the same shares.
    pub threads: usize,
}

impl Weights {
    /// Returns the costs in nanoseconds for a slice with `free` free sockets that is written with
    /// the codec `codec` and computed from a slice with the codec `next`. The costs were measured
    /// on an idle machine. On other machines, the ratios are similar.
    pub fn of(free: usize, codec: Codec, next: Codec) -> Weights {
        let free = free as u32;
        let [encode, _] = rates(codec);
        let [_, decode] = rates(next);
        let own = LEAST + free.saturating_sub(8) * SOCKET + free.saturating_sub(13) * MANY;
        let child = decode + free.saturating_sub(13) * OPEN;
        Weights { own: own + encode, child, memory: 256_000_000_000, threads: 64 }
    }
}

/// The nanoseconds to compute an entry with up to 8 free sockets, to turn its children, and to
/// encode the entry with `quick`.
const LEAST: u32 = 80;
/// The additional nanoseconds to compute an entry, for each free socket beyond 8.
const SOCKET: u32 = 11;
/// The additional nanoseconds to compute an entry, for each free socket beyond 13.
const MANY: u32 = 18;
/// The additional nanoseconds to decode an entry, for each free socket beyond 13. With more free
/// sockets, the guess leaves more bits open.
const OPEN: u32 = 6;

/// Returns two times in nanoseconds: the time to encode an entry beyond the time that `quick`
/// takes, and the time to decode an entry.
fn rates(codec: Codec) -> [u32; 2] {
    match codec {
        Codec::Open(Preset::Quick) => [0, 30],
        Codec::Open(Preset::Compact) => [1000, 1000],
        Codec::Zstd(level) if level.number() < 6 => [170, 65],
        Codec::Zstd(_) => [950, 65],
    }
}

/// The number of rounds of the search for bounds. Each round but the first moves the bounds, so
/// that shares with low costs grow.
const ROUNDS: u32 = 12;
/// The number of rounds after which the bounds move by half of the computed distance. Later moves
/// are even shorter, because full moves would make shares with few rows oscillate.
const CALM: f64 = 5.0;

/// The number of passes that fill the shares from first to last, each up to the mean cost.
const FILLS: u32 = 4;
/// The number of trials to find the end of a share in a filling pass.
const TRIALS: u32 = 5;
/// A share counts as filled if the relative error of its cost is less than this number.
const RIGHT: f64 = 0.002;

/// The partition of a slice into shares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares {
    /// The index of the first block of each share, followed by the total number of blocks. Block
    /// indices count through all sections in order.
    bounds: Vec<u64>,
}

impl Shares {
    /// Divides standard sections of one slice between `shares` builders. If there are more builders
    /// than rows of blocks, some shares are empty.
    ///
    /// The search starts with shares of equal numbers of entries. The cost of a share depends on
    /// its position (see [`loads`](crate::estimate::loads)). So the search repeatedly computes the
    /// costs, and moves the bounds as if the cost within each share were uniform. Finally, the
    /// shares are filled one after another.
    ///
    /// # Panics
    /// If there are no sections, or no builders.
    pub fn new(all: &Sections, sections: &[Section], shares: u32, weights: Weights) -> Shares {
        assert!(shares > 0 && !sections.is_empty(), "something is shared between some");
        let own = Stretches::new(all, sections);
        let (blocks, entries) = own.ends();
        let count = f64::from(shares);
        let memory = Memory::of(weights.memory, weights.threads);
        let cost = |range: &Range<u64>| {
            let [own, decoded] = load(&own, range, memory);
            f64::from(weights.own) * own + f64::from(weights.child) * decoded
        };
        // The tried partitions, each with the cost of its most expensive share.
        let mut tried: Vec<(f64, Shares)> = Vec::new();
        let mut attempt = |places: &[f64]| -> Vec<f64> {
            let inner = places[1..shares as usize].iter().map(|&place| bound(&own.each, place as u64));
            let found = Shares { bounds: std::iter::once(0).chain(inner).chain([blocks]).collect() };
            let costs: Vec<f64> = (0..shares).map(|share| cost(&found.range(share))).collect();
            tried.push((costs.iter().copied().fold(0.0, f64::max), found));
            costs
        };
        // The bounds of the shares, as offsets in entries.
        let mut places: Vec<f64> =
            (0..=shares).map(|number| entries as f64 * f64::from(number) / count).collect();
        let mut costs = attempt(&places);
        for round in 1..if shares > 1 { ROUNDS } else { 1 } {
            let part = CALM / (CALM + f64::from(round - 1));
            let to = moved(&places, &costs);
            places.iter_mut().zip(to).for_each(|(place, to)| *place += part * (to - *place));
            costs = attempt(&places);
        }
        // If the shares have few rows each, filling would change nothing.
        if shares > 1 && blocks > 64 * u64::from(shares) {
            let mut each = costs.iter().sum::<f64>() / count;
            for _ in 0..FILLS {
                places = filled(&places, &costs, each, |from, to| {
                    cost(&(bound(&own.each, from as u64)..bound(&own.each, to as u64)))
                });
                costs = attempt(&places);
                let (last, others) = costs.split_last().expect("there are shares");
                let filled: f64 = others.iter().sum();
                let mean = (filled + last) / count;
                // Shares consist of whole rows, so their costs end slightly below the target.
                // Correct the target.
                each = mean * (each * others.len() as f64 / filled.max(f64::MIN_POSITIVE)).clamp(0.9, 1.1);
            }
        }
        // Among equally good partitions, choose the first, because all builders must find the same
        // partition.
        tried.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("there was a round").1
    }

    /// Returns the number of shares.
    pub fn count(&self) -> u32 {
        self.bounds.len() as u32 - 1
    }

    /// Returns the range of the blocks of a share. Block indices count through all sections in
    /// order.
    pub fn range(&self, share: u32) -> Range<u64> {
        self.bounds[share as usize]..self.bounds[share as usize + 1]
    }

    /// Returns the index of the share that contains a block.
    pub fn owner(&self, block: u64) -> u32 {
        self.bounds.partition_point(|&first| first <= block) as u32 - 1
    }
}

/// Returns new bounds between which all shares would have the same cost, if the cost within each
/// old share were uniform.
fn moved(places: &[f64], costs: &[f64]) -> Vec<f64> {
    let (shares, all) = (costs.len(), costs.iter().sum::<f64>());
    let (mut share, mut before) = (0, 0.0);
    let place = |number: usize| {
        let sought = all * number as f64 / shares as f64;
        while share + 1 < shares && before + costs[share] < sought {
            before += costs[share];
            share += 1;
        }
        let part = if costs[share] > 0.0 { ((sought - before) / costs[share]).min(1.0) } else { 0.0 };
        places[share] + part * (places[share + 1] - places[share])
    };
    (0..=shares).map(place).collect()
}

/// Returns the bounds of shares that cost `each`. Only the last share, which contains the remaining
/// entries, may have another cost. `costs` lists the costs between the old bounds `places`. `cost`
/// returns the cost between any two offsets.
fn filled(places: &[f64], costs: &[f64], each: f64, cost: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let end = places[costs.len()];
    let mut found = vec![places[0]];
    for _ in 1..costs.len() {
        let from = found[found.len() - 1];
        let before = places.partition_point(|&place| place <= from).clamp(1, costs.len()) - 1;
        let density = costs[before] / (places[before + 1] - places[before]).max(1.0);
        // The offset and cost of the latest trial in which the share costs at most `each`, and of
        // the latest trial in which the share costs more.
        let (mut less, mut more) = ((from, 0.0), None);
        let mut to = from + each / density.max(f64::MIN_POSITIVE);
        for _ in 0..TRIALS {
            to = to.clamp(from, end);
            let now = cost(from, to);
            let right = (now / each - 1.0).abs() < RIGHT;
            if right || now <= each {
                less = (to, now)
            } else {
                more = Some((to, now))
            }
            if right || less.0 == end {
                break;
            }
            to = match more {
                Some((place, more)) => less.0 + (place - less.0) * (each - less.1) / (more - less.1),
                None => from + (to - from).max(1.0) * (each / now.max(0.25 * each)),
            };
        }
        found.push(if less.0 > from { less.0 } else { to.clamp(from, end) });
    }
    found.push(end);
    found
}

/// Returns the index of the first block of the row that starts nearest to the entry with the index
/// `entry`.
fn bound(stretches: &[Stretch], entry: u64) -> u64 {
    let at = stretches.partition_point(|s| s.entries_before <= entry) - 1;
    let Stretch { grid, first_block, entries_before, .. } = &stretches[at];
    let [a, b, c, across] = grid.counts().map(u64::from);
    let before = |row: u64| grid.entries_before(row * across);
    let sought = entry - entries_before;
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
    use pentago_core::index::EDGE;
    use pentago_core::rules::{Dir, Shape};
    use pentago_core::values::Grid;

    fn all_shares(shape: Shape, marbles: usize, shares: u32) -> (Vec<Section>, Shares) {
        let all = Sections::of(shape, Dir::Both);
        let sections = all.standard(marbles);
        let weights = Weights::of(shape.sockets() - marbles, Codec::QUICK, Codec::QUICK);
        let of = Shares::new(all, &sections, shares, weights);
        (sections, of)
    }

    #[test]
    fn shares_partition_a_slice_between_rows() {
        let mini = Shape::Mini4;
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

    /// Checks that no share costs much more than the mean if shares have many rows. This must hold
    /// even if decoding costs half or twice the assumed amount, or if builders have other memory.
    #[test]
    fn shares_take_alike() {
        let all = Sections::of(Shape::Pentago, Dir::Both);
        for (marbles, shares) in [(31, 16), (28, 64)] {
            let (sections, of) = all_shares(Shape::Pentago, marbles, shares);
            let own = Stretches::new(all, &sections);
            let weights = Weights::of(Shape::Pentago.sockets() - marbles, Codec::QUICK, Codec::QUICK);
            let thought = f64::from(weights.child) / f64::from(weights.own);
            for (times, bytes, most) in [(1.0, 256, 1.02), (0.5, 256, 1.15), (2.0, 512, 1.15)] {
                let decoding = times * thought;
                let cost = |share: u32| {
                    let memory = Memory::of(bytes * 1_000_000_000, weights.threads);
                    let [own, decoded] = load(&own, &of.range(share), memory);
                    own + decoding * decoded
                };
                let costs: Vec<f64> = (0..shares).map(cost).collect();
                let mean = costs.iter().sum::<f64>() / f64::from(shares);
                let found = costs.into_iter().fold(0.0, f64::max) / mean;
                println!("{marbles}, {shares} shares, {decoding}, {bytes} GB: {found:.3}");
                assert!(found < most, "{marbles}: {found}");
            }
        }
    }
}
