//! Computes sections from the table of the next slice.

use super::passing::{BlockCache, NextBlocks};
use super::request::GameBuild;
use crate::error::{Error, ErrorKind};
use crate::make::Resources;
use crate::make::share::{Memory, Schedule, Stretches, few_waiting};
use pentago_base::Control;
use pentago_core::index::Section;
use pentago_core::solve::{Next, Report, SectionSolver, SectionsError, rows_within};
use pentago_core::values::{self, BlockId, Sink, Source};
use pentago_tables::tables::Table;
use std::ops::Range;
use std::sync::Mutex;

/// The table from which sections are computed, and a second table, `instead`. Blocks that can't be
/// read from the first table are read from the second.
#[derive(Clone, Copy)]
pub(super) struct NextFiles<'a> {
    pub table: &'a Table,
    pub instead: Option<&'a Table>,
}

/// Sections of one slice, with all data that their computation needs.
pub(super) struct Computation<'a> {
    pub sections: Vec<Section>,
    /// The order in which the sections use the arrays of the next slice's table.
    pub schedule: Schedule,
    next: Option<NextFiles<'a>>,
    /// The sections of the next slice, indexed by array of its table.
    next_sections: Vec<Section>,
    solver: SectionSolver,
    stretches: Stretches<'static>,
    /// The memory limit in bytes.
    memory: u64,
    threads: usize,
}

/// Memory limits of a computation, in addition to its pieces of the next slice and its rows in
/// work.
pub(super) struct MemoryLimits {
    /// The size limit in bytes of the cache of decoded blocks, indexed by the section in work.
    pub blocks: Vec<u64>,
    /// The limit in bytes of encoded blocks that wait to be written in order, indexed by the
    /// section in work.
    pub waiting: Vec<usize>,
}

impl<'a> Computation<'a> {
    /// Prepares the computation of sections. `next` has the files of the next slice, or is `None`
    /// if there is no next slice.
    pub fn new(
        build: &GameBuild,
        sections: Vec<Section>,
        next: Option<NextFiles<'a>>,
        resources: &Resources,
    ) -> Computation<'a> {
        let (target, all) = (build.target(), build.target().sections());
        let arrays = next.into_iter().flat_map(|next| next.table.arrays());
        let next_sections: Vec<Section> = arrays.map(|record| target.section_of(record.array.key)).collect();
        Computation {
            schedule: Schedule::new(all, target.rules.shape, &sections, &next_sections),
            stretches: Stretches::new(all, &sections),
            solver: build.solver(resources),
            memory: resources.memory,
            threads: resources.threads.get(),
            sections,
            next,
            next_sections,
        }
    }

    /// Divides the memory between the cache and waiting blocks, for the computation of the blocks
    /// in `range`.
    pub fn rooms(&self, range: &Range<BlockId>) -> MemoryLimits {
        let sections = &self.stretches;
        let memory = Memory::of(self.memory, self.threads);
        let threads = self.threads as u64;
        // For each section, the rows in the range, and the minimum memory of a row in bytes.
        let each: Vec<(Range<u64>, f64)> = (0..)
            .zip(&sections.each)
            .map(|(array, stretch)| {
                let least = sections.row_reads(stretch).least();
                (rows_within(range, array, &stretch.grid), least)
            })
            .collect();
        let mut rooms = MemoryLimits { blocks: Vec::new(), waiting: Vec::new() };
        for (at, (stretch, (rows, least))) in sections.each.iter().zip(&each).enumerate() {
            if rows.is_empty() {
                rooms.blocks.push(0);
                rooms.waiting.push(0);
                continue;
            }
            let plan = sections.plan(stretch, rows, memory);
            let before = in_work(each[..at].iter().rev(), threads, *least);
            let after = in_work(each[at + 1..].iter(), threads, *least);
            let own = (plan.pieces + plan.rows).max(before).max(after);
            rooms.blocks.push(memory.for_blocks(own + plan.waiting));
            rooms.waiting.push(plan.waiting as usize + few_waiting(self.memory));
        }
        rooms
    }

    /// Computes the blocks in `range`. `rooms` lists the size limit of the cache in bytes for each
    /// section. `cache` may already contain blocks of the next slice, kept from their computation.
    /// Returns the report, and the number of decoded blocks.
    pub fn solve(
        &self,
        sink: &dyn Sink,
        range: Range<BlockId>,
        rooms: Vec<u64>,
        cache: &Mutex<BlockCache>,
        control: &Control,
    ) -> Result<(Report, u64), Error> {
        let Some(NextFiles { table, instead }) = self.next else {
            return Ok((self.solve_from(&values::Memory::new(&[]), sink, range, control)?, 0));
        };
        let source = NextBlocks::new(table, instead, &self.schedule, rooms, self.memory, cache);
        let report = self.solve_from(&source, sink, range, control)?;
        Ok((report, source.decoded()))
    }

    fn solve_from(
        &self,
        source: &dyn Source,
        sink: &dyn Sink,
        range: Range<BlockId>,
        control: &Control,
    ) -> Result<Report, Error> {
        let next = Next { sections: &self.next_sections, source };
        self.solver.solve(&self.sections, next, sink, range, control).map_err(|error| match error {
            SectionsError::Stopped(stopped) => stopped.into(),
            SectionsError::Missing(section) => {
                let text = format!("the next slice lacks section {section}: build that slice again");
                Error::new(ErrorKind::Missing, text)
            }
            SectionsError::Get(error) | SectionsError::Put(error) => error.into(),
        })
    }
}

/// Returns the peak memory in bytes of the rows that are computed at the same time at the border of
/// a section. At least one row belongs to the section, whose rows take `least` bytes each. The
/// other rows belong to the section's neighbours on one side. `next` lists the rows of each
/// neighbour and the bytes per row.
fn in_work<'a>(next: impl Iterator<Item = &'a (Range<u64>, f64)>, threads: u64, least: f64) -> f64 {
    let (mut reached, mut sum, mut most) = (0, 0.0, least);
    for (rows, each) in next {
        if reached + 1 >= threads {
            break;
        }
        let some = (rows.end - rows.start).min(threads);
        reached += some;
        sum += some as f64 * each;
        most = if some > 0 { most.max(*each) } else { most };
    }
    let threads = threads as f64;
    if reached > 0 { (threads * most).min(sum + threads * least) } else { 0.0 }
}
