//! The solver of complete games: its settings, and the blocks that its rows read.

use super::pieces::Buffers;
use super::rereads::{AxisReads, RowPlan, RowReads};
use crate::index::sections::section::{EDGE, Section, Sections};
use crate::kernel::{Kernel, LineGroups};
use crate::rules::Rules;
use crate::values::{BoxError, Grid, Source, WdlCounts};
use pentago_base::{Clock, Stopped};
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// A solver of the slices of a complete game.
pub struct SectionSolver {
    pub(super) rules: Rules,
    pub(super) kernel: Kernel,
    /// All sections of the game.
    pub sections: &'static Sections,
    pub(super) groups: LineGroups,
    /// The blocks that are read along the axis of a quadrant, keyed by the counts of the quadrant
    /// and by the player to move.
    reads: HashMap<([u8; 2], usize), AxisReads>,
    pub(super) threads: usize,
    pub(super) memory: u64,
    /// The memory of the pieces, which later computations reuse.
    pub(super) buffers: Arc<Buffers>,
    /// The clock that measures the durations in a [`Report`].
    pub clock: Clock,
}

/// The values of the next slice, which has one more marble.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    /// The standard sections that are available. Section i is array i of the source.
    pub sections: &'a [Section],
    /// The source of the values of these sections.
    pub source: &'a dyn Source,
}

/// The results and the costs of a computation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// For each section, the counts of wins, draws and losses in the blocks that were put into the
    /// sink.
    pub counts: Vec<WdlCounts>,
    /// The number of computed entries.
    pub entries: u64,
    /// The number of blocks read from the source.
    pub blocks_read: u64,
    /// The maximum size in bytes of the pieces in memory. This includes blocks that the source
    /// shares.
    pub peak_bytes: u64,
    /// The time spent on reading blocks and on turning them to the parent's side of the board,
    /// added over all threads.
    pub reading: Duration,
    /// The time spent on computing rows, added over all threads.
    pub computing: Duration,
    /// The time spent on putting blocks into the sink, added over all threads.
    pub writing: Duration,
}

/// The reason why a slice can't be solved.
#[derive(Debug, thiserror::Error)]
pub enum SectionsError {
    /// The computation was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The next slice lacks a section that the computation needs.
    #[error("the next slice lacks section {0}")]
    Missing(Section),
    /// The source can't read a block of the next slice.
    #[error("a block of the next slice could not be read: {0}")]
    Get(#[source] BoxError),
    /// The sink can't store a block.
    #[error("a block could not be written: {0}")]
    Put(#[source] BoxError),
}

impl SectionSolver {
    /// Creates a solver. If `threads` is above 1, the solver uses the threads of the current rayon
    /// pool. `memory` limits the total size in bytes of the pieces, of the rows in progress, and of
    /// the encoded blocks that wait in a sink. Each thread always takes at least its [least
    /// memory](SectionSolver::least_memory), even if the total then exceeds `memory`.
    pub fn new(rules: Rules, kernel: Kernel, threads: NonZeroUsize, memory: u64) -> SectionSolver {
        let sections = Sections::of(rules.shape, rules.dir);
        let cells = rules.shape.quadrant_sockets() as u8;
        let counts = (0..=cells).flat_map(|x| (0..=cells - x).map(move |o| [x, o]));
        let reads =
            |(counts, player)| ((counts, player), AxisReads::new(sections.blocks_read(counts, player)));
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

    /// Returns the rules of the game.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns the grid of a section's array.
    pub fn grid(&self, section: Section) -> Grid {
        Grid::new(self.sections.extents(section), EDGE)
    }

    /// Returns `true` if the values of the boards with `marbles` marbles depend on the next slice.
    /// The values of full boards don't. With `last=stop`, the values of boards with one free socket
    /// don't either.
    pub fn needs_next(&self, marbles: usize) -> bool {
        self.rules.has_turn(marbles)
    }

    /// Returns the minimum memory in bytes that one thread needs for a section: the size of the
    /// pieces and of the entries of the section's largest row.
    pub fn least_memory(&self, section: Section) -> u64 {
        self.row_reads(section).least() as u64
    }

    /// Returns the blocks that the rows of a standard section read.
    fn row_reads(&self, section: Section) -> RowReads<'_> {
        let reads = |counts| &self.reads[&(counts, section.mover())];
        RowReads::new(self.sections, section, self.needs_next(section.marbles()).then_some(reads))
    }

    /// Plans the computation of the rows `rows` of a section. Rows are numbered in the order of the
    /// blocks.
    pub(super) fn plan(&self, section: Section, rows: &Range<u64>) -> RowPlan {
        let reads = self.row_reads(section);
        reads.plan(reads.most(rows), self.memory as f64, self.threads)
    }
}
