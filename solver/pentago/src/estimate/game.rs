//! Estimates for slices of a complete game, from the speed of this machine in computing and
//! compressing sections of the game itself.

use super::codec_rates::{CodecCosts, CodecRates, between};
use super::cpu_clock;
use super::slices::{GameEstimate, SliceEstimate};
use crate::build::share::{Memory, Schedule, Stretches, WAITING, all_rows};
use crate::build::{GameBuild, Resources};
use crate::codec::Codec;
use crate::index::Section;
use crate::kernel::Kernel;
use crate::rules::Rules;
use crate::solve::{Next, Report, RowPlan, SectionSolver, SectionsError, SolveError};
use crate::values::{self, BlockId, Entry, Grid, NullSink, Sink, Source};
use pentago_base::Control;
use pentago_store::{PAGE_BLOCKS, RECORD_BYTES};
use std::convert::Infallible;
use std::num::NonZeroUsize;

/// The speed of this machine.
struct GameCalibration {
    solver: SectionSolver,
    rules: Rules,
    /// By number of marbles, in ascending order: seconds to compute an entry, and to take one from
    /// a decoded block of the next slice.
    steps: Vec<(usize, f64, f64)>,
    codecs: Vec<(Codec, CodecCosts)>,
}

/// A slice that is to be estimated.
struct SlicePlan<'a> {
    sections: &'a [Section],
    /// Those of the next slice, in the order of their keys; empty if there is none.
    next: &'a [Section],
    /// None, if it is only counted.
    codec: Option<Codec>,
    is_kept: bool,
    /// Whether a copy is written first.
    has_copy: bool,
    /// The codec of the file of the next slice that is read, and whether that is deleted.
    next_codec: Codec,
    next_is_passed: bool,
    /// Bytes of the later slices that stay.
    kept_before: u64,
    /// Bytes of memory.
    memory: u64,
    threads: usize,
}

/// Free sockets of the slices in which the computation is timed.
const STEPS: [usize; 7] = [1, 4, 8, 14, 20, 26, 32];
/// Approximate number of entries of the timed section.
const STEP_ENTRIES: u64 = if cfg!(test) { 20_000 } else { 500_000 };
/// Free sockets of the slices whose blocks are made for the codec, and entries of the section that
/// they are taken from: blocks of small sections are coded faster than those that most positions
/// belong to. Tests look at what isn't timed.
const CODECS: [(usize, u64); 2] =
    if cfg!(test) { [(2, 50_000), (3, 25_000)] } else { [(2, 5_000_000), (3, 2_500_000)] };
/// Memory for its pieces: they all fit.
const MEMORY: u64 = 1 << 30;

impl GameCalibration {
    /// Runs the measurements, which take a few seconds of CPU time: with one thread, and by a clock
    /// that doesn't count what other programs take.
    fn new(
        rules: Rules,
        kernel: Kernel,
        codecs: &[Codec],
        control: &Control,
    ) -> Result<GameCalibration, SolveError> {
        let solver = SectionSolver::new(rules, kernel, NonZeroUsize::MIN, MEMORY).with_clock(cpu_clock());
        let codecs = codecs.iter().map(|&codec| (codec, CodecCosts::default())).collect();
        let mut calibration = GameCalibration { solver, rules, steps: Vec::new(), codecs };
        let sockets = rules.shape.sockets();
        for free in STEPS.into_iter().filter(|&free| free < sockets).rev() {
            let (compute, read) = calibration.time_step(sockets - free, control)?;
            calibration.steps.push((sockets - free, compute, read));
        }
        for (free, entries) in CODECS {
            calibration.time_codecs(calibration.typical(sockets - free, entries), control)?;
        }
        for (codec, costs) in &mut calibration.codecs {
            costs.add_made_up(&calibration.solver, rules, *codec, kernel);
        }
        Ok(calibration)
    }

    /// Times the codecs in all slices that a section depends on, its own first, where that isn't
    /// known yet.
    fn time_codecs(&mut self, section: Section, control: &Control) -> Result<(), SolveError> {
        let solver = &self.solver;
        let mut next: (Vec<Section>, values::Memory) = (Vec::new(), values::Memory::new(&[]));
        for sections in solver.sections().closure(&[section]).into_iter().rev() {
            let grids: Vec<Grid> = sections.iter().map(|&s| solver.grid(s)).collect();
            let values = values::Memory::new(&grids);
            let (there, source) = &next;
            run(solver, &sections, Next { sections: there, source }, &values, control)?;
            for (codec, costs) in &mut self.codecs {
                costs.add(self.rules, *codec, &sections, &grids, &values);
            }
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

    /// Seconds to compute an entry, and to take one from a decoded block.
    fn step(&self, marbles: usize) -> (f64, f64) {
        let line = |of: fn(&(usize, f64, f64)) -> f64| {
            let points: Vec<(f64, f64)> = self.steps.iter().map(|step| (step.0 as f64, of(step))).collect();
            between(&points, marbles as f64)
        };
        (line(|step| step.1), line(|step| step.2))
    }

    fn costs(&self, codec: Codec, marbles: usize) -> CodecRates {
        let found = self.codecs.iter().find(|(known, _)| *known == codec);
        let sockets = self.rules.shape.sockets();
        found.map_or(CodecRates::default(), |(_, costs)| costs.at(codec, marbles.min(sockets), sockets))
    }

    /// Bytes of an entry in a table of these sections, with its part of the block index.
    fn stored(&self, codec: Codec, marbles: usize, sections: &[Section]) -> f64 {
        let of = |each: fn(&Grid) -> u64| sections.iter().map(|&s| each(&self.solver.grid(s))).sum::<u64>();
        let index = (of(Grid::blocks) * RECORD_BYTES as u64) as f64 / of(Grid::entries).max(1) as f64;
        self.costs(codec, marbles).bytes + index
    }

    /// Bytes of a table of these sections.
    fn table_bytes(&self, marbles: u8, sections: &[Section], codec: Codec) -> u64 {
        let entries: u64 = sections.iter().map(|&s| self.solver.grid(s).entries()).sum();
        (entries as f64 * self.stored(codec, marbles.into(), sections)) as u64
    }

    /// The estimate for some sections of a slice.
    fn slice(&self, marbles: u8, wanted: &SlicePlan) -> SliceEstimate {
        let (solver, sections) = (&self.solver, wanted.sections);
        let entries_of = |sections: &[Section]| -> Vec<u64> {
            sections.iter().map(|&s| solver.grid(s).entries()).collect()
        };
        let blocks_of = |sections: &[Section]| sections.iter().map(|&s| solver.grid(s).blocks()).sum::<u64>();
        let (own, next) = (entries_of(sections), entries_of(wanted.next));
        let (entries, next_entries) = (own.iter().sum::<u64>(), next.iter().sum::<u64>());
        let (blocks, next_blocks) = (blocks_of(sections), blocks_of(wanted.next));
        let schedule = Schedule::new(solver.sections(), self.rules.shape, sections, wanted.next);
        let row = sections.iter().map(|&s| solver.least_memory(s)).max().unwrap_or(0);
        let memory = Memory::of(wanted.memory, wanted.threads);
        let [read, decoded] = if solver.needs_next(marbles.into()) {
            let stretches = Stretches::new(solver.sections(), sections);
            let plans: Vec<RowPlan> = stretches
                .each
                .iter()
                .map(|stretch| stretches.plan(stretch, &all_rows(&stretch.grid), memory))
                .collect();
            // The children are listed without those by full quadrants.
            let there = |section: Section| move |&q: &usize| section.child(self.rules.shape, q).is_some();
            let sections = stretches.each.iter().map(|stretch| stretch.section);
            let times: Vec<Vec<f64>> = sections
                .zip(&plans)
                .map(|(section, plan)| (0..4).filter(there(section)).map(|q| plan.times[q]).collect())
                .collect();
            let of = |(children, times): (&Vec<u32>, &Vec<f64>)| -> f64 {
                children.iter().zip(times).map(|(&child, times)| next[child as usize] as f64 * times).sum()
            };
            let read = schedule.children.iter().zip(&times).map(of).sum();
            debug_assert!(schedule.children.iter().zip(&times).all(|(c, times)| c.len() == times.len()));
            let times = |parent: usize, child: usize| times[parent][child];
            let room = |parent: usize| memory.for_blocks(plans[parent].bytes()) / size_of::<Entry>() as u64;
            [read, schedule.decoded(&next, room, times)]
        } else {
            [0.0; 2]
        };

        let marbles_of_next = usize::from(marbles) + 1;
        let (compute, take) = self.step(marbles.into());
        let rates = |codec: Codec| self.costs(codec, marbles.into());
        let codec = wanted.codec.map_or(CodecRates::default(), rates);
        let copy = if wanted.has_copy { rates(Codec::PASSED) } else { CodecRates::default() };
        let next_codec = self.costs(wanted.next_codec, marbles_of_next);
        let size = |codec: Codec| entries as f64 * self.stored(codec, marbles.into(), sections);
        let table_bytes = wanted.codec.map_or(0.0, size);
        let copy_bytes = if wanted.has_copy { size(Codec::PASSED) } else { 0.0 };

        // What is written while the next slice is read.
        let first = if wanted.has_copy { copy_bytes } else { table_bytes };
        let each = first / entries.max(1) as f64;
        let next_each = self.stored(wanted.next_codec, marbles_of_next, wanted.next);
        let bytes =
            |entries: &[u64], each: f64| entries.iter().map(|&n| n as f64 * each).collect::<Vec<f64>>();
        let most = match (wanted.next_is_passed, wanted.codec) {
            (false, _) => first,
            // Who only counts frees nothing.
            (true, None) => next_entries as f64 * next_each,
            (true, Some(_)) => schedule.most_bytes(&bytes(&own, each), &bytes(&next, next_each)),
        };
        // Then, if there is a copy, it is compressed.
        let most = most.max(copy_bytes + table_bytes);
        SliceEstimate {
            marbles,
            sections: sections.len() as u64,
            entries,
            raw_bytes: entries * size_of::<Entry>() as u64,
            codec: wanted.codec,
            is_kept: wanted.is_kept,
            table_bytes: table_bytes as u64,
            copy_bytes: copy_bytes as u64,
            disk_bytes: wanted.kept_before + most as u64,
            // Each thread holds one more piece between two rows.
            memory_bytes: 2 * row * wanted.threads as u64
                + (blocks + next_blocks).div_ceil(PAGE_BLOCKS) * RECORD_BYTES as u64
                + WAITING,
            decodes: if next_entries == 0 { 0.0 } else { decoded / next_entries as f64 },
            kernel_seconds: entries as f64 * compute + read * take,
            encode_seconds: entries as f64 * (codec.encoding + copy.encoding),
            decode_seconds: decoded * next_codec.decoding + entries as f64 * copy.decoding,
            // A copy is written, and read once to compress it.
            io_bytes: (table_bytes + 2.0 * copy_bytes + decoded * next_codec.bytes) as u64,
        }
    }
}

impl GameBuild {
    /// Estimates the cost of these slices, by measuring for some seconds.
    ///
    /// # Errors
    /// If it was cancelled.
    pub fn estimate(
        &self,
        slices: &[u8],
        resources: &Resources,
        control: &Control,
    ) -> Result<GameEstimate, SolveError> {
        let rules = self.target().rules;
        let both = slices.iter().flat_map(|&slice| [slice, slice + 1].map(|slice| self.codec_of(slice)));
        let copies = slices.iter().filter(|&&slice| self.has_copy(slice)).map(|_| Codec::PASSED);
        let mut codecs: Vec<Codec> = both.chain(copies).collect();
        codecs.sort_unstable_by_key(ToString::to_string);
        codecs.dedup();
        let calibration = GameCalibration::new(rules, resources.kernel, &codecs, control)?;
        let most = rules.shape.sockets() as u8;
        let (mut estimates, mut kept) = (Vec::new(), 0);
        for (at, &slice) in slices.iter().enumerate() {
            let counted = self.counts_only && slice == self.down_to;
            let is_kept = !counted && self.stays(slice);
            let next = if slice == most { Vec::new() } else { self.sections(slice + 1).0 };
            let (sections, _) = self.sections(slice);
            // A slice that is there has no copy.
            let next_has_copy = at > 0 && self.has_copy(slice + 1);
            if at == 0 && self.stays(slice + 1) {
                kept = calibration.table_bytes(slice + 1, &next, self.codec_of(slice + 1));
            }
            let wanted = SlicePlan {
                sections: &sections,
                next: &next,
                codec: (!counted).then(|| self.codec_of(slice)),
                is_kept,
                has_copy: self.has_copy(slice),
                next_codec: if next_has_copy { Codec::PASSED } else { self.codec_of(slice + 1) },
                next_is_passed: next_has_copy || !self.stays(slice + 1),
                kept_before: kept,
                memory: resources.memory,
                threads: resources.threads.get(),
            };
            let estimate: SliceEstimate = calibration.slice(slice, &wanted);
            kept += if is_kept { estimate.table_bytes } else { 0 };
            estimates.push(estimate);
        }
        Ok(GameEstimate { slices: estimates })
    }
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
    control.check()?;
    solver.solve(sections, next, sink, .., &own).map_err(|error| match error {
        SectionsError::Stopped(stopped) => stopped.into(),
        SectionsError::Missing(section) => unreachable!("{section} is in the closure"),
        SectionsError::Get(never) | SectionsError::Put(never) => match never {},
    })
}

/// Meaningless values that cost nothing: they don't affect the time of the computation.
struct Blank;

impl Source for Blank {
    type Error = Infallible;

    fn get(&self, _: BlockId, _: &mut [Entry]) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::Kernel;
    use crate::build::{GameBuild, Resources};
    use crate::codec::Codec;
    use crate::rules::Rules;
    use pentago_base::Control;
    use std::num::NonZeroUsize;

    /// All figures that aren't measured are exact, and what is measured is there.
    #[test]
    fn sizes_are_exact() {
        let resources = Resources {
            kernel: Kernel::best(),
            threads: NonZeroUsize::MIN,
            // So much that the rows of each section share what they read.
            memory: 1 << 42,
            scratch: "scratch".into(),
            scratch_limit: 0,
        };
        let build = GameBuild::new(Rules::default(), 0).keep_slices(0..=18);
        let estimate = build.estimate(&build.slices(), &resources, &Control::new()).expect("measured");
        assert_eq!(estimate.slices.len(), 37);
        let mut kept = 0;
        for slice in &estimate.slices {
            assert_eq!(slice.raw_bytes, 64 * slice.entries);
            let codec = if slice.marbles <= 18 { Codec::KEPT } else { Codec::PASSED };
            assert_eq!((slice.codec, slice.is_kept), (Some(codec), slice.marbles <= 18));
            assert!(slice.kernel_seconds > 0.0 && slice.encode_seconds > 0.0, "{slice:?}");
            assert!(slice.table_bytes < slice.raw_bytes / 2 || slice.entries < 1000, "{slice:?}");
            // Each block of the next slice once at least, and about four times at most.
            let decodes = if slice.marbles == 36 { 0.0..=0.0 } else { 0.99..=4.5 };
            assert!(decodes.contains(&slice.decodes), "{slice:?}");
            let has_copy = (1..=18).contains(&slice.marbles);
            assert_eq!(slice.copy_bytes > slice.table_bytes, has_copy, "{slice:?}");
            assert!(slice.disk_bytes >= kept + slice.table_bytes + slice.copy_bytes, "{slice:?}");
            kept += if slice.is_kept { slice.table_bytes } else { 0 };
        }
        let sections_and_entries =
            |n: u8| estimate.slices.iter().find(|s| s.marbles == n).map(|s| (s.sections, s.entries));
        assert_eq!(sections_and_entries(0), Some((1, 1)));
        assert_eq!(sections_and_entries(6), Some((59, 105_628)));
        assert_eq!(sections_and_entries(35), Some((330, 119_704_992)));
        assert_eq!(estimate.kept_bytes(), kept);
        // The disk never holds two whole slices.
        let tables = estimate.slices.windows(2).map(|pair| pair[0].table_bytes + pair[1].table_bytes);
        assert!(estimate.disk_bytes() < tables.max().expect("slices"));

        let counted = GameBuild::new(Rules::default(), 35).counts_only();
        let estimate = counted.estimate(&[35], &resources, &Control::new()).expect("measured");
        let [slice] = estimate.slices[..] else { panic!("one slice") };
        assert_eq!((slice.codec, slice.table_bytes, slice.encode_seconds), (None, 0, 0.0));
        assert!(slice.seconds(1, None) >= slice.core_seconds());
        assert!(slice.seconds(64, Some(1)) >= slice.io_bytes as f64);
    }
}
