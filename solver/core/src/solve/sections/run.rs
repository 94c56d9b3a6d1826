//! Computes a slice. Each thread claims a row, reads the pieces of the row, computes the row, and
//! puts its blocks into the sink.

use super::array::SectionArray;
use super::order::{RowOrder, rows_within};
use super::pieces::{PieceCache, PieceKey, PieceMemory, Slot};
use super::row::{self, RowBuffers, RowStep};
use super::solver::{Next, Report, SectionSolver, SectionsError};
use crate::index::sections::section::Section;
use crate::kernel::{Combine, Passes};
use crate::rules::Dir;
use crate::threads;
use crate::values::{BlockId, Sink, SolvedBlock, Source, WdlCounts};
use pentago_base::{Control, into_inner, lock};
use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// The fraction of the remaining memory that may hold free buffers from the pieces of earlier
/// sections (`bench/README.md#memory-of-pieces`).
const FREE_PART: f64 = 1.0 / 16.0;

impl SectionSolver {
    /// Computes `sections`, standard sections of one slice, from the next slice. Section i is array
    /// i of the sink. Only the blocks in `range` are put into the sink.
    ///
    /// # Errors
    /// If the next slice lacks a section or a block, if the sink can't store a block, or if
    /// `control` is cancelled.
    ///
    /// # Panics
    /// If the sections belong to different slices.
    pub fn solve(
        &self,
        sections: &[Section],
        next: Next,
        sink: &dyn Sink,
        range: Range<BlockId>,
        control: &Control,
    ) -> Result<Report, SectionsError> {
        let Some(marbles) = sections.first().map(|s| s.marbles()) else { return Ok(Report::default()) };
        assert!(sections.iter().all(|s| s.marbles() == marbles), "sections of one slice");
        let full = marbles == self.rules.shape.sockets();
        let step = RowStep {
            kernel: self.kernel,
            passes: Passes::of(self.kernel),
            groups: &self.groups,
            combine: if full { Combine::of_full(self.rules) } else { Combine::of(self.rules, false) },
            clockwise: self.rules.dir == Dir::Cw,
            place: self.rules.place,
        };
        let numbers = next.sections.iter().zip(0..).map(|(&s, i)| (s, i)).collect();
        let run = SliceRun {
            solver: self,
            sections,
            step,
            needs_next: self.needs_next(marbles),
            numbers,
            source: next.source,
            sink,
            range,
            control,
            queue: Mutex::new(RowQueue {
                array: None,
                number: 0,
                earlier: Vec::new(),
                told: None,
                cache: PieceCache::new(self.buffers.clone()),
            }),
            blocks_read: AtomicU64::new(0),
            failure: Mutex::new(None),
            report: Mutex::new(Report {
                counts: vec![WdlCounts::default(); sections.len()],
                ..Report::default()
            }),
        };
        if self.threads > 1 {
            threads::broadcast(|| run.work());
        } else {
            run.work();
        }
        if let Some(failure) = into_inner(run.failure) {
            return Err(failure);
        }
        Ok(Report {
            blocks_read: run.blocks_read.into_inner(),
            peak_bytes: into_inner(run.queue).cache.peak,
            ..into_inner(run.report)
        })
    }
}

/// The data that all threads share while they compute one slice.
struct SliceRun<'a> {
    solver: &'a SectionSolver,
    sections: &'a [Section],
    step: RowStep<'a>,
    needs_next: bool,
    numbers: HashMap<Section, u32>,
    source: &'a dyn Source,
    sink: &'a dyn Sink,
    /// The range of the blocks to be put into the sink.
    range: Range<BlockId>,
    control: &'a Control,
    queue: Mutex<RowQueue>,
    blocks_read: AtomicU64,
    /// The first failure of any thread, or `None` if none has failed.
    failure: Mutex<Option<SectionsError>>,
    /// The sums over all rows finished so far.
    report: Mutex<Report>,
}

/// The queue from which the threads claim rows.
struct RowQueue {
    /// The current array. `None` until the first row of the next array is claimed.
    array: Option<ArrayRows>,
    /// The index of the current array, or of the next array if `array` is `None`.
    number: u32,
    /// The earlier arrays of which some rows are still in progress: the index, the array, and its
    /// memory limits. The references are weak, so an array is freed after its last row.
    earlier: Vec<(u32, Weak<SectionArray>, PieceMemory)>,
    /// The range of arrays that was announced most recently to the source and the sink.
    told: Option<RangeInclusive<u32>>,
    cache: PieceCache,
}

/// An array whose rows the threads are claiming.
struct ArrayRows {
    array: Arc<SectionArray>,
    order: RowOrder,
    /// The range of rows to be computed. Rows are numbered in the order of the blocks.
    rows: Range<u64>,
    /// The rank in `order` of the row to be claimed next.
    place: u64,
    memory: PieceMemory,
}

/// A row that a thread has claimed.
struct ClaimedRow {
    array: Arc<SectionArray>,
    number: u32,
    row: u64,
    pieces: Vec<(PieceKey, Arc<Slot>)>,
    /// The time spent so far on reading the pieces of this row.
    reading: Duration,
}

impl SliceRun<'_> {
    /// Computes rows until no row is left or any thread fails. Stores this thread's failure.
    fn work(&self) {
        if let Err(failure) = self.rows() {
            lock(&self.failure).get_or_insert(failure);
        }
    }

    /// Claims and computes rows in order. If other threads are still reading pieces of a claimed
    /// row, this row waits while the thread reads the pieces of the following row.
    fn rows(&self) -> Result<(), SectionsError> {
        let mut scratch = RowBuffers::default();
        let mut waiting: Option<ClaimedRow> = None;
        loop {
            let mut next = self.claim(waiting.is_some())?;
            if let Some(next) = &mut next {
                self.read(next, Slot::begin)?;
            }
            let row = waiting.take();
            if row.is_none() && next.is_none() {
                return Ok(());
            }
            waiting = next.take_if(|next| next.pieces.iter().any(|(_, slot)| slot.get().is_none()));
            for mut row in [row, next].into_iter().flatten() {
                self.read(&mut row, |_| true)?;
                self.row(&row, &mut scratch)?;
            }
        }
    }

    fn has_failed(&self) -> bool {
        lock(&self.failure).is_some()
    }

    /// Claims the next row. Returns `None` if no row is left. If `further` is `true`, the thread
    /// has already claimed a row. In this case the result is also `None` if memory is short.
    fn claim(&self, further: bool) -> Result<Option<ClaimedRow>, SectionsError> {
        let mut queue = lock(&self.queue);
        let queue = &mut *queue;
        loop {
            let number = queue.number;
            let Some(&section) = self.sections.get(number as usize) else { return Ok(None) };
            if self.has_failed() {
                return Ok(None);
            }
            let of_array = match &mut queue.array {
                Some(of_array) => of_array,
                None => {
                    let rows = rows_within(&self.range, number, &self.solver.grid(section));
                    if rows.is_empty() {
                        queue.number += 1;
                        continue;
                    }
                    let of_array = self.begin(section, rows)?;
                    queue.cache.begin();
                    queue.array.insert(of_array)
                }
            };
            let ArrayRows { array, order, rows, place, memory } = of_array;
            let number_of = |place: u64| array.row_number(order.at(place));
            while *place < order.rows() && !rows.contains(&number_of(*place)) {
                *place += 1;
            }
            if *place == order.rows() {
                queue.earlier.push((number, Arc::downgrade(array), *memory));
                queue.array = None;
                queue.number += 1;
                continue;
            }
            self.control.check()?;
            let (array, row) = (array.clone(), number_of(*place));
            // Each array has its own memory limits. While rows of earlier arrays are in progress,
            // use the minimum of the limits of all arrays in progress.
            queue.earlier.retain(|(_, array, _)| array.strong_count() > 0);
            let least = |[pieces, free]: PieceMemory, &(.., [more, more_free]): &(u32, _, PieceMemory)| {
                [pieces.min(more), free.min(more_free)]
            };
            queue.cache.set_memory(queue.earlier.iter().fold(*memory, least));
            let arrays = queue.earlier.first().map_or(number, |&(number, ..)| number)..=number;
            if queue.told.as_ref() != Some(&arrays) {
                // Announce arrays while the queue is locked, so that the source and the sink know
                // of an array before any row of the array is in progress.
                self.source.computing(arrays.clone());
                self.sink.computing(arrays.clone());
                queue.told = Some(arrays);
            }
            let Some(mut pieces) = queue.cache.take(&array, order, rows, *place, further) else {
                return Ok(None);
            };
            // Rotate the list of pieces, so that threads whose rows share pieces start by reading
            // different pieces.
            let turned = (*place % pieces.len().max(1) as u64) as usize;
            pieces.rotate_left(turned);
            *place += 1;
            return Ok(Some(ClaimedRow { array, number, row, pieces, reading: Duration::ZERO }));
        }
    }

    /// Plans the computation of the rows `rows` of a section.
    fn begin(&self, section: Section, rows: Range<u64>) -> Result<ArrayRows, SectionsError> {
        let find = |s: Section| self.numbers.get(&s).copied().ok_or(SectionsError::Missing(s));
        let SectionSolver { sections, groups, .. } = self.solver;
        let array = SectionArray::new(sections, groups, section, self.needs_next, find)?;
        let plan = self.solver.plan(section, &rows);
        self.control.mark("section", section.to_string());
        let left = (self.solver.memory as f64 - plan.bytes()).max(0.0);
        let memory = [plan.pieces as u64, (left * FREE_PART) as u64];
        Ok(ArrayRows { array: Arc::new(array), order: plan.order, rows, place: 0, memory })
    }

    /// Reads those pieces of a row for which `wanted` returns `true`. If another thread is reading
    /// such a piece, this thread waits until the piece has been read.
    fn read(&self, claim: &mut ClaimedRow, wanted: fn(&Slot) -> bool) -> Result<(), SectionsError> {
        let array = &claim.array;
        let clock = &self.solver.clock;
        let begin = clock.now();
        let child = |key: &PieceKey| array.children[key.q].as_ref().expect("it is needed");
        let ahead = |(key, slot): &(PieceKey, Arc<Slot>)| {
            if !slot.is_begun() {
                let id = |block| BlockId { array: child(key).array, block };
                child(key).blocks(key.at).for_each(|block| self.source.ahead(id(block)));
            }
        };
        // Announce each piece to the source while the preceding piece is read.
        claim.pieces.first().into_iter().for_each(ahead);
        for (number, (key, slot)) in claim.pieces.iter().enumerate() {
            claim.pieces.get(number + 1).into_iter().for_each(ahead);
            if !wanted(slot) {
                continue;
            }
            let mut failure = None;
            slot.piece.get_or_init(|| {
                let piece = slot.read(child(key), key.at, self.source, self.step.passes, &self.blocks_read);
                piece.map_err(|error| failure = Some(error)).ok()
            });
            if let Some(error) = failure {
                return Err(SectionsError::Get(error));
            }
        }
        claim.reading += clock.since(begin);
        Ok(())
    }

    /// Computes a row and puts its blocks into the sink. All pieces of the row have been read.
    fn row(&self, claim: &ClaimedRow, scratch: &mut RowBuffers) -> Result<(), SectionsError> {
        let array = &claim.array;
        let clock = &self.solver.clock;
        let pieces = claim.pieces.iter().map(|(key, slot)| Some((*key, slot.get()?)));
        // If a piece is missing, another thread failed to read the piece. That thread reports the
        // failure, so do nothing here.
        let Some(pieces) = pieces.collect::<Option<Vec<_>>>() else { return Ok(()) };
        let begin = clock.now();
        let needs = self.sink.needs();
        let across = u64::from(array.grid.counts()[3]);
        let first = claim.row * across;
        let ids = (first..first + across).map(|block| BlockId { array: claim.number, block });
        let stays =
            |id: BlockId| if self.range.contains(&id) { Some(array.grid.len(id.block)) } else { None };
        let memory = |id| stays(id).and_then(|len| self.sink.memory(id, len));
        let mut kept: Vec<_> = ids.clone().map(memory).collect();
        row::compute(self.step, array, claim.row, &pieces, needs, &mut kept, scratch);
        let computing = clock.since(begin);
        let begin = clock.now();
        let mut counts = WdlCounts::default();
        let (mut rest, mut computed) = (&scratch.blocks[..], 0);
        let of_blocks = scratch.sums.iter().zip(&mut scratch.open).zip(kept);
        for (id, ((&[won, kept_boards], open), kept)) in ids.zip(of_blocks) {
            let len = array.grid.len(id.block);
            let entries = match &kept {
                Some(kept) => &kept[..],
                None if needs.counts_alone => &[],
                None => rest.split_off(..len).expect("the row has its blocks"),
            };
            computed += len as u64;
            if self.range.contains(&id) {
                // The sums are totals over 256 rotations, so divide them by 256 to get numbers of
                // boards.
                let (wins, not_lost, boards) = (won / 256, kept_boards / 256, array.boards(id.block));
                let of_block = WdlCounts { wins, draws: not_lost - wins, losses: boards - not_lost };
                let open = if needs.open_bits { open.parts() } else { None };
                let kept = kept.clone();
                let solved = SolvedBlock { id, entries, counts: of_block, open, kept };
                self.sink.put_solved(solved).map_err(SectionsError::Put)?;
                counts += of_block;
            }
        }
        self.control.add(computed);
        let mut report = lock(&self.report);
        report.counts[claim.number as usize] += counts;
        report.entries += computed;
        report.reading += claim.reading;
        report.computing += computing;
        report.writing += clock.since(begin);
        Ok(())
    }
}
