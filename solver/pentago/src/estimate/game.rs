//! What slices of a complete game take: CPU time by kind of work, memory, and the disk at each
//! moment.

use super::Cost;
use crate::make::share::{Memory, Schedule, Stretches, WAITING, all_rows};
use crate::make::{GameBuild, Resources};
use crate::rates::{EntryCosts, Rates, SliceRates};
use pentago_core::index::Section;
use pentago_core::rules::Rules;
use pentago_core::solve::{RowPlan, SectionSolver};
use pentago_core::values::Entry;
use pentago_store::{PAGE_BLOCKS, RECORD_BYTES};
use pentago_tables::codec::Codec;
use pentago_tables::tables::bytes_around;

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
    /// How its blocks are encoded; None if they are only counted.
    pub codec: Option<Codec>,
    /// Whether its table stays.
    pub is_kept: bool,
    /// Size of its table in bytes.
    pub table_bytes: u64,
    /// Size in bytes of its copy, which the slice before it is computed from; 0 if its table is.
    pub copy_bytes: u64,
    /// The most disk space in use while it is built, in bytes: its table or its copy as far as it is
    /// written and what is left of the next slice, or both of its own when it is compressed; and the
    /// slices that stay.
    pub disk_bytes: u64,
    /// Least memory in bytes. With less than the pieces of a section need, blocks are decoded more
    /// often.
    pub memory_bytes: u64,
    /// How often each block of the next slice is decoded, on average.
    pub decodes: f64,
    /// What it costs: decoding is that of the next slice's blocks, and of its own copy.
    pub cost: Cost,
}

/// The estimate for several slices.
#[derive(Clone, Debug)]
pub struct GameEstimate {
    /// By slice, in the order of building.
    pub slices: Vec<SliceEstimate>,
}

impl GameEstimate {
    /// CPU time in seconds.
    #[must_use]
    pub fn core_seconds(&self) -> f64 {
        self.slices.iter().map(|slice| slice.cost.core_seconds()).sum()
    }

    /// Time in seconds with `cores` cores and a disk of this speed in bytes per second.
    #[must_use]
    pub fn seconds(&self, cores: usize, disk_speed: Option<u64>) -> f64 {
        self.slices.iter().map(|slice| slice.cost.seconds(cores, disk_speed)).sum()
    }

    /// Size of all tables that stay, in bytes.
    #[must_use]
    pub fn kept_bytes(&self) -> u64 {
        self.slices.iter().filter(|slice| slice.is_kept).map(|slice| slice.table_bytes).sum()
    }

    /// The most disk space in use at any time, in bytes.
    #[must_use]
    pub fn disk_bytes(&self) -> u64 {
        self.slices.iter().map(|slice| slice.disk_bytes).max().unwrap_or(0)
    }

    /// Memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        self.slices.iter().map(|slice| slice.memory_bytes).max().unwrap_or(0)
    }
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

/// What estimates are made with.
struct Estimator<'a> {
    solver: SectionSolver,
    rules: Rules,
    rates: &'a SliceRates,
}

impl Estimator<'_> {
    fn costs(&self, codec: Codec, marbles: usize) -> EntryCosts {
        self.rates.costs(codec, self.free(marbles))
    }

    fn free(&self, marbles: usize) -> usize {
        self.rules.shape.sockets().saturating_sub(marbles)
    }

    /// Bytes of a table of these sections; 0 if there are none.
    fn table_bytes(&self, marbles: usize, sections: &[Section], codec: Codec) -> f64 {
        let each = size_of::<Entry>() as f64 * self.costs(codec, marbles).size;
        let (mut payloads, mut blocks) = (0.0, 0);
        for grid in sections.iter().map(|&section| self.solver.grid(section)) {
            // However few entries a block has, its payload doesn't get shorter than that.
            let least = self.rates.block_bytes * grid.blocks() as f64;
            payloads += least.max(each * grid.entries() as f64);
            blocks += grid.blocks();
        }
        let around = if sections.is_empty() { 0 } else { bytes_around(sections.len(), blocks) };
        payloads + around as f64
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
        let [compute, take] = self.rates.step(self.free(marbles.into()));
        let rates = |codec: Codec| self.costs(codec, marbles.into());
        let codec = wanted.codec.map_or(EntryCosts::default(), rates);
        let copy = if wanted.has_copy { rates(Codec::QUICK) } else { EntryCosts::default() };
        let next_codec = self.costs(wanted.next_codec, marbles_of_next);
        let read_each = size_of::<Entry>() as f64 * next_codec.size;
        let size = |codec: Codec| self.table_bytes(marbles.into(), sections, codec);
        let table_bytes = wanted.codec.map_or(0.0, size);
        let copy_bytes = if wanted.has_copy { size(Codec::QUICK) } else { 0.0 };

        // What is written while the next slice is read.
        let first = if wanted.has_copy { copy_bytes } else { table_bytes };
        let each = first / entries.max(1) as f64;
        let next_bytes = self.table_bytes(marbles_of_next, wanted.next, wanted.next_codec);
        let next_each = next_bytes / next_entries.max(1) as f64;
        let bytes =
            |entries: &[u64], each: f64| entries.iter().map(|&n| n as f64 * each).collect::<Vec<f64>>();
        let most = match (wanted.next_is_passed, wanted.codec) {
            (false, _) => first,
            // Who only counts frees nothing.
            (true, None) => next_bytes,
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
                + WAITING.min(wanted.memory / 8),
            decodes: if next_entries == 0 { 0.0 } else { decoded / next_entries as f64 },
            cost: Cost {
                kernel_seconds: entries as f64 * compute + read * take,
                encode_seconds: entries as f64 * (codec.encode + copy.encode),
                decode_seconds: decoded * next_codec.decode + entries as f64 * copy.decode,
                // A copy is written, and read once to compress it.
                io_bytes: (table_bytes + 2.0 * copy_bytes + decoded * read_each) as u64,
            },
        }
    }
}

impl GameBuild {
    /// Estimates the cost of these slices.
    #[must_use]
    pub fn estimate(&self, slices: &[u8], resources: &Resources, rates: &Rates) -> GameEstimate {
        let rules = self.target().rules;
        let estimator = Estimator { solver: self.solver(resources), rules, rates: &rates.slices };
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
                let codec = self.codec_of(slice + 1);
                kept = estimator.table_bytes(usize::from(slice) + 1, &next, codec) as u64;
            }
            let wanted = SlicePlan {
                sections: &sections,
                next: &next,
                codec: (!counted).then(|| self.codec_of(slice)),
                is_kept,
                has_copy: self.has_copy(slice),
                next_codec: if next_has_copy { Codec::QUICK } else { self.codec_of(slice + 1) },
                next_is_passed: next_has_copy || !self.stays(slice + 1),
                kept_before: kept,
                memory: resources.memory,
                threads: resources.threads.get(),
            };
            let estimate: SliceEstimate = estimator.slice(slice, &wanted);
            kept += if is_kept { estimate.table_bytes } else { 0 };
            estimates.push(estimate);
        }
        GameEstimate { slices: estimates }
    }
}

#[cfg(test)]
mod tests {
    use crate::Kernel;
    use crate::make::{GameBuild, Resources};
    use crate::rates::Rates;
    use pentago_core::rules::Rules;
    use pentago_tables::codec::Codec;
    use std::num::NonZeroUsize;

    /// Counts are exact, and all costs are there.
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
        let build = GameBuild::new(Rules::default(), 0).keep_slices(0..=18).codec(Codec::COMPACT);
        let estimate = build.estimate(&build.slices(), &resources, Rates::built_in());
        assert_eq!(estimate.slices.len(), 37);
        let mut kept = 0;
        for slice in &estimate.slices {
            assert_eq!(slice.raw_bytes, 64 * slice.entries);
            let codec = if slice.marbles <= 18 { Codec::COMPACT } else { Codec::QUICK };
            assert_eq!((slice.codec, slice.is_kept), (Some(codec), slice.marbles <= 18));
            assert!(slice.cost.kernel_seconds > 0.0 && slice.cost.encode_seconds > 0.0, "{slice:?}");
            assert!(slice.table_bytes < slice.raw_bytes / 2 || slice.entries < 1000, "{slice:?}");
            // Each block of the next slice once at least, and about four times at most.
            let decodes = if slice.marbles == 36 { 0.0..=0.0 } else { 0.99..=4.5 };
            assert!(decodes.contains(&slice.decodes), "{slice:?}");
            let has_copy = (1..=18).contains(&slice.marbles);
            assert_eq!(slice.copy_bytes >= slice.table_bytes, has_copy, "{slice:?}");
            // Of few values the smallest payloads are equally large.
            let is_small = slice.table_bytes < 1_000_000;
            assert!(slice.copy_bytes != slice.table_bytes || is_small, "{slice:?}");
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
        let estimate = counted.estimate(&[35], &resources, Rates::built_in());
        let [slice] = estimate.slices[..] else { panic!("one slice") };
        assert_eq!((slice.codec, slice.table_bytes, slice.cost.encode_seconds), (None, 0, 0.0));
        assert!(slice.cost.seconds(1, None) >= slice.cost.core_seconds());
        assert!(slice.cost.seconds(64, Some(1)) >= slice.cost.io_bytes as f64);
    }
}
