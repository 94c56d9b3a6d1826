//! Complete games by sections: each slice from the next one, section by section, in pieces.
//!
//! ```text
//! rows of blocks, in tiles (`order`)
//!                          -> pieces of the next slice, as few decoded twice as memory allows (`pieces`)
//!                          -> rows of entries (`row`, the kernel) -> blocks -> sink
//! ```
//!
//! The unit of work is a *row of blocks*: all blocks of an array that differ only in the last
//! coordinate. Rows are handed out array by array: block by block, or in tiles where less is read
//! again so (`rereads`). So a sink that restores the order of the blocks buffers a few rows, or where
//! there are tiles some planes of an array, which an interrupted computation computes again. It can
//! resume at any block. Any range of blocks can be computed by itself. The memory is bounded in
//! advance; where the next slice comes from and where this one goes is up to the
//! [`Source`] and the [`Sink`].

mod array;
mod order;
mod pieces;
mod rereads;
mod row;
#[cfg(test)]
mod tests;

use crate::index::sections::section::{EDGE, Section, Sections};
use crate::kernel::{Combine, Kernel, LineGroups, Passes};
use crate::rules::Rules;
use crate::threads;
use crate::values::{BlockId, BoxError, Grid, Sink, SolvedBlock, Source, WdlCounts};
use array::SectionArray;
use order::RowOrder;
pub use order::{RowSets, boxes, mask};
use pentago_base::{Clock, Control, Stopped};
use pentago_base::{into_inner, lock};
use pieces::{Buffers, PieceCache, PieceKey, Room, Slot};
pub use rereads::{Along, RowPlan, RowReads};
use row::{RowBuffers, RowStep, Wanted};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::{Bound, Range, RangeBounds, RangeInclusive};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// Solves slices of a complete game.
pub struct SectionSolver {
    rules: Rules,
    kernel: Kernel,
    sections: &'static Sections,
    groups: LineGroups,
    /// By the counts of a quadrant and the player to move: which blocks along the axis of its child
    /// each block of its patterns reads.
    reads: HashMap<([u8; 2], usize), Along>,
    threads: usize,
    memory: u64,
    /// Memory of pieces, kept for the next computation.
    buffers: Arc<Buffers>,
    clock: Clock,
}

/// The slice with one marble more.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    /// Its standard sections that can be read: array i is section i.
    pub sections: &'a [Section],
    /// Their values.
    pub source: &'a dyn Source,
}

/// Of the memory that a section leaves, this part is for what the pieces of earlier ones have left
/// (`bench/README.md#memory-of-pieces`).
const FREE_PART: f64 = 1.0 / 16.0;

/// What a slice took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// For each section the counts of the blocks that were put.
    pub counts: Vec<WdlCounts>,
    /// Entries computed.
    pub entries: u64,
    /// Blocks of the next slice that were got from its source.
    pub blocks_read: u64,
    /// The most bytes that the pieces of the next slice took, in memory of the source, too.
    pub peak_bytes: u64,
    /// Getting blocks of the next slice and turning them to the parent's side of the board, summed
    /// over threads.
    pub reading: Duration,
    /// Computing, summed over threads.
    pub computing: Duration,
    /// Putting blocks, summed over threads.
    pub writing: Duration,
}

/// Why a slice could not be solved.
#[derive(Debug, thiserror::Error)]
pub enum SectionsError {
    /// It was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A section of the next slice isn't there.
    #[error("the next slice lacks section {0}")]
    Missing(Section),
    /// A block of the next slice could not be read.
    #[error("a block of the next slice could not be read: {0}")]
    Get(#[source] BoxError),
    /// A block could not be kept.
    #[error("a block could not be written: {0}")]
    Put(#[source] BoxError),
}

impl SectionSolver {
    /// A solver for the rules. More than one thread are those of the current rayon pool. `memory`
    /// bounds the bytes of the pieces of the next slice, of the rows in work, and of encoded blocks that
    /// a sink holds until it is their turn; what [`SectionSolver::least_memory`] says is taken in any
    /// case by each thread.
    pub fn new(rules: Rules, kernel: Kernel, threads: NonZeroUsize, memory: u64) -> SectionSolver {
        let sections = Sections::of(rules.shape, rules.dir);
        let cells = rules.shape.quadrant_sockets() as u8;
        let counts = (0..=cells).flat_map(|x| (0..=cells - x).map(move |o| [x, o]));
        let reads = |(counts, player)| ((counts, player), Along::new(sections.blocks_read(counts, player)));
        let reads = counts.flat_map(|counts| [(counts, 0), (counts, 1)]).map(reads).collect();
        SectionSolver {
            rules,
            kernel,
            sections,
            groups: LineGroups::new(rules.shape),
            reads,
            threads: threads.get(),
            memory,
            buffers: Arc::default(),
            clock: Clock::default(),
        }
    }

    /// The same with another clock for the durations in a [`Report`].
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> SectionSolver {
        SectionSolver { clock, ..self }
    }

    /// Returns the rules of the game.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Replaces the kernel.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> SectionSolver {
        SectionSolver { kernel, ..self }
    }

    /// The sections of the game, and where boards lie in them.
    pub fn sections(&self) -> &'static Sections {
        self.sections
    }

    /// The array of a section.
    pub fn grid(&self, section: Section) -> Grid {
        Grid::new(self.sections.extents(section), EDGE)
    }

    /// Whether the values of a slice depend on the next one: not on a full board, nor with
    /// `last=stop` where the last marble is to be placed.
    pub fn needs_next(&self, marbles: usize) -> bool {
        self.rules.has_turn(marbles)
    }

    /// The bytes that the largest row of blocks of a section takes at least in each thread, its
    /// children and itself.
    pub fn least_memory(&self, section: Section) -> u64 {
        self.row_reads(section).least() as u64
    }

    /// What the rows of a standard section read.
    fn row_reads(&self, section: Section) -> RowReads<'_> {
        let reads = |counts| &self.reads[&(counts, section.mover())];
        RowReads::new(self.sections, section, self.needs_next(section.marbles()).then_some(reads))
    }

    /// How these rows of a section are computed, counted in the order of the blocks.
    fn plan(&self, section: Section, rows: &Range<u64>) -> RowPlan {
        let reads = self.row_reads(section);
        reads.plan(reads.most(rows), self.memory as f64, self.threads)
    }

    /// Computes `sections`, standard ones of one slice, from the next slice. Array i of the sink is
    /// section i; the blocks in `range` are put: earlier ones were put before, later ones are none of
    /// the caller's.
    ///
    /// # Errors
    /// If a section or block of the next slice is missing, a block can't be put, or `control` stops
    /// it.
    ///
    /// # Panics
    /// If the sections are not of one slice.
    pub fn solve(
        &self,
        sections: &[Section],
        next: Next,
        sink: &dyn Sink,
        range: impl RangeBounds<BlockId>,
        control: &Control,
    ) -> Result<Report, SectionsError> {
        let range = (range.start_bound().cloned(), range.end_bound().cloned());
        self.solve_blocks(sections, next, sink, range, control)
    }

    /// The same, compiled once for all kinds of ranges.
    fn solve_blocks(
        &self,
        sections: &[Section],
        next: Next,
        sink: &dyn Sink,
        range: (Bound<BlockId>, Bound<BlockId>),
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
            clockwise: self.rules.dir == crate::rules::Dir::Cw,
            place: self.rules.place,
        };
        let numbers = next.sections.iter().zip(0..).map(|(&s, i)| (s, i)).collect();
        let run = Run {
            solver: self,
            sections,
            step,
            needs_next: self.needs_next(marbles),
            numbers,
            source: next.source,
            sink,
            range,
            control,
            claims: Mutex::new(Claims {
                array: None,
                number: 0,
                earlier: Vec::new(),
                told: None,
                spill: PieceCache::new(self.buffers.clone()),
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
        let claims = into_inner(run.claims);
        Ok(Report {
            blocks_read: run.blocks_read.into_inner(),
            peak_bytes: claims.spill.peak,
            ..into_inner(run.report)
        })
    }
}

/// The rows of an array that have blocks in a range, counted in the order of the blocks.
pub fn rows_within(range: &impl RangeBounds<BlockId>, array: u32, grid: &Grid) -> Range<u64> {
    let (blocks, across) = (grid.blocks(), u64::from(grid.counts()[3]));
    // The blocks of the array that come before `more` blocks behind another one.
    let before = |id: &BlockId, more: u64| match id.array.cmp(&array) {
        Ordering::Less => 0,
        Ordering::Equal => (id.block + more).min(blocks),
        Ordering::Greater => blocks,
    };
    let start = match range.start_bound() {
        Bound::Included(first) => before(first, 0),
        Bound::Excluded(last) => before(last, 1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => before(last, 1),
        Bound::Excluded(end) => before(end, 0),
        Bound::Unbounded => blocks,
    };
    start / across..end.div_ceil(across)
}

/// The computation of one slice.
struct Run<'a> {
    solver: &'a SectionSolver,
    sections: &'a [Section],
    step: RowStep<'a>,
    needs_next: bool,
    numbers: HashMap<Section, u32>,
    source: &'a dyn Source,
    sink: &'a dyn Sink,
    /// The blocks that are put.
    range: (Bound<BlockId>, Bound<BlockId>),
    control: &'a Control,
    claims: Mutex<Claims>,
    blocks_read: AtomicU64,
    /// The first that went wrong.
    failure: Mutex<Option<SectionsError>>,
    /// Sums so far.
    report: Mutex<Report>,
}

/// What was handed out.
struct Claims {
    /// The array that is handed out; None: it is still to be begun.
    array: Option<Handed>,
    /// Its number.
    number: u32,
    /// Those before it of which rows are still in work.
    earlier: Vec<Earlier>,
    /// The arrays that the source and the sink know of.
    told: Option<RangeInclusive<u32>>,
    spill: PieceCache,
}

/// An array all of whose rows were handed out.
struct Earlier {
    number: u32,
    /// Rows in work have it, too.
    array: Weak<SectionArray>,
    room: Room,
}

/// An array that is handed out row by row.
struct Handed {
    array: Arc<SectionArray>,
    order: RowOrder,
    /// Its rows that are to be computed, in the order of the blocks.
    rows: Range<u64>,
    /// The place in the order that comes next.
    place: u64,
    room: Room,
}

/// A row to be computed.
struct Claim {
    array: Arc<SectionArray>,
    number: u32,
    row: u64,
    pieces: Vec<(PieceKey, Arc<Slot>)>,
    /// What reading them took so far.
    reading: Duration,
}

impl Run<'_> {
    /// Takes rows in order until there are none left, or something goes wrong.
    fn work(&self) {
        if let Err(failure) = self.rows() {
            lock(&self.failure).get_or_insert(failure);
        }
    }

    /// As long as others read what a row needs, it waits while what the next one needs is read.
    fn rows(&self) -> Result<(), SectionsError> {
        let mut scratch = RowBuffers::default();
        let mut waiting: Option<Claim> = None;
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

    /// The next row. None if there is none, or it is a `further` one of the thread and there is no memory
    /// for what it needs.
    fn claim(&self, further: bool) -> Result<Option<Claim>, SectionsError> {
        let mut claims = lock(&self.claims);
        let claims = &mut *claims;
        loop {
            let number = claims.number;
            let Some(&section) = self.sections.get(number as usize) else { return Ok(None) };
            if self.has_failed() {
                return Ok(None);
            }
            let handed = match &mut claims.array {
                Some(handed) => handed,
                None => {
                    let rows = rows_within(&self.range, number, &self.solver.grid(section));
                    if rows.is_empty() {
                        claims.number += 1;
                        continue;
                    }
                    let find = |s: Section| self.numbers.get(&s).copied().ok_or(SectionsError::Missing(s));
                    let SectionSolver { sections, groups, .. } = self.solver;
                    let array = SectionArray::new(sections, groups, section, self.needs_next, find)?;
                    let plan = self.solver.plan(section, &rows);
                    self.control.mark("section", section.to_string());
                    claims.spill.begin();
                    let left = (self.solver.memory as f64 - plan.bytes()).max(0.0);
                    let room = Room { pieces: plan.pieces as u64, free: (left * FREE_PART) as u64 };
                    claims.array.insert(Handed {
                        array: Arc::new(array),
                        order: plan.order,
                        rows,
                        place: 0,
                        room,
                    })
                }
            };
            let Handed { array, order, rows, place, room } = handed;
            let number_of = |place: u64| array.row_number(order.at(place));
            while *place < order.rows() && !rows.contains(&number_of(*place)) {
                *place += 1;
            }
            if *place == order.rows() {
                claims.earlier.push(Earlier { number, array: Arc::downgrade(array), room: *room });
                claims.array = None;
                claims.number += 1;
                continue;
            }
            self.control.check()?;
            let (array, row) = (array.clone(), number_of(*place));
            // What the memory is for changes with each array. Until rows of earlier ones are finished,
            // there has to be room for what both need.
            claims.earlier.retain(|earlier| earlier.array.strong_count() > 0);
            let least = |of: fn(&Room) -> u64| {
                claims.earlier.iter().map(|earlier| of(&earlier.room)).fold(of(room), u64::min)
            };
            claims.spill.set_room(Room { pieces: least(|b| b.pieces), free: least(|b| b.free) });
            let arrays = claims.earlier.first().map_or(number, |earlier| earlier.number)..=number;
            if claims.told.as_ref() != Some(&arrays) {
                // Under the lock, so that no row of an array is in work before both know of it.
                self.source.computing(arrays.clone());
                self.sink.computing(arrays.clone());
                claims.told = Some(arrays);
            }
            let Some(mut pieces) = claims.spill.take(&array, order, rows, *place, further) else {
                return Ok(None);
            };
            // Threads whose rows have pieces in common don't begin with the same one.
            let turned = (*place % pieces.len().max(1) as u64) as usize;
            pieces.rotate_left(turned);
            *place += 1;
            return Ok(Some(Claim { array, number, row, pieces, reading: Duration::ZERO }));
        }
    }

    /// Reads those pieces of a row for which `wanted` says so, and waits for others that read them already.
    fn read(&self, claim: &mut Claim, wanted: fn(&Slot) -> bool) -> Result<(), SectionsError> {
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
        // One piece is on its way while another is read.
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

    /// Computes a row whose pieces were read, and puts its blocks.
    fn row(&self, claim: &Claim, scratch: &mut RowBuffers) -> Result<(), SectionsError> {
        let array = &claim.array;
        let clock = &self.solver.clock;
        let pieces = claim.pieces.iter().map(|(key, slot)| Some((*key, slot.get()?)));
        // Where another thread has failed to read one, it says so.
        let Some(pieces) = pieces.collect::<Option<Vec<_>>>() else { return Ok(()) };
        let begin = clock.now();
        let (counts_alone, open_bits) = (self.sink.counts_alone(), self.sink.wants_open_bits());
        let wanted = Wanted { counts_alone, open_bits };
        let across = u64::from(array.grid.counts()[3]);
        let first = claim.row * across;
        let ids = (first..first + across).map(|block| BlockId { array: claim.number, block });
        let stays =
            |id: BlockId| if self.range.contains(&id) { Some(array.grid.len(id.block)) } else { None };
        let memory = |id| stays(id).and_then(|len| self.sink.memory(id, len));
        let mut kept: Vec<_> = ids.clone().map(memory).collect();
        row::compute(self.step, array, claim.row, &pieces, wanted, &mut kept, scratch);
        let computing = clock.since(begin);
        let begin = clock.now();
        let mut counts = WdlCounts::default();
        let (mut rest, mut computed) = (&scratch.blocks[..], 0);
        let of_blocks = scratch.sums.iter().zip(&mut scratch.open).zip(kept);
        for (id, ((&[won, kept_boards], open), kept)) in ids.zip(of_blocks) {
            let len = array.grid.len(id.block);
            let entries = match &kept {
                Some(kept) => &kept[..],
                None if counts_alone => &[],
                None => rest.split_off(..len).expect("the row has its blocks"),
            };
            computed += len as u64;
            if self.range.contains(&id) {
                // Sums are over the 256 rotations of each entry, and each board counts for all of them.
                let (wins, not_lost, boards) = (won / 256, kept_boards / 256, array.boards(id.block));
                let of_block = WdlCounts { wins, draws: not_lost - wins, losses: boards - not_lost };
                let open = if open_bits { open.parts() } else { None };
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
