//! The solver of complete games: its rules, its tables, and what its rows read.

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

/// Solves slices of a complete game.
pub struct SectionSolver {
    pub(super) rules: Rules,
    pub(super) kernel: Kernel,
    pub(super) sections: &'static Sections,
    pub(super) groups: LineGroups,
    /// By the counts of a quadrant and the player to move: which blocks along the axis of its child
    /// each block of its patterns reads.
    reads: HashMap<([u8; 2], usize), AxisReads>,
    pub(super) threads: usize,
    pub(super) memory: u64,
    /// Memory of pieces, kept for the next computation.
    pub(super) buffers: Arc<Buffers>,
    pub(super) clock: Clock,
}

/// The slice with one marble more.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    /// Its standard sections that can be read: array i is section i.
    pub sections: &'a [Section],
    /// Their values.
    pub source: &'a dyn Source,
}

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
    pub(super) fn plan(&self, section: Section, rows: &Range<u64>) -> RowPlan {
        let reads = self.row_reads(section);
        reads.plan(reads.most(rows), self.memory as f64, self.threads)
    }
}
