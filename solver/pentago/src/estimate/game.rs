//! Estimates for slices of a complete game: CPU time by kind of work, memory, and disk space over
//! time.

use super::sections::payloads;
use super::{BuildEstimate, SliceEstimate};
use crate::make::share::{Memory, Schedule, Stretches, all_rows};
use crate::make::{FREEING_STEPS, GameBuild, Resources, least_memory};
use crate::rates::{EntryCosts, Rates, SliceRates};
use pentago_core::index::Section;
use pentago_core::rules::Shape;
use pentago_core::solve::{RowPlan, SectionSolver};
use pentago_core::values::{Entry, Grid};
use pentago_store::LOCK_BYTES;
use pentago_tables::codec::Codec;
use pentago_tables::tables::{bytes_around, journal_bytes};

impl GameBuild {
    /// Estimates the cost of building `slices`, in this order.
    pub fn estimate(&self, slices: &[u8], resources: &Resources, rates: &Rates) -> BuildEstimate {
        let (solver, shape) = (self.solver(resources), self.target().rules.shape);
        let payloads = payloads(self, &solver);
        let estimator = Estimator { build: self, solver, payloads, shape, resources, rates: &rates.slices };
        let mut kept_bytes = slices.first().map_or(0, |&first| estimator.kept_before(first));
        let mut estimates: Vec<SliceEstimate> = Vec::new();
        for &slice in slices {
            // The first slice is computed from an existing table. Only tables that this build
            // writes have copies.
            let next_has_copy = !estimates.is_empty() && self.has_copy(slice + 1);
            let estimate = estimator.slice(slice, next_has_copy, kept_bytes);
            kept_bytes += if estimate.is_kept { estimate.table_bytes } else { 0 };
            estimates.push(estimate);
        }
        let kept = || estimates.iter().filter(|slice| slice.is_kept);
        BuildEstimate {
            target: self.target().to_string(),
            boards: estimates.iter().map(|slice| slice.entries).sum(),
            unit: "supers",
            kept_boards: kept().map(|slice| slice.entries).sum(),
            kept_slices: kept().map(|slice| slice.marbles).collect(),
            memory_bytes: estimates.iter().map(|slice| slice.memory_bytes).max().unwrap_or(0),
            raw_bytes: Some(estimates.iter().map(|slice| slice.raw_bytes).sum()),
            kept_bytes: kept().map(|slice| slice.table_bytes).sum(),
            disk_bytes: estimates.iter().map(|slice| slice.disk_bytes).max().unwrap_or(0),
            core_seconds: estimates.iter().map(|slice| slice.core_seconds).sum(),
            cores: resources.threads.get(),
            seconds: estimates.iter().map(|slice| slice.seconds).sum(),
            slices: estimates,
            ..BuildEstimate::default()
        }
    }
}

/// The unit in bytes in which file systems free parts of a file.
const PAGE_BYTES: usize = 4096;

/// The inputs that are the same for all slices of a build.
struct Estimator<'a> {
    build: &'a GameBuild,
    solver: SectionSolver,
    /// The result of [`payloads`].
    payloads: Vec<(u8, Codec, f64)>,
    shape: Shape,
    resources: &'a Resources,
    rates: &'a SliceRates,
}

impl Estimator<'_> {
    fn costs(&self, codec: Codec, marbles: u8) -> EntryCosts {
        self.rates.costs(codec, self.free(marbles))
    }

    fn free(&self, marbles: u8) -> usize {
        self.shape.sockets().saturating_sub(marbles.into())
    }

    /// Returns the sections of a slice that the build needs. The list is empty if `marbles` exceeds
    /// the number of sockets.
    fn sections(&self, marbles: u8) -> Vec<Section> {
        if usize::from(marbles) > self.shape.sockets() { Vec::new() } else { self.build.sections(marbles).0 }
    }

    /// Returns the number of entries of each section.
    fn entries(&self, sections: &[Section]) -> Vec<u64> {
        sections.iter().map(|&section| self.solver.grid(section).entries()).collect()
    }

    /// Returns the size in bytes of a table of these sections. The size is 0 if there are no
    /// sections.
    fn table_bytes(&self, marbles: u8, sections: &[Section], codec: Codec) -> f64 {
        let grids = || sections.iter().map(|&section| self.solver.grid(section));
        let known = self.payloads.iter().find(|at| (at.0, at.1) == (marbles, codec));
        let payloads = known.map_or_else(
            || {
                let each = size_of::<Entry>() as f64 * self.costs(codec, marbles).size;
                // Each payload has a minimum size, even if its block has few entries.
                let least = |grid: &Grid| self.rates.block_bytes * grid.blocks() as f64;
                grids().map(|grid| least(&grid).max(each * grid.entries() as f64)).sum()
            },
            |&(.., bytes)| bytes,
        );
        let blocks = grids().map(|grid| grid.blocks()).sum();
        let around = if sections.is_empty() { 0 } else { bytes_around(sections.len(), blocks) };
        payloads + around as f64
    }

    /// Returns the size in bytes of the table from which the first slice of a build is computed, or
    /// 0 if this table is not kept.
    fn kept_before(&self, first: u8) -> u64 {
        let next = first + 1;
        if !self.build.stays(next) {
            return 0;
        }
        self.table_bytes(next, &self.sections(next), self.build.codec_of(next)) as u64
    }

    /// Estimates one slice. `kept_bytes` is the total size of the kept tables of slices with more
    /// marbles.
    fn slice(&self, marbles: u8, next_has_copy: bool, kept_bytes: u64) -> SliceEstimate {
        let build = self.build;
        let (sections, next) = (self.sections(marbles), self.sections(marbles + 1));
        let [own_entries, next_entries] = [&sections, &next].map(|sections| self.entries(sections));
        let [entries, all_next] = [&own_entries, &next_entries].map(|each| each.iter().sum::<u64>());
        let schedule = Schedule::new(self.solver.sections, self.shape, &sections, &next);
        let [taken, decoded] = self.reads(marbles, &sections, &schedule, &next_entries);

        let is_counted = build.counts_only && marbles == build.down_to;
        let codec = (!is_counted).then(|| build.codec_of(marbles));
        let (has_copy, is_kept) = (build.has_copy(marbles), !is_counted && build.stays(marbles));
        let next_codec = if next_has_copy { Codec::QUICK } else { build.codec_of(marbles + 1) };
        let size = |codec| self.table_bytes(marbles, &sections, codec);
        let table_bytes = codec.map_or(0.0, size);
        let copy_bytes = if has_copy { size(Codec::QUICK) } else { 0.0 };
        // The entries and the size of the file that is written while the next slice is read.
        let first = (&own_entries[..], if has_copy { copy_bytes } else { table_bytes });
        let next_file = (&next_entries[..], self.table_bytes(marbles + 1, &next, next_codec));
        let is_freed = next_has_copy || !build.stays(marbles + 1);
        let while_computed = peak_bytes(&schedule, first, next_file, is_freed, is_counted);
        // If there is a copy, it is compressed into the table once the slice is computed. At that
        // time, both files exist.
        let blocks = sections.iter().map(|&section| self.solver.grid(section).blocks()).sum();
        let peak_bytes = while_computed.max(copy_bytes + table_bytes) as u64 + journal_bytes(blocks);

        let costs = |codec| self.costs(codec, marbles);
        let own = codec.map_or(EntryCosts::default(), costs);
        let copy = if has_copy { costs(Codec::QUICK) } else { EntryCosts::default() };
        let of_next = self.costs(next_codec, marbles + 1);
        let [compute, take] = self.rates.step(self.free(marbles));
        let kernel_seconds = entries as f64 * compute + taken * take;
        let encode_seconds = entries as f64 * (own.encode + copy.encode);
        let decode_seconds = decoded * of_next.decode + entries as f64 * copy.decode;
        let core_seconds = kernel_seconds + encode_seconds + decode_seconds;
        // A copy is written once, and then read once to be compressed.
        let read_each = size_of::<Entry>() as f64 * of_next.size;
        let io_bytes = (table_bytes + 2.0 * copy_bytes + decoded * read_each) as u64;
        SliceEstimate {
            marbles,
            sections: sections.len() as u64,
            entries,
            raw_bytes: entries * size_of::<Entry>() as u64,
            codec,
            is_kept,
            table_bytes: table_bytes as u64,
            copy_bytes: copy_bytes as u64,
            disk_bytes: kept_bytes + peak_bytes + LOCK_BYTES,
            memory_bytes: least_memory(&self.solver, &sections, self.resources.threads),
            decodes: if all_next == 0 { 0.0 } else { decoded / all_next as f64 },
            io_bytes,
            kernel_seconds,
            encode_seconds,
            decode_seconds,
            core_seconds,
            seconds: core_seconds / self.resources.threads.get() as f64,
        }
    }

    /// Returns two counts of entries of the next slice: the entries that rows take from decoded
    /// blocks, and the entries of the blocks that are decoded. `next` lists the number of entries
    /// in each section of the next slice.
    fn reads(&self, marbles: u8, sections: &[Section], schedule: &Schedule, next: &[u64]) -> [f64; 2] {
        if !self.solver.needs_next(marbles.into()) {
            return [0.0; 2];
        }
        let memory = Memory::of(self.resources.memory, self.resources.threads.get());
        let stretches = Stretches::new(self.solver.sections, sections);
        let plans: Vec<RowPlan> = stretches
            .each
            .iter()
            .map(|stretch| stretches.plan(stretch, &all_rows(&stretch.grid), memory))
            .collect();
        let (mut taken, mut times) = (0.0, Vec::new());
        for ((children, stretch), plan) in schedule.children.iter().zip(&stretches.each).zip(&plans) {
            // If a quadrant is full, no marble can be added there, so the schedule lists no child.
            let has_child = |&q: &usize| stretch.section.child(self.shape, q).is_some();
            let of_children: Vec<f64> = (0..4).filter(has_child).map(|q| plan.times[q]).collect();
            debug_assert_eq!(children.len(), of_children.len());
            let entries = children.iter().map(|&child| next[child as usize] as f64);
            taken += entries.zip(&of_children).map(|(entries, times)| entries * times).sum::<f64>();
            times.push(of_children);
        }
        let room = |parent: usize| memory.for_blocks(plans[parent].bytes()) / size_of::<Entry>() as u64;
        [taken, schedule.decoded(next, room, |parent, child| times[parent][child])]
    }
}

/// Returns the peak disk usage in bytes while a slice is computed. Each file is given by its
/// numbers of entries per section and by its size in bytes. The file of the next slice is included
/// only if the build frees it.
fn peak_bytes(
    schedule: &Schedule,
    (own, own_bytes): (&[u64], f64),
    (next, next_bytes): (&[u64], f64),
    is_freed: bool,
    is_counted: bool,
) -> f64 {
    match (is_freed, is_counted) {
        (false, _) => own_bytes,
        // If values are only counted, the file of the next slice is not freed in parts.
        (true, true) => next_bytes,
        (true, false) => {
            let most = schedule.most_bytes(&by_section(own, own_bytes), &by_section(next, next_bytes));
            // The remainder of a page that is freed in part stays on the disk.
            let late = next_bytes / FREEING_STEPS as f64 + (PAGE_BYTES * next.len()) as f64;
            (most + late).min(own_bytes + next_bytes)
        }
    }
}

/// Distributes the size of a file in bytes over its sections, in proportion to their numbers of
/// entries.
fn by_section(entries: &[u64], bytes: f64) -> Vec<f64> {
    let each = bytes / entries.iter().sum::<u64>().max(1) as f64;
    entries.iter().map(|&entries| entries as f64 * each).collect()
}

#[cfg(test)]
mod tests {
    use crate::Kernel;
    use crate::make::{GameBuild, Resources};
    use crate::rates::Rates;
    use pentago_core::rules::Rules;
    use pentago_tables::codec::Codec;
    use std::num::NonZeroUsize;

    /// Checks that the counts are exact, and that no cost is 0.
    #[test]
    fn sizes_are_exact() {
        let resources = Resources {
            kernel: Kernel::best(),
            threads: NonZeroUsize::MIN,
            // This memory is enough for the rows of each section to share the blocks that they
            // read.
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
            assert!(slice.kernel_seconds > 0.0 && slice.encode_seconds > 0.0, "{slice:?}");
            assert!(slice.table_bytes < slice.raw_bytes / 2 || slice.entries < 1000, "{slice:?}");
            // On average, each block of the next slice is decoded about one to four times.
            let decodes = if slice.marbles == 36 { 0.0..=0.0 } else { 0.99..=4.5 };
            assert!(decodes.contains(&slice.decodes), "{slice:?}");
            let has_copy = (1..=18).contains(&slice.marbles);
            assert_eq!(slice.copy_bytes >= slice.table_bytes, has_copy, "{slice:?}");
            // In small tables, the payloads of all codecs have the minimum size, so the sizes may
            // be equal.
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
        assert_eq!(estimate.kept_bytes, kept);
        // The disk must never hold two whole slices.
        let tables = estimate.slices.windows(2).map(|pair| pair[0].table_bytes + pair[1].table_bytes);
        assert!(estimate.disk_bytes < tables.max().expect("slices"));

        let counted = GameBuild::new(Rules::default(), 35).counts_only();
        let estimate = counted.estimate(&[35], &resources, Rates::built_in());
        let [slice] = &estimate.slices[..] else { panic!("one slice") };
        assert_eq!((slice.codec, slice.table_bytes, slice.encode_seconds), (None, 0, 0.0));
        assert_eq!(slice.seconds.to_bits(), slice.core_seconds.to_bits());
        let estimate = estimate.on_disk(1);
        assert!(estimate.seconds >= estimate.slices[0].io_bytes as f64);
    }
}
