//! Who computes which blocks of a slice, where several builders share it.
//!
//! A *share* is a range of the slice's blocks in their order, cut between rows of blocks, so that
//! all take about as long. It follows from the slice and the number of shares alone: nobody has to
//! be told what others do, and a builder that is started again finds what it did.
//!
//! Ranges have two more virtues. Shards are merged by putting one behind the other. And sections
//! are listed by their counts, which a further marble changes by one: so what a share needs of the
//! next slice lies in a few ranges of it, often in part its own.

use super::partition::load;
use crate::codec::Codec;
use crate::codec::open::Preset;
use crate::index::{EDGE, Section, Sections};
use crate::values::Grid;
use std::collections::BTreeMap;
use std::ops::Range;

/// What the work is balanced by: how long it takes to compute and encode an entry, and to decode
/// one of the next slice and turn it to its parents' side of the board. Only the ratio matters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Of an entry of the slice.
    pub own: u32,
    /// Of an entry of the next slice, each time that it has to be decoded.
    pub child: u32,
    /// Decoded entries that are kept for later sections. The memory of the builders doesn't matter:
    /// all have to come to the same shares, also when they go on with more or less of it.
    pub room: f64,
    /// Bytes for what the rows of one section have in common.
    pub pieces: f64,
}

impl Weights {
    /// In nanoseconds, for a slice with so many free sockets that is encoded with one codec while
    /// the next one was with another: as measured (`tools/cluster/README.md`), and for 128 GB. On
    /// other machines the ratios are much the same.
    #[must_use]
    pub fn of(free: usize, codec: Codec, next: Codec) -> Weights {
        let free = free as u32;
        let [encode, _] = rates(codec);
        let [_, decode] = rates(next);
        let child = decode + free.saturating_sub(OPEN_FROM) * OPEN;
        Weights { own: (free * SOCKET).max(LEAST) + encode, child, room: 2e9, pieces: 128e9 }
    }
}

/// Nanoseconds for each free socket to compute an entry, with all that is read for it, and to encode
/// it with transit. To turn children to their parent's side is part of it, because kept ones are
/// turned as well.
const SOCKET: u32 = 17;
/// What it takes at least.
const LEAST: u32 = 80;
/// Nanoseconds more to decode an entry for each free socket beyond so many: the guess leaves more
/// open.
const OPEN: u32 = 5;
const OPEN_FROM: u32 = 12;

/// Nanoseconds to encode an entry, beyond those of transit, and to decode one.
fn rates(codec: Codec) -> [u32; 2] {
    match codec {
        Codec::Open(Preset::Transit) => [0, 32],
        Codec::Open(Preset::Fast) => [1000, 1000],
        Codec::Open(Preset::Small) => [2150, 2200],
        Codec::Zstd(level) if level.number() < 6 => [170, 65],
        Codec::Zstd(_) => [950, 65],
    }
}

/// So often the bounds are moved to where the work is: first as far as it seems right, then, after
/// about `CALM` rounds, half as far, and ever less. A share of few rows takes a section more or less
/// with each move, so that full moves would go to and fro.
const ROUNDS: u32 = 24;
const CALM: f64 = 5.0;

/// The shares of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares {
    /// The first block of each, counting those of all sections in order, and the number of all.
    bounds: Vec<u64>,
}

/// A section among those of its slice: its blocks, and what comes before it.
pub(super) struct Stretch {
    pub section: Section,
    pub grid: Grid,
    pub first_block: u64,
    entries_before: u64,
}

/// The sections of a slice, one behind the other.
pub(super) struct Stretches<'a> {
    pub all: &'a Sections,
    pub each: Vec<Stretch>,
    /// By the counts of a quadrant, for each block along its axis: the blocks of the child by that
    /// quadrant that it reads. An axis has at most 64 blocks, so that a set is a word.
    reads: BTreeMap<[u8; 2], Vec<u64>>,
}

impl<'a> Stretches<'a> {
    /// These standard sections, all of the same slice.
    pub fn new(all: &'a Sections, sections: &[Section]) -> Stretches<'a> {
        let (mut first_block, mut entries_before) = (0, 0);
        let mut reads = BTreeMap::new();
        let stretch = |&section: &Section| {
            let grid = Grid::new(all.extents(section), EDGE);
            let stretch = Stretch { section, grid, first_block, entries_before };
            first_block += grid.blocks();
            entries_before += grid.entries();
            for counts in section.counts() {
                reads.entry(counts).or_insert_with(|| all.blocks_read(counts, section.mover()));
            }
            stretch
        };
        let each = sections.iter().map(stretch).collect();
        Stretches { all, each, reads }
    }

    /// For each block along the axis of a quadrant of a section: the blocks of the child that it
    /// reads.
    pub fn read_by(&self, section: Section, quadrant: usize) -> &[u64] {
        &self.reads[&section.counts()[quadrant]]
    }

    /// All blocks, and all entries.
    fn ends(&self) -> (u64, u64) {
        self.each.last().map_or((0, 0), |last| {
            (last.first_block + last.grid.blocks(), last.entries_before + last.grid.entries())
        })
    }
}

impl Shares {
    /// Shares these standard sections of one slice between `shares` builders. Where there are more
    /// builders than rows of blocks some get nothing.
    ///
    /// At first all get as many entries. What a share takes follows from where it lies ([`loads`]),
    /// so the bounds are moved as if each took the same everywhere, and what they take is looked at
    /// again.
    ///
    /// # Panics
    /// If there are no sections, or no builders.
    ///
    /// [`loads`]: super::loads
    #[must_use]
    pub fn new(all: &Sections, sections: &[Section], shares: u32, weights: Weights) -> Shares {
        assert!(shares > 0 && !sections.is_empty(), "something is shared between some");
        let own = Stretches::new(all, sections);
        let (blocks, entries) = own.ends();
        let entries = entries as f64;
        // The places of the bounds, in entries.
        let mut places: Vec<f64> =
            (0..=shares).map(|number| entries * f64::from(number) / f64::from(shares)).collect();
        let mut best: Option<(f64, Shares)> = None;
        for round in 0..if shares > 1 { ROUNDS } else { 1 } {
            let inner = places[1..shares as usize].iter().map(|&place| bound(&own.each, place as u64));
            let bounds = std::iter::once(0).chain(inner).chain([blocks]).collect();
            let found = Shares { bounds };
            let cost = |share: u32| {
                let [own, decoded] = load(&own, &found.range(share), [weights.room, weights.pieces]);
                f64::from(weights.own) * own + f64::from(weights.child) * decoded
            };
            let costs: Vec<f64> = (0..shares).map(cost).collect();
            let most = costs.iter().copied().fold(0.0, f64::max);
            let to = moved(&places, &costs);
            let part = CALM / (CALM + f64::from(round));
            places.iter_mut().zip(to).for_each(|(place, to)| *place += part * (to - *place));
            if best.as_ref().is_none_or(|(least, _)| most < *least) {
                best = Some((most, found));
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
    use crate::rules::{Dir, MiniRun, Shape};

    fn all_shares(shape: Shape, marbles: usize, shares: u32) -> (Vec<Section>, Shares) {
        let all = Sections::of(shape, Dir::Both);
        let sections = all.standard(marbles);
        let weights = Weights::of(shape.sockets() - marbles, Codec::PASSED, Codec::PASSED);
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
            let weights = Weights::of(Shape::Pentago.sockets() - marbles, Codec::PASSED, Codec::PASSED);
            let thought = f64::from(weights.child) / f64::from(weights.own);
            for (times, room, most) in [(1.0, 2e9, 1.03), (0.5, 2e9, 1.15), (2.0, 5e9, 1.15)] {
                let decoding = times * thought;
                let cost = |share: u32| {
                    let [own, decoded] = load(&own, &of.range(share), [room, weights.pieces]);
                    own + decoding * decoded
                };
                let costs: Vec<f64> = (0..shares).map(cost).collect();
                let mean = costs.iter().sum::<f64>() / f64::from(shares);
                let found = costs.into_iter().fold(0.0, f64::max) / mean;
                println!("{marbles}, {shares} shares, {decoding}, {room}: {found:.3}");
                assert!(found < most, "{marbles}: {found}");
            }
        }
    }
}
