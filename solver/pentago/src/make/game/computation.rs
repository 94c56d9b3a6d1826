//! Sections of a slice that are computed from the table of the next one.

use super::passing::{Kept, KeptBlocks};
use super::request::GameBuild;
use crate::make::share::{Memory, Schedule, Stretches, few_waiting};
use crate::make::{BuildError, Resources};
use pentago_base::Control;
use pentago_core::index::Section;
use pentago_core::solve::{Next, Report, SectionSolver, SectionsError, rows_within};
use pentago_core::values::{self, BlockId, Sink, Source};
use pentago_tables::tables::Table;
use std::ops::Range;
use std::sync::Mutex;

/// The table that sections are computed from, and another one of the same blocks to be read where it
/// can't be.
#[derive(Clone, Copy)]
pub(super) struct NextFiles<'a> {
    pub table: &'a Table,
    pub instead: Option<&'a Table>,
}

/// Sections of one slice, with all that they are computed with.
pub(super) struct Computation<'a> {
    pub sections: Vec<Section>,
    /// When sections need which arrays of the table.
    pub schedule: Schedule,
    next: Option<NextFiles<'a>>,
    /// The arrays of the table.
    there: Vec<Section>,
    solver: SectionSolver,
    stretches: Stretches<'static>,
    /// Bytes of memory.
    memory: u64,
    threads: usize,
}

/// What the memory is for, beside the pieces of the next slice and rows in work.
pub(super) struct Rooms {
    /// For each section: bytes for decoded blocks that later ones need, while it is computed.
    pub blocks: Vec<u64>,
    /// For each section: bytes of encoded blocks that may wait for their turn.
    pub waiting: Vec<usize>,
}

impl<'a> Computation<'a> {
    /// These sections, from the files of the next slice, if there is one.
    pub fn new(
        build: &GameBuild,
        sections: Vec<Section>,
        next: Option<NextFiles<'a>>,
        resources: &Resources,
    ) -> Computation<'a> {
        let (target, all) = (build.target(), build.target().sections());
        let there = next.into_iter().flat_map(|next| next.table.arrays());
        let there: Vec<Section> = there.map(|record| target.section_of(record.array.key)).collect();
        Computation {
            schedule: Schedule::new(all, target.rules.shape, &sections, &there),
            stretches: Stretches::new(all, &sections),
            solver: build.solver(resources),
            memory: resources.memory,
            threads: resources.threads.get(),
            sections,
            next,
            there,
        }
    }

    /// What the memory is for while the blocks in `range` are computed.
    pub fn rooms(&self, range: &Range<BlockId>) -> Rooms {
        let sections = &self.stretches;
        let memory = Memory::of(self.memory, self.threads);
        let threads = self.threads as u64;
        // For each section: its rows that are wanted, and what each takes at least.
        let each: Vec<(Range<u64>, f64)> = (0..)
            .zip(&sections.each)
            .map(|(array, stretch)| {
                let least = sections.row_reads(stretch).least();
                (rows_within(range, array, &stretch.grid), least)
            })
            .collect();
        let mut rooms = Rooms { blocks: Vec::new(), waiting: Vec::new() };
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

    /// Computes the blocks in `range`, where `rooms` says for each section how many bytes are for blocks
    /// of the next slice; those that were computed are `kept`. Returns how many were decoded, too.
    pub fn solve(
        &self,
        sink: &dyn Sink,
        range: Range<BlockId>,
        rooms: Vec<u64>,
        kept: &Mutex<Kept>,
        control: &Control,
    ) -> Result<(Report, u64), BuildError> {
        let Some(NextFiles { table, instead }) = self.next else {
            return Ok((self.solve_from(&values::Memory::new(&[]), sink, range, control)?, 0));
        };
        let source = KeptBlocks::new(table, instead, &self.schedule, rooms, self.memory, kept);
        let report = self.solve_from(&source, sink, range, control)?;
        Ok((report, source.decoded()))
    }

    fn solve_from(
        &self,
        source: &dyn Source,
        sink: &dyn Sink,
        range: Range<BlockId>,
        control: &Control,
    ) -> Result<Report, BuildError> {
        let next = Next { sections: &self.there, source };
        self.solver.solve(&self.sections, next, sink, range, control).map_err(|error| match error {
            SectionsError::Stopped(stopped) => stopped.into(),
            SectionsError::Missing(section) => BuildError::Missing(section),
            SectionsError::Get(error) | SectionsError::Put(error) => error.into(),
        })
    }
}

/// The most bytes that rows in work take at a time if at least one is of a section whose rows take `least`
/// each, and the others are of its neighbours on one side: `next` has their wanted rows, and what each
/// takes.
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
