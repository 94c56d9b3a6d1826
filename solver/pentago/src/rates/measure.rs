//! Measures the rates of one core of this machine while all cores work. Cores share memory
//! bandwidth, and two logical cores may share a physical core. Times are CPU times, so other
//! programs have little effect on the results.
//!
//! Compression ratios don't depend on the machine, so the built-in ratios are used. The system time
//! for files isn't measured either, because writing a file as large as the temporary files would
//! take longer than all measurements.

use super::{CodecRates, CodecSpeed, Rates, StepRates};
use crate::Clock;
use pentago_base::Control;
use pentago_core::index::Section;
use pentago_core::kernel::{Kernel, Pack};
use pentago_core::rules::{Rules, random};
use pentago_core::solve::rooted::downstream::Downstream;
use pentago_core::solve::rooted::{HalfSlice, SpillStore};
use pentago_core::solve::{Next, Report, SectionSolver, SectionsError, SolveError};
use pentago_core::threads;
use pentago_core::values::{BlockId, BoxError, Entry, Grid, Memory, NullSink, Sink, Source};
use pentago_tables::codec::open::{self, Neighbours, OpenBits, Preset, pack, repeating, typical};
use pentago_tables::codec::repeats::{Decoder, Encoder, MAX_LINES};
use pentago_tables::codec::{Codec, Predictor};
use pentago_tables::tables::{ArrayInfo, BlockCodec, Domain, Target};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The extent of the measurements: the parts of the game, and the numbers of rows and blocks.
#[derive(Clone, Copy, Debug)]
struct Extent {
    /// The number of free sockets of a root. To measure the rates of roots, all boards below the
    /// root are computed.
    root: u32,
    /// To measure the computation of rows of blocks: the approximate number of entries of a
    /// section, and the number of rows per thread.
    step: (u64, u64),
    /// To measure codecs with computed values: the number of free sockets of a slice, and the
    /// approximate number of entries of its section. Large sections are chosen, because most
    /// positions belong to large sections, whose blocks are slower to encode.
    made: [(usize, u64); 2],
    /// The number of blocks to encode in each slice with computed values.
    blocks: u64,
    /// The number of blocks to encode in each slice with random values.
    made_up: u64,
}

/// The extent of a measurement that takes about half a minute. The sections whose rows are computed
/// have the median size over all positions, so their children don't fit in the CPU's caches.
const FULL: Extent = Extent {
    root: 17,
    step: (3_000_000_000, 16),
    made: [(2, 5_000_000), (3, 2_500_000)],
    blocks: 100,
    made_up: 6,
};

/// The numbers of free sockets of the slices in which the computation of entries is timed.
const STEPS: [usize; 7] = [1, 4, 8, 14, 20, 26, 32];
/// The numbers of free sockets of the slices in which codecs are timed with random values.
const MADE_UP: [usize; 5] = [5, 8, 12, 18, 27];
/// The seed of the random root and of the random values.
const SEED: u64 = 1;
/// The memory limit for pieces of a section, in bytes. Small sections fit with all their pieces.
/// Rows of large sections may exceed the limit.
const MEMORY: u64 = 1 << 30;
/// The measurement encodes and decodes one unit of every `EVERY` units, as in temporary files.
const EVERY: u64 = 16;

/// The peak memory for computed blocks during a measurement, in bytes.
const MADE: u64 = 256 << 20;
/// The additional peak memory of each thread, in bytes.
const EACH: u64 = 400 << 20;

impl Rates {
    /// Measures the rates of a core under the default rules. All threads of the current pool
    /// measure at the same time. `memory` is the memory limit in bytes.
    ///
    /// # Errors
    /// If the measurement was cancelled, or needs more memory than the limit.
    pub fn measure(kernel: Kernel, memory: u64, control: &Control) -> Result<Rates, SolveError> {
        let need = MADE + threads::count().get() as u64 * EACH;
        if need > memory {
            return Err(SolveError::Memory { need, limit: memory });
        }
        measure(kernel, FULL, control)
    }
}

fn measure(kernel: Kernel, extent: Extent, control: &Control) -> Result<Rates, SolveError> {
    let mut rates = Rates::built_in().clone();
    let mut solver = SectionSolver::new(Rules::default(), kernel, threads::count(), MEMORY);
    solver.clock = cpu_clock();
    let bench = Bench { rules: Rules::default(), kernel, extent, threads: threads::count(), solver, control };
    [rates.root.board, rates.root.encode, rates.root.decode] = on_all(|| bench.root(rates.root.far))?;
    rates.slices.steps = STEPS.iter().map(|&free| bench.step(free)).collect::<Result<_, _>>()?;
    for codec in &mut rates.slices.codecs {
        codec.speeds.clear();
    }
    for (free, entries) in extent.made {
        bench.computed(free, entries, &mut rates.slices.codecs)?;
    }
    for free in MADE_UP {
        for codec in &mut rates.slices.codecs {
            codec.speeds.push(bench.random(free, codec.known())?);
        }
    }
    Ok(rates)
}

/// Calls `measured` in all threads at the same time, and returns the mean of each of its figures.
fn on_all<const N: usize>(
    measured: impl Fn() -> Result<[f64; N], SolveError> + Sync,
) -> Result<[f64; N], SolveError> {
    let all = threads::broadcast(measured).into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(std::array::from_fn(|i| all.iter().map(|figures| figures[i]).sum::<f64>() / all.len() as f64))
}

/// Returns a clock that measures the CPU time of the calling thread, or the default clock if the
/// system has no such clock.
fn cpu_clock() -> Clock {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        Clock::new(|| {
            let now = clock_gettime(ClockId::ThreadCPUTime);
            std::time::Duration::new(now.tv_sec.try_into().unwrap_or(0), now.tv_nsec.try_into().unwrap_or(0))
        })
    }
    #[cfg(not(unix))]
    {
        Clock::default()
    }
}

/// The inputs that are the same for all measurements.
struct Bench<'a> {
    rules: Rules,
    kernel: Kernel,
    extent: Extent,
    threads: NonZeroUsize,
    solver: SectionSolver,
    control: &'a Control,
}

impl Bench<'_> {
    fn sockets(&self) -> usize {
        self.rules.shape.sockets()
    }

    /// Computes all boards below a root, and encodes some of them as in temporary files. Returns
    /// three times in seconds: to compute a board without far children, to encode a byte, and to
    /// decode a byte. `far` is the additional time for each far child, as a fraction of the time
    /// for a board.
    fn root(&self, far: f64) -> Result<[f64; 3], SolveError> {
        let marbles = self.sockets() as u32 - self.extent.root;
        let position =
            random::positions(&self.rules, marbles, 1, SEED, true).expect("there are such positions")[0];
        let root = Downstream::new(self.rules, self.kernel, NonZeroUsize::MIN, &position);
        let tables = root.tables();
        let mut workspace = root.workspace(0)?;
        // Run both chains at one parity. The first runs touch the memory, so that the timed runs
        // don't wait for new memory.
        let tasks = &root.tasks(0)[..2];
        let sample = TimedSpill::default();
        for &task in tasks {
            root.run(task, root.empty(), &tables, &mut workspace, &sample, self.control)?;
        }
        let clock = cpu_clock();
        let began = clock.now();
        for &task in tasks {
            root.run(task, 0, &tables, &mut workspace, &sample, self.control)?;
        }
        let boards = root.needs(0, 0).boards as f64 * tasks.len() as f64;
        let board = clock.since(began).as_secs_f64() / boards / (1.0 + far * root.high() as f64);
        let [raw, encode, decode] = sample.0.into_inner().expect("nobody panicked");
        Ok([board, encode / raw.max(1.0), decode / raw.max(1.0)])
    }

    /// Returns the section of a slice whose number of entries is nearest to `entries`.
    fn section(&self, free: usize, entries: u64) -> Section {
        let all = self.solver.sections.standard(self.sockets() - free).into_iter();
        all.min_by_key(|&s| self.solver.grid(s).entries().abs_diff(entries))
            .expect("every slice has sections")
    }

    /// Measures the seconds to compute an entry, and the seconds to copy an entry from a decoded
    /// block of the next slice.
    fn step(&self, free: usize) -> Result<StepRates, SolveError> {
        let (entries, rows) = self.extent.step;
        let section = self.section(free, entries);
        let next: Vec<Section> = self.solver.sections.closure(&[section]).swap_remove(1);
        let grid = self.solver.grid(section);
        let across = u64::from(grid.counts()[3]);
        let all = grid.blocks() / across;
        let rows = all.min(rows * self.threads.get() as u64);
        let [first, end] =
            [(all - rows) / 2, (all + rows) / 2].map(|row| BlockId { array: 0, block: row * across });
        let mut best = StepRates { free, compute: f64::MAX, take: f64::MAX };
        // Use the better of two runs, because the first run waits for new memory.
        for _ in 0..2 {
            let source = CountedReads::default();
            let report = self.solve(
                &[section],
                Next { sections: &next, source: &source },
                &NullSink { counts_alone: false },
                first..end,
            )?;
            let read = source.0.into_inner();
            best.compute = best.compute.min(report.computing.as_secs_f64() / report.entries as f64);
            best.take = best.take.min(report.reading.as_secs_f64() / read.max(1) as f64);
        }
        Ok(best)
    }

    /// Computes the blocks of all slices on which a section depends. Times each codec in the slices
    /// for which the codec has no measured speed yet.
    fn computed(&self, free: usize, entries: u64, codecs: &mut [CodecRates]) -> Result<(), SolveError> {
        let mut next: (Vec<Section>, Memory) = (Vec::new(), Memory::new(&[]));
        let closure = self.solver.sections.closure(&[self.section(free, entries)]);
        for (free, sections) in (0..).zip(closure.into_iter().rev()) {
            let grids: Vec<Grid> = sections.iter().map(|&s| self.solver.grid(s)).collect();
            let values = Memory::new(&grids);
            let every = BlockId { array: 0, block: 0 }..BlockId::END;
            self.solve(&sections, Next { sections: &next.0, source: &next.1 }, &values, every)?;
            let all: u64 = grids.iter().map(Grid::blocks).sum();
            let blocks: Vec<BlockId> = (0u32..)
                .zip(&grids)
                .flat_map(|(array, grid)| (0..grid.blocks()).map(move |block| BlockId { array, block }))
                .step_by(all.div_ceil(self.extent.blocks) as usize)
                .collect();
            for rates in codecs.iter_mut().filter(|rates| rates.speeds.iter().all(|at| at.free != free)) {
                let block = |id: &BlockId| {
                    let array = self.array(sections[id.array as usize]);
                    (array, id.block, values.block(*id).expect("all blocks were put").to_vec())
                };
                rates.speeds.push(self.time(rates.known(), free, || blocks.iter().map(block))?);
            }
            next = (sections, values);
        }
        Ok(())
    }

    /// Times a codec with random values. The guesses are real, and the random values lie within the
    /// bounds of the guesses, so coding takes as long as for real values.
    fn random(&self, free: usize, codec: Codec) -> Result<CodecSpeed, SolveError> {
        let marbles = self.sockets() - free;
        let sections = self.solver.sections.standard(marbles);
        let all: u64 = sections.iter().map(|&s| self.solver.grid(s).entries()).sum();
        let predictor = Predictor::with_kernel(self.rules, marbles as u8, self.kernel);
        let size = Rates::built_in().slices.costs(Codec::QUICK, free).size;
        let number = self.extent.made_up;
        let block = |i| {
            // Choose blocks so that each entry of the slice is equally likely to be in a block.
            let mut entry = (2 * i + 1) * all / (2 * number);
            let within = |&&s: &&Section| {
                let entries = self.solver.grid(s).entries();
                let found = entry < entries;
                entry -= if found { 0 } else { entries };
                found
            };
            let &section = sections.iter().find(within).expect("an entry is in a section");
            let array = self.array(section);
            let block = entry * array.grid.blocks() / array.grid.entries();
            let ranges = array.grid.ranges(block);
            let mut guess = vec![Entry::default(); array.grid.len(block)];
            predictor.guess(section, &ranges, &mut guess);
            let neighbours = Neighbours::Section(self.rules, section, ranges.clone());
            let values = typical(&guess, &neighbours, SEED);
            let values = match codec {
                Codec::Open(Preset::Compact) => values,
                _ => as_small(&values, &guess, &neighbours, size),
            };
            (array, block, values)
        };
        self.time(codec, free, || (0..number).map(block))
    }

    fn array(&self, section: Section) -> ArrayInfo {
        ArrayInfo { key: self.solver.sections.key(section), grid: self.solver.grid(section) }
    }

    /// Measures the seconds to encode and to decode an entry, in blocks of a slice as tables store
    /// them.
    fn time<B: Iterator<Item = (ArrayInfo, u64, Vec<Entry>)>>(
        &self,
        codec: Codec,
        free: usize,
        blocks: impl Fn() -> B + Sync,
    ) -> Result<CodecSpeed, SolveError> {
        let target = Target { rules: self.rules, domain: Domain::Game };
        let slice = (self.sockets() - free) as u8;
        let coder = BlockCodec::new(codec, &target, slice);
        // All predictors of a thread share a buffer with the lines of one block. The reader of a
        // table has to compute these lines, so `decode` must not find them in the buffer. Guessing
        // with a second predictor overwrites the buffer.
        let other = Predictor::with_kernel(self.rules, slice, self.kernel);
        let [encode, decode] = on_all(|| {
            let clock = cpu_clock();
            let mut open = OpenBits::default();
            // The first block is coded twice and timed once, because the first run fills tables and
            // buffers.
            let (mut warm, mut entries) = (false, 0);
            let mut sums = [0.0; 2];
            for (array, block, mut values) in blocks() {
                loop {
                    let guess = coder.guess(&array, block).unwrap_or_default();
                    other.guess(target.section_of(array.key), &array.grid.ranges(block), &mut values.clone());
                    // A build guesses a row while it computes the row, and then packs the row. So
                    // guessing isn't timed as a part of encoding, but packing is.
                    let began = clock.now();
                    let wanted = coder.wants_open_bits();
                    let parts = if wanted { pack(self.kernel, &values, &guess, &mut open) } else { None };
                    let payload = coder.encode(&array, block, &values, parts).expect("consistent");
                    let encode = clock.since(began);
                    let began = clock.now();
                    coder.decode(&array, block, &payload, &mut values).expect("what was encoded");
                    let decode = clock.since(began);
                    if std::mem::replace(&mut warm, true) {
                        sums[0] += encode.as_secs_f64();
                        sums[1] += decode.as_secs_f64();
                        break;
                    }
                }
                entries += values.len();
            }
            Ok(sums.map(|sum| sum / entries.max(1) as f64))
        })?;
        Ok(CodecSpeed { free, encode, decode })
    }

    fn solve(
        &self,
        sections: &[Section],
        next: Next,
        sink: &dyn Sink,
        range: Range<BlockId>,
    ) -> Result<Report, SolveError> {
        self.solver.solve(sections, next, sink, range, self.control).map_err(|error| match error {
            SectionsError::Stopped(stopped) => stopped.into(),
            SectionsError::Missing(section) => unreachable!("{section} is in the closure"),
            SectionsError::Get(error) | SectionsError::Put(error) => SolveError::Spill(error),
        })
    }
}

impl CodecRates {
    fn known(&self) -> Codec {
        self.codec.parse().expect("built-in rates name codecs")
    }
}

/// Makes random values repetitive, until `quick` compresses them as well as real values. `size` is
/// the compressed size of real values as a fraction of their uncompressed size.
fn as_small(typical: &[Entry], guess: &[Entry], neighbours: &Neighbours, size: f64) -> Vec<Entry> {
    let sought = size * size_of_val(typical) as f64;
    let (mut repeats, mut payload) = (0, Vec::new());
    let mut values = typical.to_vec();
    for bit in (11..16).rev() {
        let more = repeating(typical, guess, repeats | 1 << bit, SEED);
        payload.clear();
        open::encode(&more, Some(guess), neighbours, Preset::Quick, &mut payload).expect("consistent");
        if payload.len() as f64 >= sought {
            repeats |= 1 << bit;
            values = more;
        }
    }
    values
}

/// A spill store that encodes and decodes one of every [`EVERY`] units, and discards the result.
/// Its figures are the number of uncompressed bytes, the seconds to encode, and the seconds to
/// decode.
#[derive(Default)]
struct TimedSpill(Mutex<[f64; 3]>);

impl SpillStore for TimedSpill {
    fn put(&self, _: HalfSlice, unit: u64, lines: &[Pack]) -> Result<(), BoxError> {
        if !unit.is_multiple_of(EVERY) || lines.len() > MAX_LINES {
            return Ok(());
        }
        let (mut encoder, mut decoder) = (Encoder::new(Kernel::best())?, Decoder::new(Kernel::best())?);
        let (mut code, mut back) = (Vec::new(), lines.to_vec());
        let clock = cpu_clock();
        let mut times = [0.0; 2];
        // Time only the second run. The first run fills the buffers, which temporary files reuse.
        for _ in 0..2 {
            code.clear();
            let began = clock.now();
            encoder.encode(lines, &mut code)?;
            times[0] = clock.since(began).as_secs_f64();
            let began = clock.now();
            decoder.decode(&code, &mut back)?;
            times[1] = clock.since(began).as_secs_f64();
        }
        let mut all = self.0.lock().expect("nobody panicked");
        *all = [all[0] + size_of_val(lines) as f64, all[1] + times[0], all[2] + times[1]];
        Ok(())
    }
}

/// A source of constant values that counts the entries read. The computation takes the same time
/// for all values.
#[derive(Default)]
struct CountedReads(AtomicU64);

impl Source for CountedReads {
    fn get(&self, _: BlockId, into: &mut [Entry]) -> Result<(), BoxError> {
        self.0.fetch_add(into.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that every speed is measured, that compression ratios don't change, and that a file
    /// restores the rates.
    #[test]
    fn all_speeds_are_measured() {
        let extent =
            Extent { root: 12, step: (20_000, 16), made: [(2, 50_000), (3, 25_000)], blocks: 4, made_up: 2 };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
        let rates = pool.install(|| measure(Kernel::best(), extent, &Control::new())).expect("measured");
        let built_in = Rates::built_in();
        assert!([rates.root.board, rates.root.encode, rates.root.decode].iter().all(|&rate| rate > 0.0));
        assert_eq!(rates.slices.steps.len(), STEPS.len());
        assert!(rates.slices.steps.iter().all(|step| step.compute > 0.0 && step.take > 0.0));
        for (codec, built_in) in rates.slices.codecs.iter().zip(&built_in.slices.codecs) {
            assert_eq!((&codec.codec, &codec.sizes), (&built_in.codec, &built_in.sizes));
            let free: Vec<usize> = codec.speeds.iter().map(|speed| speed.free).collect();
            assert_eq!(free, [0, 1, 2, 3, 5, 8, 12, 18, 27]);
            assert!(codec.speeds.iter().all(|speed| speed.encode > 0.0 && speed.decode > 0.0), "{codec:?}");
        }
        let text = serde_json::to_string(&rates).expect("written");
        let read: Rates = serde_json::from_str(&text).expect("read");
        // Writing and parsing may change the last digit of a number.
        assert!((read.root.board / rates.root.board - 1.0).abs() < 1e-12);
        assert_eq!(read.slices.codecs.len(), rates.slices.codecs.len());
    }
}
