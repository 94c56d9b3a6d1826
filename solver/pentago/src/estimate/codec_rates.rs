//! What an entry costs in the tables of a slice: bytes, and CPU time to encode and decode it.
//!
//! Near the full board real blocks are made and encoded. Elsewhere the guesses are real and the
//! values made up within their bounds, which takes as long; how small real blocks become is from
//! the record of whole slices, and of blocks whose boards were solved one by one.

use super::cpu_clock;
use crate::codec::open::{self, Neighbours, Preset, repeating, typical};
use crate::codec::{Codec, Level, Predictor};
use crate::index::{Section, Sections};
use crate::kernel::Kernel;
use crate::rules::{Rules, Shape};
use crate::solve::SectionSolver;
use crate::tables::{ArrayInfo, BlockCodec, Domain, Target};
use crate::values::{BlockId, Entry, Grid, Memory};
use std::collections::BTreeMap;

/// The cost of an entry.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CodecRates {
    /// Bytes in the table.
    pub bytes: f64,
    /// Seconds of CPU time to encode it.
    pub encoding: f64,
    /// The same to decode it.
    pub decoding: f64,
}

/// Blocks that are encoded in each slice whose values are made.
const BLOCKS: u64 = if cfg!(test) { 4 } else { 100 };
/// Blocks that are encoded in each slice whose values are made up: of any section, as often as it has
/// entries.
const MADE_UP: u64 = if cfg!(test) { 2 } else { 6 };
/// For the dice that they are made up with.
const SEED: u64 = 1;
/// Free sockets of the slices whose values are made up; rates between them are interpolated.
const TIMED: [usize; 5] = [5, 8, 12, 18, 27];

/// Compressed to raw size of blocks with so many free sockets, with transit, fast, small, and zstd 9:
/// any entry of the slice is equally likely to be in a block. With more free sockets it is as with
/// the most. Those with two and three are of the whole slices with transit; with none and one, all
/// values are known one move ahead, and all blocks take as many bytes.
const FAR: [(usize, [f64; 4]); 9] = [
    (0, [0.000_261, 0.000_261, 0.000_261, 0.000_608]),
    (1, [0.000_211, 0.000_211, 0.000_211, 0.000_512]),
    (2, [0.0163, 0.0136, 0.0083, 0.0187]),
    (3, [0.0246, 0.0190, 0.0128, 0.0334]),
    (4, [0.019, 0.012, 0.009, 0.027]),
    (6, [0.023, 0.014, 0.011, 0.038]),
    (8, [0.048, 0.029, 0.024, 0.088]),
    (10, [0.046, 0.027, 0.023, 0.088]),
    (12, [0.075, 0.047, 0.042, 0.160]),
];

/// The value at `x` on the lines between points, in ascending order.
pub(super) fn between(points: &[(f64, f64)], x: f64) -> f64 {
    let above = points.partition_point(|&(at, _)| at < x);
    match (above.checked_sub(1).map(|i| points[i]), points.get(above)) {
        (Some((x0, y0)), Some(&(x1, y1))) => y0 + (x - x0) / (x1 - x0) * (y1 - y0),
        (Some((_, y)), None) | (None, Some(&(_, y))) => y,
        (None, None) => 0.0,
    }
}

/// Compressed to raw size of blocks with so many free sockets.
fn far_ratio(codec: Codec, free: usize) -> f64 {
    let column = match codec {
        Codec::Open(Preset::Transit) => 0,
        Codec::Open(Preset::Fast) => 1,
        Codec::Open(Preset::Small) => 2,
        Codec::Zstd(_) => 3,
    };
    let points: Vec<(f64, f64)> = FAR.iter().map(|(free, ratios)| (*free as f64, ratios[column])).collect();
    let ratio = between(&points, free as f64);
    match codec {
        // Level 1 takes a seventh more than level 9.
        Codec::Zstd(level) if level < Level::KEPT => 1.15 * ratio,
        _ => ratio,
    }
}

/// The costs of one codec, by number of marbles.
#[derive(Clone, Debug, Default)]
pub(super) struct CodecCosts(BTreeMap<usize, CodecRates>);

impl CodecCosts {
    /// Adds the slice of some sections whose values are there.
    pub fn add(&mut self, rules: Rules, codec: Codec, sections: &[Section], grids: &[Grid], values: &Memory) {
        let marbles = sections[0].marbles();
        let all: u64 = grids.iter().map(Grid::blocks).sum();
        let ids = (0u32..)
            .zip(grids)
            .flat_map(|(array, grid)| (0..grid.blocks()).map(move |block| BlockId { array, block }));
        let ids = ids.step_by(all.div_ceil(BLOCKS) as usize);
        let blocks = ids.map(|id| {
            let (section, grid) = (sections[id.array as usize], grids[id.array as usize]);
            let key = Sections::of(rules.shape, rules.dir).key(section);
            let array = ArrayInfo { key, grid };
            (array, id.block, values.block(id).expect("all blocks were put").to_vec())
        });
        let mut rates = time(rules, codec, marbles, blocks);
        let free = rules.shape.sockets() - marbles;
        // Sections that can be made here become smaller or larger than the slice, by half and more.
        if rules.shape == Shape::Pentago {
            rates.bytes = far_ratio(codec, free) * size_of::<Entry>() as f64;
        }
        self.0.entry(marbles).or_insert(rates);
    }

    /// Times blocks of made-up values in the slices in which none could be made.
    pub fn add_made_up(&mut self, solver: &SectionSolver, rules: Rules, codec: Codec, kernel: Kernel) {
        let sockets = rules.shape.sockets();
        for free in TIMED.into_iter().filter(|&free| free < sockets) {
            let marbles = sockets - free;
            if self.0.keys().next().is_some_and(|&least| marbles >= least) {
                continue;
            }
            let sections = solver.sections().standard(marbles);
            let all: u64 = sections.iter().map(|&s| solver.grid(s).entries()).sum();
            let predictor = Predictor::with_kernel(rules, marbles as u8, kernel);
            let number = MADE_UP.min(all);
            let blocks = (0..number).map(|i| {
                // Any entry of the slice is equally likely to be in a block.
                let mut entry = (2 * i + 1) * all / (2 * number);
                let within = |&&s: &&Section| {
                    let entries = solver.grid(s).entries();
                    let found = entry < entries;
                    entry -= if found { 0 } else { entries };
                    found
                };
                let &section = sections.iter().find(within).expect("an entry is in a section");
                let grid = solver.grid(section);
                let array = ArrayInfo { key: solver.sections().key(section), grid };
                let block = entry * grid.blocks() / grid.entries();
                let ranges = grid.ranges(block);
                let mut guess = vec![Entry::default(); grid.len(block)];
                predictor.guess(section, &ranges, &mut guess);
                let neighbours = Neighbours::of_section(rules, section, &ranges);
                let values = typical(&guess, &neighbours, SEED);
                let values = match codec {
                    Codec::Open(Preset::Fast | Preset::Small) => values,
                    _ => as_small(&values, &guess, &neighbours, far_ratio(Preset::Transit.into(), free)),
                };
                (array, block, values)
            });
            let rates = time(rules, codec, marbles, blocks);
            let bytes = far_ratio(codec, free) * size_of::<Entry>() as f64;
            self.0.insert(marbles, CodecRates { bytes, ..rates });
        }
    }

    /// The costs in a slice.
    pub fn at(&self, codec: Codec, marbles: usize, sockets: usize) -> CodecRates {
        if let Some(&rates) = self.0.get(&marbles) {
            return rates;
        }
        let line = |of: fn(&CodecRates) -> f64| {
            let points: Vec<(f64, f64)> = self.0.iter().map(|(&n, rates)| (n as f64, of(rates))).collect();
            between(&points, marbles as f64)
        };
        CodecRates {
            bytes: far_ratio(codec, sockets - marbles) * size_of::<Entry>() as f64,
            encoding: line(|rates| rates.encoding),
            decoding: line(|rates| rates.decoding),
        }
    }
}

/// Made-up values that repeat each other so often that transit makes them as small as real ones: to
/// this part of raw.
fn as_small(typical: &[Entry], guess: &[Entry], neighbours: &Neighbours, ratio: f64) -> Vec<Entry> {
    let sought = ratio * size_of_val(typical) as f64;
    let (mut repeats, mut payload) = (0, Vec::new());
    let mut values = typical.to_vec();
    for bit in (11..16).rev() {
        let more = repeating(typical, guess, repeats | 1 << bit, SEED);
        payload.clear();
        open::encode(&more, Some(guess), neighbours, Preset::Transit, &mut payload);
        if payload.len() as f64 >= sought {
            repeats |= 1 << bit;
            values = more;
        }
    }
    values
}

/// Encodes and decodes blocks of a slice as they are stored.
fn time(
    rules: Rules,
    codec: Codec,
    marbles: usize,
    blocks: impl Iterator<Item = (ArrayInfo, u64, Vec<Entry>)>,
) -> CodecRates {
    let target = Target { rules, domain: Domain::Game };
    let coder = BlockCodec::new(codec, &target, marbles as u8);
    let clock = cpu_clock();
    // The first block fills tables and buffers, which later ones find.
    let (mut warm, mut entries, mut sums) = (false, 0, CodecRates::default());
    for (array, block, mut values) in blocks {
        let payload = loop {
            let began = clock.now();
            let payload = coder.encode(&array, block, &values);
            let encoding = clock.since(began);
            let began = clock.now();
            coder.decode(&array, block, &payload, &mut values).expect("what was encoded");
            let decoding = clock.since(began);
            if std::mem::replace(&mut warm, true) {
                sums.encoding += encoding.as_secs_f64();
                sums.decoding += decoding.as_secs_f64();
                break payload;
            }
        };
        entries += values.len();
        sums.bytes += payload.len() as f64;
    }
    let each = |sum: f64| sum / entries.max(1) as f64;
    CodecRates { bytes: each(sums.bytes), encoding: each(sums.encoding), decoding: each(sums.decoding) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_joined_by_lines() {
        let points = [(1.0, 10.0), (3.0, 20.0), (4.0, 0.0)];
        for (x, y) in [(0.0, 10.0), (1.0, 10.0), (2.0, 15.0), (3.0, 20.0), (3.5, 10.0), (9.0, 0.0)] {
            assert!((between(&points, x) - y).abs() < 1e-9, "{x}");
        }
        assert!((between(&[], 1.0) - 0.0).abs() < 1e-9);
    }

    /// The recorded ratios are those of the codecs in their order: each is smaller than the one
    /// before.
    #[test]
    fn smaller_codecs_are_smaller() {
        for free in 0..36 {
            let ratios = open::Preset::ALL.map(|preset| far_ratio(preset.into(), free));
            // Where nothing is open all take the same.
            let larger = |a: &f64, b: &f64| if free < 2 { a == b } else { a > b };
            assert!(ratios.is_sorted_by(larger), "{free}: {ratios:?}");
            let [zstd1, zstd9] = [Level::SCRATCH, Level::KEPT].map(|level| far_ratio(level.into(), free));
            assert!(zstd1 > zstd9 && zstd9 > ratios[0]);
        }
    }
}
