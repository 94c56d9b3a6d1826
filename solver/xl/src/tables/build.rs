//! From a root to finished tables, and what that takes.

use std::path::Path;

use pentago_base::{Control, Kernel};
use pentago_store::{BuildError, Built, Lock, RawWriter, StoreError, TableEstimate, in_order, pack};

use super::Tablebase;
use super::below::Below;
use super::rates::Rates;
use super::target::{ArrayKey, BLOCK_ENTRIES, ENTRY_BYTES, LEVEL, Target, block_of};
use crate::dense::{Dense, DenseError, DenseEstimate, MOST_EMPTY, SliceBits, estimate_below};
use crate::kernel::Half;
use crate::options::Rules;
use crate::position::{Impossible, Position};
use crate::symmetry::Group;

/// Bytes of memory for files and blocks on their way, whatever the root.
const BUFFERS: u64 = 32 << 20;

/// Why there are no tables below a position.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadRoot {
    /// No game leads to it.
    #[error("no game leads here: {0}")]
    Impossible(#[from] Impossible),
    /// The game is over in it.
    #[error("the game is over in this position: there is nothing below it")]
    Over,
    /// With `continue=yes` values are not made of chains of single bits.
    #[error("there are no tables with continue=yes")]
    Continues,
    /// Too many free sockets.
    #[error(
        "a root may leave at most {MOST_EMPTY} sockets free, this one leaves {empty}: {boards:.1e} boards \
         in {tables:.1e} bytes before compression; choose a position with more marbles"
    )]
    TooLarge {
        /// Free sockets.
        empty: usize,
        /// Boards below it, each at all rotations.
        boards: f64,
        /// Bytes of their values.
        tables: f64,
    },
    /// There are no such slices.
    #[error("slices of {first} to {last} marbles lie below this root")]
    Slices {
        /// Marbles of the root.
        first: usize,
        /// The most marbles.
        last: usize,
    },
}

/// A slice is too large for a table.
#[derive(Debug, thiserror::Error)]
#[error("the slice of {marbles} marbles has {boards} boards, more than the 2^32 that a table can index")]
struct TooManyBoards {
    marbles: usize,
    boards: u64,
}

impl From<DenseError> for BuildError {
    fn from(error: DenseError) -> BuildError {
        match error {
            DenseError::Stopped(stopped) => stopped.into(),
            DenseError::Memory { needed, limit } => BuildError::Memory { needed, limit },
            error @ DenseError::Unfit => BuildError::TooLarge(error.into()),
            error => BuildError::Solver(error.into()),
        }
    }
}

/// Tables of everything below a position, or of the first slices of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootBuild {
    target: Target,
    /// Plies below the root that are kept.
    keep: usize,
    level: u8,
}

impl RootBuild {
    /// The tables below a position, in its canonical form under all symmetries and turns of blocks,
    /// which gives them the same name and content. `marbles`: the last slice that is kept, by
    /// default all.
    ///
    /// # Errors
    /// If there are none.
    pub fn new(rules: Rules, p: &Position, marbles: Option<usize>) -> Result<RootBuild, BadRoot> {
        if rules.continues() {
            return Err(BadRoot::Continues);
        }
        rules.check(p)?;
        if rules.outcome(p).is_some() {
            return Err(BadRoot::Over);
        }
        let first = p.count();
        let last = rules.most_marbles();
        let empty = p.empty();
        if empty > MOST_EMPTY {
            let boards = rough_boards(&rules, p);
            let tables = boards * ENTRY_BYTES as f64 * ArrayKey::all(&rules).len() as f64;
            return Err(BadRoot::TooLarge { empty, boards, tables });
        }
        let marbles = marbles.unwrap_or(last);
        if !(first..=last).contains(&marbles) {
            return Err(BadRoot::Slices { first, last });
        }
        let root = Group::WithBlocks.canonical(p);
        Ok(RootBuild { target: Target { rules, root }, keep: marbles - first, level: LEVEL })
    }

    /// The same at another level of zstd, 1 to 19.
    #[must_use]
    pub fn level(self, level: u8) -> RootBuild {
        RootBuild { level: level.clamp(1, 19), ..self }
    }

    /// Returns what the tables are about.
    #[must_use]
    pub fn target(&self) -> Target {
        self.target
    }

    /// The marbles of the slices that are kept.
    #[must_use]
    pub fn slices(&self) -> std::ops::RangeInclusive<usize> {
        let first = self.target.root.count();
        first..=first + self.keep
    }

    fn solution(&self) -> Option<DenseEstimate> {
        estimate_below(&self.target.rules, &self.target.root, None)
    }

    /// Bytes of memory that building takes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.solution().map_or(0, |e| e.least_bytes()).saturating_add(BUFFERS)
    }

    /// Estimates what building takes on `cores` cores: numbers of boards and memory exactly, the rest by
    /// `rates`.
    #[must_use]
    pub fn estimate(&self, cores: usize, rates: &Rates) -> TableEstimate {
        let below = Below::new(self.target.rules, self.target.root);
        let sum = |last: usize| (0..=last).fold(0u64, |sum, depth| sum.saturating_add(below.boards(depth)));
        let (boards, kept_boards) = (sum(below.last()), sum(self.keep));
        let times = ArrayKey::all(&self.target.rules).len() as u64;
        let raw_bytes = kept_boards.saturating_mul(times).saturating_mul(ENTRY_BYTES as u64);
        let rates = rates.of(&self.target.rules);
        let core_seconds = times as f64 * (boards as f64 * rates.solve + kept_boards as f64 * rates.pack);
        let around = (0..=self.keep).filter_map(|depth| self.target.manifest(depth, self.level));
        let around: u64 =
            around.map(|m| m.schema.bytes_around(m.target.len(), m.arrays.len(), m.first_blocks().1)).sum();
        let bytes = (raw_bytes as f64 * rates.ratio) as u64 + around;
        let seconds = core_seconds / cores.max(1) as f64;
        TableEstimate { boards, kept_boards, times, memory: self.memory(), raw_bytes, bytes, seconds }
    }

    /// The slices that have no finished table yet.
    ///
    /// # Errors
    /// If the folder can't be read, or a file of no use is in the place of a table.
    pub fn missing(&self, out: &Path) -> Result<Vec<usize>, StoreError> {
        let folder = out.join(self.target.folder_name());
        let (there, scan) = Tablebase::open_target(&folder, self.target)?;
        there.missing(&scan, self.slices(), |marbles| self.target.path(out, marbles))
    }

    /// Builds the missing tables in the folder `out` with the threads of the current pool; at most
    /// about `memory` bytes are used. An interrupted build is resumed: finished blocks are kept.
    ///
    /// # Errors
    /// If memory doesn't suffice or a slice is too large, before anything is computed; if another
    /// process builds there, the disk is full, or it was stopped. All that was written is kept.
    pub fn run(
        &self,
        out: &Path,
        memory: u64,
        kernel: Kernel,
        control: &Control,
    ) -> Result<Built, BuildError> {
        let Target { rules, root } = self.target;
        let below = Below::new(rules, root);
        let manifests = self.slices().map(|marbles| {
            let depth = marbles - root.count();
            let boards = below.boards(depth);
            let manifest = self.target.manifest(depth, self.level);
            manifest.ok_or_else(|| BuildError::TooLarge(TooManyBoards { marbles, boards }.into()))
        });
        let manifests = manifests.collect::<Result<Vec<_>, _>>()?;
        let folder = out.join(self.target.folder_name());
        if self.memory() > memory && !self.missing(out)?.is_empty() {
            return Err(BuildError::Memory { needed: self.memory(), limit: memory });
        }
        let _lock = Lock::take(&folder)?;
        let missing = self.missing(out)?;
        let mut writers: Vec<Option<RawWriter>> = Vec::new();
        for (marbles, manifest) in self.slices().zip(manifests) {
            let path = self.target.path(out, marbles);
            let wanted = missing.contains(&marbles);
            writers.push(if wanted { Some(RawWriter::begin(&path, manifest, in_order())?) } else { None });
        }
        if !missing.is_empty() {
            let below = |phase| Dense::below(&rules, &root, phase, kernel, control);
            let dense = [below(0)?, below(1)?];
            for (array, key) in (0..).zip(ArrayKey::all(&rules)) {
                let done = |writer: &RawWriter| {
                    let blocks = writer.blocks() / ArrayKey::all(&rules).len() as u64;
                    writer.done() >= (u64::from(array) + 1) * blocks
                };
                if writers.iter().flatten().all(done) {
                    continue;
                }
                let solution = &dense[usize::from(key.phase)];
                solution.each_slice(key.chain(&rules), memory, &mut |slice: SliceBits| {
                    let Some(Some(writer)) = writers.get(slice.depth) else { return Ok(()) };
                    let blocks: Vec<&[&Half]> = slice.halves.chunks(BLOCK_ENTRIES as usize).collect();
                    let first = u64::from(array) * blocks.len() as u64;
                    writer.put_array(array, first, &blocks, control, |halves| {
                        let (content, yes) = block_of(halves, slice.inverted);
                        (pack(&content, self.level), [yes])
                    })
                })?;
                writers.iter().flatten().try_for_each(RawWriter::flush)?;
            }
        }
        for writer in writers.into_iter().flatten() {
            writer.finish()?;
        }
        let paths = self.slices().map(|marbles| self.target.path(out, marbles)).collect();
        Ok(Built::of(paths, missing.is_empty())?)
    }
}

/// About how many boards there are below a position.
fn rough_boards(rules: &Rules, p: &Position) -> f64 {
    let (mut all, mut boards) = (0.0, 1.0);
    let mut counts = [0.0; 4];
    for ply in 0..=rules.most_marbles() - p.count() {
        all += boards;
        let seat = (p.to_move.index() + ply) % rules.seats();
        counts[seat] += 1.0;
        boards *= (p.empty() - ply) as f64 / counts[seat];
    }
    all
}
