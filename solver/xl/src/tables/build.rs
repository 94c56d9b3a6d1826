//! Builds the tables below a root, and estimates the work in advance.

use std::path::Path;

use pentago_base::{Control, Kernel, Refusal};
use pentago_store::{
    BuildError, Built, Lock, RawManifest, RawWriter, StoreError, TableEstimate, in_order, pack,
};

use super::Tablebase;
use super::below::BoardIndex;
use super::rates::{Rates, late, measure};
use super::target::{ArrayKey, BLOCK_ENTRIES, ENTRY_BYTES, LEVEL, Target, block_of};
use crate::dense::{Dense, DenseError, MOST_EMPTY, estimate_below};
use crate::kernel::HalfSuper;
use crate::options::Rules;
use crate::position::Position;
use crate::symmetry::SymmetryGroup;

/// The memory for open files and for blocks that wait to be written, in bytes. It does not depend
/// on the root.
const BUFFERS: u64 = 32 << 20;

/// The number of positions whose boards are sampled for an estimate, and the maximum number of
/// their free sockets. The sample takes half a second.
const SAMPLES: u32 = 24;
const SAMPLED_EMPTY: usize = 7;
/// The bound of the real size of tables, as a multiple of the mean of the sample, and the number of
/// standard errors to add (`bench/README.md#estimates`).
const BOUND: f64 = 1.1;
const ERRORS: f64 = 4.0;

impl From<DenseError> for BuildError {
    fn from(error: DenseError) -> BuildError {
        match error {
            DenseError::Stopped(stopped) => stopped.into(),
            DenseError::System(_) => BuildError::Solver(error.into()),
        }
    }
}

/// A build of the tables below a position: of all slices, or only of the slices up to a number of
/// plies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootBuild {
    /// The target of the tables: the rules and the root.
    pub target: Target,
    /// The number of plies from the root to the last slice that is written.
    keep: usize,
    level: u8,
}

impl RootBuild {
    /// Prepares a build of the tables below a position. The root of the tables is the canonical
    /// form of the position under all symmetries and turns of blocks. Equivalent positions
    /// therefore have tables with equal names and contents. `marbles` is the number of marbles of
    /// the last slice to write. `None` means all slices.
    ///
    /// # Errors
    /// If the rules, the position or `marbles` allow no tables.
    pub fn new(rules: Rules, p: &Position, marbles: Option<usize>) -> Result<RootBuild, Refusal> {
        if rules.continues() {
            return Err(Refusal::new("there are no tables with continue=yes"));
        }
        rules.check(p)?;
        if rules.outcome(p).is_some() {
            let why = "the game is over in this position: there is nothing below it";
            return Err(Refusal::new(why));
        }
        let (first, last, empty) = (p.count(), rules.most_marbles(), p.empty());
        if empty > MOST_EMPTY {
            let boards = rough_boards(&rules, p);
            let tables = boards * ENTRY_BYTES as f64 * ArrayKey::all(&rules).len() as f64;
            return Err(Refusal::new(format!(
                "a root may leave at most {MOST_EMPTY} sockets free, this one leaves {empty}: {boards:.1e} \
                 boards in {tables:.1e} bytes before compression; choose a position with more marbles"
            )));
        }
        let marbles = marbles.unwrap_or(last);
        if !(first..=last).contains(&marbles) {
            let why = format!("slices of {first} to {last} marbles lie below this root");
            return Err(Refusal::new(why));
        }
        let root = SymmetryGroup::WithBlocks.canonical(p);
        Ok(RootBuild { target: Target { rules, root }, keep: marbles - first, level: LEVEL })
    }

    /// Sets the compression level of zstd. A level outside 1 to 19 is replaced by the nearest of
    /// these levels. The default is 3.
    #[must_use]
    pub fn level(self, level: u8) -> RootBuild {
        RootBuild { level: level.clamp(1, 19), ..self }
    }

    /// Returns the slices that are written, as a range of numbers of marbles.
    pub fn slices(&self) -> std::ops::RangeInclusive<usize> {
        let first = self.target.root.count();
        first..=first + self.keep
    }

    /// Returns the memory that the build needs, in bytes.
    pub fn memory(&self) -> u64 {
        let solution = estimate_below(&self.target.rules, &self.target.root, None);
        solution.map_or(0, |e| e.least_bytes()).saturating_add(BUFFERS)
    }

    /// Estimates the size of the tables and the time of a build on one core. The numbers of boards
    /// and the memory are exact. The time is computed with `rates`. The sizes are upper bounds from
    /// a sample of the boards.
    pub fn estimate(&self, rates: &Rates) -> TableEstimate {
        let Target { rules, root } = &self.target;
        let control = Control::new();
        let ratio = |seed| {
            let position = late(rules, root, SAMPLED_EMPTY, seed);
            let rates = measure(rules, &position, self.level, Kernel::best(), &control);
            rates.expect("a small solution fits in memory").ratio
        };
        let ratios: Vec<f64> = (1..=SAMPLES).map(ratio).collect();
        let count = f64::from(SAMPLES);
        let mean = ratios.iter().sum::<f64>() / count;
        let squares: f64 = ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum();
        let ratio = BOUND * mean + ERRORS * (squares / (count - 1.0) / count).sqrt();
        let below = BoardIndex::new(self.target.rules, self.target.root);
        let sum = |last: usize| (0..=last).fold(0u64, |sum, depth| sum.saturating_add(below.boards(depth)));
        let (boards, kept_boards) = (sum(below.last()), sum(self.keep));
        let times = ArrayKey::all(&self.target.rules).len() as u64;
        let raw_bytes = kept_boards.saturating_mul(times).saturating_mul(ENTRY_BYTES as u64);
        let rates = rates.of(&self.target.rules);
        let seconds = times as f64 * (boards as f64 * rates.solve + kept_boards as f64 * rates.pack);
        let manifests = (0..=self.keep).filter_map(|depth| self.target.manifest(depth, self.level));
        let (mut around, mut journals) = (0, 0);
        for manifest in manifests {
            around += manifest.bytes_around();
            journals += manifest.journal_bytes();
        }
        let bytes = (raw_bytes as f64 * ratio) as u64 + around;
        let memory = self.memory();
        TableEstimate { boards, kept_boards, times, memory, raw_bytes, bytes, journals, seconds }
    }

    /// Returns the slices that have no finished table in the folder `out`, as numbers of marbles.
    ///
    /// # Errors
    /// If the folder can't be read, or if an unusable file has the name of a table.
    pub fn missing(&self, out: &Path) -> Result<Vec<usize>, StoreError> {
        let folder = out.join(self.target.folder_name());
        let (there, scan) = Tablebase::open_target(&folder, self.target)?;
        there.missing(&scan, self.slices(), |marbles| self.target.path(out, marbles))
    }

    /// Builds the missing tables in the folder `out`. Uses the threads of the current pool, and at
    /// most about `memory` bytes. An interrupted build resumes after the last finished block.
    ///
    /// # Errors
    /// Before anything is computed: if the memory doesn't suffice, or a slice is too large. Later:
    /// if another process builds in the same folder, the disk is full, or the caller cancelled.
    /// Everything that was written before the error is kept.
    pub fn run(
        &self,
        out: &Path,
        memory: u64,
        kernel: Kernel,
        control: &Control,
    ) -> Result<Built, BuildError> {
        let manifests = self.slices().map(|marbles| self.manifest(marbles));
        let manifests = manifests.collect::<Result<Vec<_>, _>>()?;
        let folder = out.join(self.target.folder_name());
        if self.memory() > memory && !self.missing(out)?.is_empty() {
            return Err(BuildError::Memory { needed: self.memory(), limit: memory });
        }
        let _lock = Lock::take(&folder)?;
        let missing = self.missing(out)?;
        if !missing.is_empty() {
            Tablebase::open_target(&folder, self.target)?.0.check(control)?;
        }
        let mut writers: Vec<Option<RawWriter>> = Vec::new();
        for (marbles, manifest) in self.slices().zip(manifests) {
            let path = self.target.path(out, marbles);
            let wanted = missing.contains(&marbles);
            writers.push(if wanted { Some(RawWriter::begin(&path, manifest, in_order())?) } else { None });
        }
        if !missing.is_empty() {
            self.write_arrays(&writers, kernel, control)?;
        }
        for writer in writers.into_iter().flatten() {
            writer.finish()?;
        }
        let paths = self.slices().map(|marbles| self.target.path(out, marbles)).collect();
        Ok(Built::of(paths, missing.is_empty())?)
    }

    /// Returns the manifest of the table for a slice.
    ///
    /// # Errors
    /// If the slice has too many boards for a table.
    fn manifest(&self, marbles: usize) -> Result<RawManifest, BuildError> {
        let Target { rules, root } = self.target;
        let depth = marbles - root.count();
        self.target.manifest(depth, self.level).ok_or_else(|| {
            let boards = BoardIndex::new(rules, root).boards(depth);
            let error = format!(
                "the slice of {marbles} marbles has {boards} boards, more than the 2^32 that a table can index"
            );
            BuildError::TooLarge(error.into())
        })
    }

    /// Solves one array after another, and writes the slices that have a writer. `writers` is
    /// indexed by the number of plies from the root to the slice.
    fn write_arrays(
        &self,
        writers: &[Option<RawWriter>],
        kernel: Kernel,
        control: &Control,
    ) -> Result<(), BuildError> {
        let Target { rules, root } = self.target;
        let dense = [0, 1].map(|phase| Dense::new(&rules, &root, None, phase, kernel, control));
        let keys = ArrayKey::all(&rules);
        for (array, key) in (0..).zip(&keys) {
            let done = |writer: &RawWriter| {
                writer.done() >= (u64::from(array) + 1) * (writer.blocks() / keys.len() as u64)
            };
            if writers.iter().flatten().all(done) {
                continue;
            }
            let solution = dense[usize::from(key.phase)].as_ref().expect("`new` checked the root");
            solution.each_slice(key.chain(&rules), |depth, halves: &[&HalfSuper], inverted| {
                let Some(Some(writer)) = writers.get(depth) else { return Ok(()) };
                let blocks: Vec<&[&HalfSuper]> = halves.chunks(BLOCK_ENTRIES as usize).collect();
                let first = u64::from(array) * blocks.len() as u64;
                writer.put_array(array, first, &blocks, control, |halves| {
                    let (content, yes) = block_of(halves, inverted);
                    (pack(&content, self.level), [yes])
                })
            })?;
            writers.iter().flatten().try_for_each(RawWriter::flush)?;
        }
        Ok(())
    }
}

/// Returns the approximate number of all boards below a position, for use in error messages.
fn rough_boards(rules: &Rules, p: &Position) -> f64 {
    let (mut all, mut boards) = (0.0, 1.0);
    let mut counts = [0.0; 4];
    for ply in 0..=rules.most_marbles() - p.count() {
        all += boards;
        let seat = rules.seat_after(p.to_move, ply).index();
        counts[seat] += 1.0;
        boards *= (p.empty() - ply) as f64 / counts[seat];
    }
    all
}
