//! The computation of sections from the table of the next slice.

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

/// The table from which sections are computed, and a second table for blocks that can't be read
/// from it.
#[derive(Clone, Copy)]
pub(super) struct NextFiles<'a> {
    pub table: &'a Table,
    pub instead: Option<&'a Table>,
}

/// Sections of one slice, with everything that their computation needs.
pub(super) struct Computation<'a> {
    pub sections: Vec<Section>,
    /// The uses of the table's arrays by the sections.
    pub schedule: Schedule,
    next: Option<NextFiles<'a>>,
    /// The sections of the next slice, by array of its table.
    next_sections: Vec<Section>,
    solver: SectionSolver,
    stretches: Stretches<'static>,
    /// The memory limit in bytes.
    memory: u64,
    threads: usize,
}

/// The memory of a computation beside pieces of the next slice and rows in work.
pub(super) struct MemoryLimits {
    /// By section in work: the size limit in bytes of the cache of decoded blocks.
    pub blocks: Vec<u64>,
    /// By section in work: the limit in bytes of encoded blocks that wait to be written in order.
    pub waiting: Vec<usize>,
}

impl<'a> Computation<'a> {
    /// Prepares the computation of sections from the files of the next slice, if there is one.
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

    /// Divides the memory for the computation of the blocks in `range`.
    pub fn rooms(&self, range: &Range<BlockId>) -> MemoryLimits {
        let sections = &self.stretches;
        let memory = Memory::of(self.memory, self.threads);
        let threads = self.threads as u64;
        // For each section: its rows in the range, and the least memory of a row.
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

    /// Computes the blocks in `range`. `rooms` has the size limit of the cache in bytes for each
    /// section. The cache may already hold computed blocks of the next slice. Returns the report,
    /// and the number of decoded blocks.
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

/// Returns the peak memory in bytes of rows in work while at least one row belongs to a section
/// whose rows take `least` bytes each, and the other rows belong to its neighbours on one side.
/// `next` has the rows of each neighbour, and the bytes of a row.
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
