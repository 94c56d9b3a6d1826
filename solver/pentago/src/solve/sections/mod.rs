//! Complete games by sections: each slice from the next one, section by section, in pieces.
//!
//! ```text
//! rows of blocks, in order -> pieces of the next slice, as few decoded twice as memory allows (`pieces`)
//!                          -> rows of entries (`row`, the kernel) -> blocks -> sink
//! ```
//!
//! The unit of work is a *row of blocks*: all blocks of an array that differ only in the last
//! coordinate. Rows are handed out in canonical order (array by array, block by block). So a sink
//! that restores this order buffers a few rows at most, and an interrupted computation can resume
//! at any block. Any range of blocks can be computed by itself. The memory is bounded in advance;
//! where the next slice comes from and where this one goes is up to the [`Source`] and the [`Sink`].

mod array;
mod pieces;
mod row;
#[cfg(test)]
mod tests;

use crate::control::{Cancelled, Control};
use crate::index::sections::section::{EDGE, Section, Sections};
use crate::kernel::{Combine, Kernel, LineGroups};
use crate::rules::Rules;
use crate::values::{BlockId, Entry, Grid, Sink, Source, WdlCounts};
use crate::{Clock, threads};
use array::SectionArray;
use pieces::{PieceCache, PieceKey, Slot};
use row::{RowBuffers, RowStep};
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::{Bound, RangeBounds};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Solves slices of a complete game.
pub struct SectionSolver {
    rules: Rules,
    kernel: Kernel,
    sections: &'static Sections,
    groups: LineGroups,
    /// By the counts of a quadrant and the player to move: the most blocks along the axis of its
    /// child that a block of its patterns reads.
    most_read: HashMap<([u8; 2], usize), u64>,
    threads: usize,
    memory: u64,
    clock: Clock,
}

/// The slice with one marble more.
pub struct Next<'a, S> {
    /// Its standard sections that can be read: array i is section i.
    pub sections: &'a [Section],
    /// Their values.
    pub source: &'a S,
}

// Derived implementations would require the same of the source.
impl<S> Clone for Next<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Next<'_, S> {}

/// What a slice took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// For each section the counts of the blocks that were put.
    pub counts: Vec<WdlCounts>,
    /// Entries computed.
    pub entries: u64,
    /// Blocks of the next slice that were got from its source.
    pub blocks_read: u64,
    /// The most bytes that the pieces of the next slice took.
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
pub enum SectionsError<G, P> {
    /// It was stopped.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A section of the next slice isn't there.
    #[error("the next slice lacks section {0}")]
    Missing(Section),
    /// A block of the next slice could not be read.
    #[error("a block of the next slice could not be read: {0}")]
    Get(#[source] G),
    /// A block could not be kept.
    #[error("a block could not be written: {0}")]
    Put(#[source] P),
}

impl SectionSolver {
    /// A solver for the rules. More than one thread are those of the current rayon pool. `memory`
    /// bounds the bytes of the pieces of the next slice; what [`SectionSolver::least_memory`] says
    /// is taken in any case by each thread, and the memory of up to eight pieces is kept for the
    /// next ones, of more while that is within the bound.
    pub fn new(rules: Rules, kernel: Kernel, threads: NonZeroUsize, memory: u64) -> SectionSolver {
        let sections = Sections::of(rules.shape, rules.dir);
        let cells = rules.shape.quadrant_sockets() as u8;
        let counts = (0..=cells).flat_map(|x| (0..=cells - x).map(move |o| [x, o]));
        let most_read = |(counts, player)| {
            let most =
                sections.blocks_read(counts, player).into_iter().map(|set| set.count_ones().into()).max();
            ((counts, player), most.unwrap_or(0))
        };
        let most_read = counts.flat_map(|counts| [(counts, 0), (counts, 1)]).map(most_read).collect();
        SectionSolver {
            rules,
            kernel,
            sections,
            groups: LineGroups::new(rules.shape),
            most_read,
            threads: threads.get(),
            memory,
            clock: Clock::default(),
        }
    }

    /// The same with another clock for the durations in a [`Report`].
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> SectionSolver {
        SectionSolver { clock, ..self }
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
        // A line of blocks along axis 3.
        let line = |section: Section| {
            let [a, b, c, d] = self.sections.extents(section).map(u64::from);
            let edge = u64::from(EDGE);
            a.min(edge) * b.min(edge) * c.min(edge) * d * size_of::<Entry>() as u64
        };
        let with_children = self.needs_next(section.marbles());
        let pieces = |q: usize| {
            let child = section.child(self.sections.shape(), q).filter(|_| with_children)?;
            let number = if q == 3 { 1 } else { self.most_read[&(section.counts()[q], section.mover())] };
            Some(number * line(child))
        };
        line(section) + (0..4).filter_map(pieces).sum::<u64>()
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
    pub fn solve<S: Source, K: Sink>(
        &self,
        sections: &[Section],
        next: Next<S>,
        sink: &K,
        range: impl RangeBounds<BlockId>,
        control: &Control,
    ) -> Result<Report, SectionsError<S::Error, K::Error>> {
        let range = (range.start_bound().cloned(), range.end_bound().cloned());
        let first = match range.0 {
            Bound::Included(id) | Bound::Excluded(id) => id,
            Bound::Unbounded => BlockId { array: 0, block: 0 },
        };
        let Some(marbles) = sections.first().map(|s| s.marbles()) else { return Ok(Report::default()) };
        assert!(sections.iter().all(|s| s.marbles() == marbles), "sections of one slice");
        let full = marbles == self.rules.shape.sockets();
        let step = RowStep {
            kernel: self.kernel,
            groups: &self.groups,
            combine: if full { Combine::of_full(self.rules) } else { Combine::of(self.rules, false) },
            clockwise: self.rules.dir == crate::rules::Dir::Cw,
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
            first,
            control,
            claims: Mutex::new(Claims {
                array: None,
                place: (first.array, None),
                spill: PieceCache::new(self.memory),
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
        if let Some(failure) = run.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(failure);
        }
        let claims = run.claims.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Report {
            blocks_read: run.blocks_read.into_inner(),
            peak_bytes: claims.spill.peak,
            ..run.report.into_inner().unwrap_or_else(PoisonError::into_inner)
        })
    }
}

/// The computation of one slice.
struct Run<'a, S: Source, K: Sink> {
    solver: &'a SectionSolver,
    sections: &'a [Section],
    step: RowStep<'a>,
    needs_next: bool,
    numbers: HashMap<Section, u32>,
    source: &'a S,
    sink: &'a K,
    /// The blocks that are put.
    range: (Bound<BlockId>, Bound<BlockId>),
    /// Where it begins.
    first: BlockId,
    control: &'a Control,
    claims: Mutex<Claims>,
    blocks_read: AtomicU64,
    /// The first that went wrong.
    failure: Mutex<Option<SectionsError<S::Error, K::Error>>>,
    /// Sums so far.
    report: Mutex<Report>,
}

/// What was handed out.
struct Claims {
    /// The array that is handed out.
    array: Option<Arc<SectionArray>>,
    /// The array, and the row in it, that come next; no row: the array is still to be begun.
    place: (u32, Option<u64>),
    spill: PieceCache,
}

/// A row to be computed.
struct Claim {
    array: Arc<SectionArray>,
    number: u32,
    row: u64,
    pieces: Vec<(PieceKey, Arc<Slot>)>,
}

impl<S: Source, K: Sink> Run<'_, S, K> {
    /// Takes rows in order until there are none left, or something goes wrong.
    fn work(&self) {
        let mut scratch = RowBuffers::default();
        loop {
            match self.claim() {
                Ok(Some(claim)) => {
                    if let Err(failure) = self.row(&claim, &mut scratch) {
                        return self.fail(failure);
                    }
                }
                Ok(None) => return,
                Err(failure) => return self.fail(failure),
            }
        }
    }

    fn fail(&self, failure: SectionsError<S::Error, K::Error>) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
    }

    fn has_failed(&self) -> bool {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Whether a block and all that follow are none of the caller's.
    fn is_behind(&self, id: BlockId) -> bool {
        match self.range.1 {
            Bound::Included(last) => id > last,
            Bound::Excluded(end) => id >= end,
            Bound::Unbounded => false,
        }
    }

    fn claim(&self) -> Result<Option<Claim>, SectionsError<S::Error, K::Error>> {
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let (number, row) = claims.place;
            let Some(&section) = self.sections.get(number as usize) else { return Ok(None) };
            if self.has_failed() || self.is_behind(BlockId { array: number, block: 0 }) {
                return Ok(None);
            }
            let array = match &claims.array {
                Some(array) => array.clone(),
                None => {
                    let find = |s: Section| self.numbers.get(&s).copied().ok_or(SectionsError::Missing(s));
                    let SectionSolver { sections, groups, .. } = self.solver;
                    let needs_next = self.needs_next;
                    let array = SectionArray::new(sections, groups, section, needs_next, find)?;
                    let array = Arc::new(array);
                    claims.spill.clear();
                    claims.array = Some(array.clone());
                    array
                }
            };
            let row = row.unwrap_or_else(|| {
                let first = if number == self.first.array { self.first.block } else { 0 };
                first / u64::from(array.grid.counts()[3])
            });
            if row >= array.rows() {
                claims.array = None;
                claims.place = (number + 1, None);
                continue;
            }
            let block = row * u64::from(array.grid.counts()[3]);
            if self.is_behind(BlockId { array: number, block }) {
                return Ok(None);
            }
            if self.control.is_cancelled() {
                return Err(Cancelled.into());
            }
            claims.place = (number, Some(row + 1));
            let pieces = claims.spill.take(&array, row);
            return Ok(Some(Claim { array, number, row, pieces }));
        }
    }

    /// Computes a row and puts its blocks.
    fn row(&self, claim: &Claim, scratch: &mut RowBuffers) -> Result<(), SectionsError<S::Error, K::Error>> {
        let array = &claim.array;
        let clock = &self.solver.clock;
        let begin = clock.now();
        let ahead = |(key, slot): &(PieceKey, Arc<Slot>)| {
            if slot.entries.get().is_none() {
                let child = array.children[key.q].as_ref().expect("it is needed");
                let id = |block| BlockId { array: child.array, block };
                child.blocks(key.at).for_each(|block| self.source.ahead(id(block)));
            }
        };
        // One piece is on its way while another is read.
        claim.pieces.first().into_iter().for_each(ahead);
        for (number, (key, slot)) in claim.pieces.iter().enumerate() {
            claim.pieces.get(number + 1).into_iter().for_each(ahead);
            let mut failure = None;
            let entries = slot.entries.get_or_init(|| {
                let child = array.children[key.q].as_ref().expect("it is needed");
                let piece = pieces::read(
                    child,
                    key.at,
                    slot.buffer(),
                    self.source,
                    self.step.kernel,
                    &self.blocks_read,
                );
                piece.map_err(|error| failure = Some(error)).ok()
            });
            if let Some(error) = failure {
                return Err(SectionsError::Get(error));
            }
            if entries.is_none() {
                // Another thread has failed to read it, and says so.
                return Ok(());
            }
        }
        let pieces: Vec<row::Piece> =
            claim.pieces.iter().map(|(key, slot)| (*key, slot.get().expect("it was read"))).collect();
        let reading = clock.since(begin);
        let begin = clock.now();
        row::compute(self.step, array, claim.row, &pieces, scratch);
        let computing = clock.since(begin);
        let begin = clock.now();
        let mut counts = WdlCounts::default();
        let across = u64::from(array.grid.counts()[3]);
        let first = claim.row * across;
        let mut rest = &scratch.blocks[..];
        for (block, &[won, kept]) in (first..first + across).zip(&scratch.sums) {
            let entries;
            (entries, rest) = rest.split_at(array.grid.len(block));
            let id = BlockId { array: claim.number, block };
            if self.range.contains(&id) {
                let (wins, kept, boards) = (won / 256, kept / 256, array.boards(block));
                let of_block = WdlCounts { wins, draws: kept - wins, losses: boards - kept };
                self.sink.put_counted(id, entries, of_block).map_err(SectionsError::Put)?;
                counts += of_block;
            }
        }
        let entries = scratch.blocks.len() as u64;
        self.control.add(entries);
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report.counts[claim.number as usize] += counts;
        report.entries += entries;
        report.reading += reading;
        report.computing += computing;
        report.writing += clock.since(begin);
        Ok(())
    }
}
