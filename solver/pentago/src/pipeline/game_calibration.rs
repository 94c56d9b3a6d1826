//! Estimates for slices of a complete game, from the speed of this machine in computing and
//! compressing sections of the game itself.

use crate::codec::{Coded, Level, Predictor, decode, encode_either};
use crate::control::{Cancelled, Control};
use crate::index::{Section, Sections};
use crate::kernel::Kernel;
use crate::rules::Rules;
use crate::solve::{Next, Report, SectionSolver, SectionsError, SolveError, Stopped};
use crate::values::{BlockId, Entry, Grid, Memory, NullSink, Sink, Source};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::time::Instant;

/// The estimate for one slice.
#[derive(Clone, Copy, Debug)]
pub struct SliceEstimate {
    /// Its number of marbles.
    pub marbles: u8,
    /// The number of sections to compute.
    pub sections: u64,
    /// The number of their entries, of 256 boards each.
    pub entries: u64,
    /// Uncompressed size of the entries in bytes.
    pub raw_bytes: u64,
    /// Size of the table in bytes.
    pub kept_bytes: u64,
    /// Least memory in bytes. With less than the pieces of a section need, blocks are decoded more
    /// often.
    pub memory_bytes: u64,
    /// CPU time in seconds.
    pub core_seconds: f64,
}

/// The estimate for several slices.
#[derive(Clone, Debug)]
pub struct GameEstimate {
    /// By slice, in the order of building.
    pub slices: Vec<SliceEstimate>,
}

impl GameEstimate {
    /// Time in seconds with `cores` cores.
    pub fn seconds(&self, cores: usize) -> f64 {
        self.slices.iter().map(|s| s.core_seconds).sum::<f64>() / cores as f64
    }

    /// Size of all tables in bytes.
    pub fn kept_bytes(&self) -> u64 {
        self.slices.iter().map(|s| s.kept_bytes).sum()
    }

    /// Largest size in bytes of two consecutive tables: the disk space that is needed if the others
    /// are moved elsewhere.
    pub fn two_bytes(&self) -> u64 {
        let two = self.slices.windows(2).map(|pair| pair[0].kept_bytes + pair[1].kept_bytes);
        two.chain(self.slices.iter().map(|s| s.kept_bytes)).max().unwrap_or(0)
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.slices.iter().map(|s| s.memory_bytes).max().unwrap_or(0)
    }
}

/// The speed of this machine.
pub(super) struct GameCalibration {
    solver: SectionSolver,
    rules: Rules,
    /// By number of marbles, in ascending order: seconds to compute an entry, and to take one from
    /// a decoded block of the next slice.
    steps: Vec<(usize, f64, f64)>,
    /// By number of marbles.
    codecs: BTreeMap<usize, CodecRates>,
}

/// The cost of an entry in the tables of a slice.
#[derive(Clone, Copy, Debug)]
struct CodecRates {
    bytes: f64,
    encoding: f64,
    decoding: f64,
}

/// Free sockets of the slices in which the computation is timed.
const STEPS: [usize; 7] = [1, 4, 8, 14, 20, 26, 32];
/// Approximate number of entries of the timed section.
const STEP_ENTRIES: u64 = 500_000;
/// Free sockets of the slices whose blocks are made for the codec, and entries of the section that
/// they are taken from: small ones become much smaller than those that most positions belong to.
const CODECS: [(usize, u64); 2] = [(2, 5_000_000), (3, 2_500_000)];
/// Blocks that are compressed in each slice.
const BLOCKS: u64 = 200;
/// Memory for its pieces: they all fit.
const MEMORY: u64 = 1 << 30;
/// Bytes of a record of the block index.
const INDEX_BYTES: u64 = 16;
/// Blocks that wait for earlier ones.
const WAITING_BYTES: u64 = 256 << 20;

/// Tables of slices too far from the full board to be sampled, from the record of blocks whose
/// boards were solved one by one: free sockets, compressed to raw size, time to encode an entry in
/// that of the deepest slice that is sampled. What lies between is interpolated; with still more
/// free sockets it is as with the most.
const FAR: [(usize, f64, f64); 5] =
    [(4, 0.014, 0.6), (6, 0.046, 1.1), (8, 0.042, 1.2), (10, 0.088, 1.9), (12, 0.160, 2.5)];

impl GameCalibration {
    /// Runs the measurements, with all threads of the current rayon pool.
    pub fn new(
        rules: Rules,
        kernel: Kernel,
        level: Level,
        control: &Control,
    ) -> Result<GameCalibration, SolveError> {
        let solver = SectionSolver::new(rules, kernel, crate::threads::count(), MEMORY);
        let mut calibration = GameCalibration { solver, rules, steps: Vec::new(), codecs: BTreeMap::new() };
        let sockets = rules.shape.sockets();
        for free in STEPS.into_iter().filter(|&free| free < sockets).rev() {
            let (compute, read) = calibration.time_step(sockets - free, control)?;
            calibration.steps.push((sockets - free, compute, read));
        }
        for (free, entries) in CODECS {
            calibration.time_codecs(calibration.typical(sockets - free, entries), level, control)?;
        }
        Ok(calibration)
    }

    /// Times the codec in all slices that a section depends on, its own first, where that isn't
    /// known yet.
    fn time_codecs(&mut self, section: Section, level: Level, control: &Control) -> Result<(), SolveError> {
        let solver = &self.solver;
        let mut next: (Vec<Section>, Memory) = (Vec::new(), Memory::new(&[]));
        for sections in solver.sections().closure(&[section]).into_iter().rev() {
            let grids: Vec<Grid> = sections.iter().map(|&s| solver.grid(s)).collect();
            let values = Memory::new(&grids);
            let (there, source) = &next;
            run(solver, &sections, Next { sections: there, source }, &values, control)?;
            let marbles = sections[0].marbles();
            self.codecs
                .entry(marbles)
                .or_insert_with(|| time_codec(self.rules, level, &sections, &grids, &values));
            next = (sections, values);
        }
        Ok(())
    }

    /// The section of a slice whose number of entries is nearest to `entries`.
    fn typical(&self, marbles: usize, entries: u64) -> Section {
        let all = self.solver.sections().standard(marbles).into_iter();
        all.min_by_key(|&s| self.solver.grid(s).entries().abs_diff(entries))
            .expect("every slice has sections")
    }

    /// Seconds to compute an entry, and to take one from a block.
    fn time_step(&self, marbles: usize, control: &Control) -> Result<(f64, f64), SolveError> {
        let sections = [self.typical(marbles, STEP_ENTRIES)];
        let next: Vec<Section> = self.solver.sections().closure(&sections).swap_remove(1);
        let mut best = (f64::MAX, f64::MAX);
        // The first run touches the memory.
        for _ in 0..2 {
            let report =
                run(&self.solver, &sections, Next { sections: &next, source: &Blank }, &NullSink, control)?;
            let entries = report.entries as f64;
            let read: u64 = self.children(&sections).map(|child| self.solver.grid(child).entries()).sum();
            best.0 = best.0.min(report.computing.as_secs_f64() / entries);
            best.1 = best.1.min(report.reading.as_secs_f64() / read.max(1) as f64);
        }
        Ok(best)
    }

    /// The sections that these depend on, one for each quadrant.
    fn children<'a>(&'a self, sections: &'a [Section]) -> impl Iterator<Item = Section> + 'a {
        let shape = self.rules.shape;
        sections.iter().flat_map(move |s| (0..4).filter_map(move |q| s.child(shape, q)))
    }

    /// A quantity at a number of marbles between those where it was measured.
    fn step(&self, marbles: usize) -> (f64, f64) {
        let above = self.steps.partition_point(|&(n, ..)| n < marbles).min(self.steps.len() - 1);
        let (n, compute, read) = self.steps[above];
        if n <= marbles || above == 0 {
            return (compute, read);
        }
        let (m, less_compute, less_read) = self.steps[above - 1];
        let share = (marbles - m) as f64 / (n - m) as f64;
        (less_compute + share * (compute - less_compute), less_read + share * (read - less_read))
    }

    fn codec(&self, marbles: usize) -> CodecRates {
        if let Some(&codec) = self.codecs.get(&marbles) {
            return codec;
        }
        let deepest = *self.codecs.values().next().expect("some were measured");
        let free = self.rules.shape.sockets() - marbles;
        let above = FAR.partition_point(|&(n, ..)| n < free).min(FAR.len() - 1);
        let (n, mut ratio, mut time) = FAR[above];
        if let Some(&(m, less_ratio, less_time)) = above.checked_sub(1).map(|i| &FAR[i])
            && free < n
        {
            let share = (free - m) as f64 / (n - m) as f64;
            ratio = less_ratio + share * (ratio - less_ratio);
            time = less_time + share * (time - less_time);
        }
        CodecRates { bytes: ratio * size_of::<Entry>() as f64, encoding: time * deepest.encoding, ..deepest }
    }

    /// The estimate for these sections of a slice.
    pub fn slice(
        &self,
        marbles: u8,
        sections: &[Section],
        threads: NonZeroUsize,
        kept: bool,
    ) -> SliceEstimate {
        let solver = &self.solver;
        let grids = || sections.iter().map(|&s| solver.grid(s));
        let entries: u64 = grids().map(|grid| grid.entries()).sum();
        let blocks: u64 = grids().map(|grid| grid.blocks()).sum();
        let all = Sections::of(self.rules.shape, self.rules.dir);
        let next_blocks: u64 = {
            let mut next: Vec<Section> = self.children(sections).map(|s| all.standardise(s).0).collect();
            next.sort_unstable();
            next.dedup();
            next.into_iter().map(|s| solver.grid(s).blocks()).sum()
        };
        let read: u64 = self.children(sections).map(|child| solver.grid(child).entries()).sum();
        let (compute, take) = self.step(marbles.into());
        let codec = self.codec(marbles.into());
        let next =
            self.codec(usize::from(marbles) + 1.min(self.rules.shape.sockets() - usize::from(marbles)));
        let read = if solver.needs_next(marbles.into()) { read as f64 } else { 0.0 };
        let encoding = if kept { codec.encoding } else { 0.0 };
        let row = sections.iter().map(|&s| solver.least_memory(s)).max().unwrap_or(0);
        SliceEstimate {
            marbles,
            sections: sections.len() as u64,
            entries,
            raw_bytes: entries * size_of::<Entry>() as u64,
            kept_bytes: if kept { (entries as f64 * codec.bytes) as u64 + blocks * INDEX_BYTES } else { 0 },
            // Each thread holds one more piece between two rows.
            memory_bytes: 2 * row * threads.get() as u64
                + (blocks + next_blocks) * INDEX_BYTES
                + WAITING_BYTES,
            core_seconds: entries as f64 * (compute + encoding) + read * (take + next.decoding),
        }
    }
}

/// Compresses some blocks of an array as they are stored, and decompresses them.
fn time_codec(
    rules: Rules,
    level: Level,
    sections: &[Section],
    grids: &[Grid],
    values: &Memory,
) -> CodecRates {
    let marbles = sections[0].marbles() as u8;
    let predictor = Predictor::new(rules, marbles);
    let all: u64 = grids.iter().map(Grid::blocks).sum();
    let ids = (0u32..)
        .zip(grids)
        .flat_map(|(array, grid)| (0..grid.blocks()).map(move |block| BlockId { array, block }));
    let ids: Vec<BlockId> = ids.step_by(all.div_ceil(BLOCKS) as usize).collect();
    // Entries, bytes, seconds to encode and to decode.
    let one = |id: BlockId| {
        let (section, grid) = (sections[id.array as usize], grids[id.array as usize]);
        let mut block = values.block(id).expect("all blocks were put").to_vec();
        let exchange = |block: &mut [Entry]| predictor.exchange(section, &grid.ranges(id.block), block);
        let mut payload = Vec::new();
        let began = Instant::now();
        let mut rest = block.clone();
        exchange(&mut rest);
        encode_either(&block, &rest, level, &mut payload);
        let encoded = Instant::now();
        if decode(&payload, &mut block).expect("what was encoded") == Coded::Rest {
            exchange(&mut block);
        }
        let (encoding, decoding) = (encoded - began, encoded.elapsed());
        [block.len() as f64, payload.len() as f64, encoding.as_secs_f64(), decoding.as_secs_f64()]
    };
    let add = |a: [f64; 4], b: [f64; 4]| std::array::from_fn(|i| a[i] + b[i]);
    let [entries, bytes, encoding, decoding] = ids.into_par_iter().map(one).reduce(|| [0.0; 4], add);
    CodecRates { bytes: bytes / entries, encoding: encoding / entries, decoding: decoding / entries }
}

fn run<S: Source<Error = Infallible>, K: Sink<Error = Infallible>>(
    solver: &SectionSolver,
    sections: &[Section],
    next: Next<S>,
    sink: &K,
    control: &Control,
) -> Result<Report, SolveError> {
    // The progress of the build itself starts later.
    let own = Control::new();
    if control.is_cancelled() {
        return Err(Stopped::from(Cancelled).into());
    }
    solver.solve(sections, next, sink, BlockId { array: 0, block: 0 }, &own).map_err(|error| match error {
        SectionsError::Cancelled(cancelled) => Stopped::from(cancelled).into(),
        SectionsError::Missing(section) => unreachable!("{section} is in the closure"),
        SectionsError::Get(never) | SectionsError::Put(never) => match never {},
    })
}

/// Meaningless values that cost nothing: they don't affect the time of the computation.
struct Blank;

impl Source for Blank {
    type Error = Infallible;

    fn get(&self, _: BlockId, into: &mut [Entry]) -> Result<(), Infallible> {
        into.fill(Entry::default());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::GameBuild;

    /// All figures that aren't measured are exact.
    #[test]
    fn sizes_are_exact() {
        let rules = Rules::default();
        let calibration =
            GameCalibration::new(rules, Kernel::best(), Level::KEPT, &Control::new()).expect("measured");
        let build = GameBuild::new(rules, 0);
        for (slice, sections, entries) in [(0, 1, 1), (6, 59, 105_628), (35, 330, 0)] {
            let (of_slice, complete) = build.sections(slice);
            assert!(complete);
            let two = NonZeroUsize::MIN.saturating_add(1);
            let estimate = calibration.slice(slice, &of_slice, two, true);
            assert_eq!((estimate.sections, estimate.raw_bytes), (sections, 64 * estimate.entries));
            if entries > 0 {
                assert_eq!(estimate.entries, entries);
            }
            assert!(estimate.core_seconds > 0.0 && estimate.memory_bytes > WAITING_BYTES);
            let counted = calibration.slice(slice, &of_slice, two, false);
            assert!(counted.kept_bytes == 0 && counted.core_seconds < estimate.core_seconds);
        }
        assert!(calibration.codecs.keys().copied().eq(33..=36));
    }
}
