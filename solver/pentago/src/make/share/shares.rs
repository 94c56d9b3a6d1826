//! Who computes which blocks of a slice, where several builders share it.
//!
//! A *share* is a range of the slice's blocks in their order, cut between rows of blocks, so that
//! all take about as long. It follows from the slice and the number of shares alone: nobody has to
//! be told what others do, and a builder that is started again finds what it did.
//!
//! Ranges have two more virtues. Shards are merged by putting one behind the other. And sections
//! are listed by their counts, which a further marble changes by one: so what a share needs of the
//! next slice lies in a few ranges of it, often in part its own.

use super::memory::Memory;
use super::needs::load;
use super::stretches::{Stretch, Stretches};
use pentago_core::index::{Section, Sections};
use pentago_tables::codec::Codec;
use pentago_tables::codec::open::Preset;
use std::ops::Range;

/// What the work is balanced by: how long it takes to compute and encode an entry, and to decode
/// one of the next slice and turn it to its parents' side of the board. Only the ratio matters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Of an entry of the slice.
    pub own: u32,
    /// Of an entry of the next slice, each time that it has to be decoded.
    pub child: u32,
    /// Bytes of memory of a builder, and its threads. What builders have doesn't matter: all have to
    /// come to the same shares, also when they go on with more or less of it.
    pub memory: u64,
    /// Threads of a builder, see `memory`.
    pub threads: usize,
}

impl Weights {
    /// In nanoseconds, for a slice with so many free sockets that is encoded with one codec while
    /// the next one was with another: as `plan` measures it on an idle machine. On other machines the
    /// ratios are much the same.
    #[must_use]
    pub fn of(free: usize, codec: Codec, next: Codec) -> Weights {
        let free = free as u32;
        let [encode, _] = rates(codec);
        let [_, decode] = rates(next);
        let own = LEAST + free.saturating_sub(8) * SOCKET + free.saturating_sub(13) * MANY;
        let child = decode + free.saturating_sub(13) * OPEN;
        Weights { own: own + encode, child, memory: 256_000_000_000, threads: 64 }
    }
}

/// Nanoseconds to compute an entry, with all that is read for it, and to encode it with quick: with up
/// to 8 free sockets, for each one beyond these, and for each beyond 13 besides. To turn children to their
/// parent's side is part of it, because kept ones are turned as well.
const LEAST: u32 = 80;
const SOCKET: u32 = 11;
const MANY: u32 = 18;
/// Nanoseconds more to decode an entry for each free socket beyond 13: the guess leaves more open.
const OPEN: u32 = 6;

/// Nanoseconds to encode an entry, beyond those of quick, and to decode one.
fn rates(codec: Codec) -> [u32; 2] {
    match codec {
        Codec::Open(Preset::Quick) => [0, 30],
        Codec::Open(Preset::Compact) => [1000, 1000],
        Codec::Zstd(level) if level.number() < 6 => [170, 65],
        Codec::Zstd(_) => [950, 65],
    }
}

/// So often the bounds are moved to where the work is: first as far as it seems right, then, after
/// about `CALM` rounds, half as far, and ever less. A share of few rows takes a section more or less
/// with each move, so that full moves would go to and fro.
const ROUNDS: u32 = 12;
const CALM: f64 = 5.0;

/// Then shares are filled from the first to the last, each until it takes as long as all are to take. So
/// often, and with so many trials for each, until it is that right.
const FILLS: u32 = 4;
const TRIALS: u32 = 5;
const RIGHT: f64 = 0.002;

/// The shares of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares {
    /// The first block of each, counting those of all sections in order, and the number of all.
    bounds: Vec<u64>,
}

impl Shares {
    /// Shares these standard sections of one slice between `shares` builders. Where there are more
    /// builders than rows of blocks some get nothing.
    ///
    /// At first all get as many entries. What a share takes follows from where it lies
    /// ([`loads`](crate::estimate::loads)), so the bounds are moved as if each took the same everywhere,
    /// and what they take is looked at again. At last they are filled one after the other.
    ///
    /// # Panics
    /// If there are no sections, or no builders.
    ///
    #[must_use]
    pub fn new(all: &Sections, sections: &[Section], shares: u32, weights: Weights) -> Shares {
        assert!(shares > 0 && !sections.is_empty(), "something is shared between some");
        let own = Stretches::new(all, sections);
        let (blocks, entries) = own.ends();
        let entries = entries as f64;
        // The places of the bounds, in entries.
        let mut places: Vec<f64> =
            (0..=shares).map(|number| entries * f64::from(number) / f64::from(shares)).collect();
        let memory = Memory::of(weights.memory, weights.threads);
        let cost = |range: &Range<u64>| {
            let [own, decoded] = load(&own, range, memory);
            f64::from(weights.own) * own + f64::from(weights.child) * decoded
        };
        let of = |places: &[f64]| {
            let inner = places[1..shares as usize].iter().map(|&place| bound(&own.each, place as u64));
            let bounds = std::iter::once(0).chain(inner).chain([blocks]).collect();
            let found = Shares { bounds };
            let costs: Vec<f64> = (0..shares).map(|share| cost(&found.range(share))).collect();
            (found, costs)
        };
        let most = |costs: &[f64]| costs.iter().copied().fold(0.0, f64::max);
        let mut best: Option<(f64, Shares)> = None;
        let mut keep = |found: Shares, most: f64| {
            if best.as_ref().is_none_or(|(least, _)| most < *least) {
                best = Some((most, found));
            }
        };
        let (found, mut costs) = of(&places);
        keep(found, most(&costs));
        for round in 1..if shares > 1 { ROUNDS } else { 1 } {
            let part = CALM / (CALM + f64::from(round - 1));
            let to = moved(&places, &costs);
            places.iter_mut().zip(to).for_each(|(place, to)| *place += part * (to - *place));
            let (found, now) = of(&places);
            keep(found, most(&now));
            costs = now;
        }
        // Where there are few rows for each share it makes no difference.
        if shares > 1 && blocks > 64 * u64::from(shares) {
            let mut each = costs.iter().sum::<f64>() / f64::from(shares);
            for _ in 0..FILLS {
                places = filled(&places, &costs, each, |from, to| {
                    cost(&(bound(&own.each, from as u64)..bound(&own.each, to as u64)))
                });
                let (found, now) = of(&places);
                keep(found, most(&now));
                costs = now;
                let (last, others) = costs.split_last().expect("there are shares");
                let filled: f64 = others.iter().sum();
                let mean = (filled + last) / f64::from(shares);
                // Rows are whole, so that shares are filled a little less.
                each = mean * (each * others.len() as f64 / filled.max(f64::MIN_POSITIVE)).clamp(0.9, 1.1);
            }
        }
        best.expect("there was a round").1
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

/// Where the bounds have to be for all shares to cost the same, if each costs the same everywhere.
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

/// The places of bounds between which shares cost `each`, but for the last, which gets the rest. `costs` are
/// those between `places`, and `cost` says them between any two.
fn filled(places: &[f64], costs: &[f64], each: f64, cost: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let end = places[costs.len()];
    let mut found = vec![places[0]];
    for _ in 1..costs.len() {
        let from = found[found.len() - 1];
        let before = places.partition_point(|&place| place <= from).clamp(1, costs.len()) - 1;
        let density = costs[before] / (places[before + 1] - places[before]).max(1.0);
        // Places up to which a share costs less, and more.
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

/// The first block of the row that begins nearest to the entry with this number.
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
    use pentago_core::rules::{Dir, MiniRun, Shape};
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

    /// Where a share has many rows, none takes much more than the mean; also where an entry costs
    /// half or twice as much to decode as was thought, and other amounts are kept.
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
