//! The tables of a complete game: its slices by sections, from the full board down, or from an
//! existing slice.

use super::game_calibration::{GameCalibration, GameEstimate};
use super::{BuildError, Built, Decoded, Resources};
use crate::codec::Level;
use crate::control::{Control, Stage};
use crate::index::{Section, Sections};
use crate::rules::Rules;
use crate::solve::{Next, Report, SectionSolver, SectionsError, SolveError, Stopped};
use crate::tables::{
    Access, ArrayInfo, ArrayKey, Cache, Domain, Filter, Folder, Lock, Manifest, Settings, Table, Target,
    Writer,
};
use crate::values::{BlockId, Memory, NullSink, Sink, Source};
use crate::verify::counts::CountsWriter;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

/// A build of slices of a game: from the first missing one down to a number of marbles.
#[derive(Clone, Debug)]
pub struct GameBuild {
    rules: Rules,
    /// Marbles of the last slice.
    down_to: u8,
    /// None: all sections. Otherwise, for each slice from the last one up, those that the last one
    /// depends on.
    closure: Option<Vec<Vec<Section>>>,
    counts_only: bool,
    from: Option<PathBuf>,
    level: Level,
}

/// A section that the game doesn't have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} is no section of this game: a quadrant has too many marbles, or X doesn't have as many \
     marbles as O or one more"
)]
pub struct BadSection(pub Section);

/// The slices to build, and their starting point.
#[derive(Debug)]
struct Remaining {
    /// The slices, in the order in which they are built.
    slices: Vec<u8>,
    /// The table of the slice to start from.
    next: Option<PathBuf>,
}

/// Blocks of the next slice are decoded once for each piece, so a larger cache would gain nothing.
const CACHE_BYTES: usize = 1 << 24;

/// Entries that are counted between two saves of the state, unless a section has more.
const COUNTED_ENTRIES: u64 = 1 << 25;

impl GameBuild {
    /// All slices of the game down to the one with `down_to` marbles: 0 for the complete game.
    pub fn new(rules: Rules, down_to: u8) -> GameBuild {
        GameBuild { rules, down_to, closure: None, counts_only: false, from: None, level: Level::KEPT }
    }

    /// One section, and everything that it depends on.
    ///
    /// # Errors
    /// If the game has no such section.
    pub fn of_section(rules: Rules, section: Section) -> Result<GameBuild, BadSection> {
        if !section.is_legal(rules.shape) {
            return Err(BadSection(section));
        }
        let closure = Sections::of(rules.shape, rules.dir).closure(&[section]);
        let down_to = section.marbles() as u8;
        Ok(GameBuild { closure: Some(closure), ..GameBuild::new(rules, down_to) })
    }

    /// Counts the values of the last slice without storing them.
    #[must_use]
    pub fn counts_only(self) -> GameBuild {
        GameBuild { counts_only: true, ..self }
    }

    /// The zstd level of the blocks; by default [`Level::KEPT`].
    #[must_use]
    pub fn level(self, level: Level) -> GameBuild {
        GameBuild { level, ..self }
    }

    /// Starts from the lowest slice in this folder.
    #[must_use]
    pub fn going_on_from(self, folder: PathBuf) -> GameBuild {
        GameBuild { from: Some(folder), ..self }
    }

    /// The target of the tables.
    pub fn target(&self) -> Target {
        Target { rules: self.rules, domain: Domain::Game }
    }

    /// The required sections of a slice, and whether these are all of its sections.
    pub fn sections(&self, slice: u8) -> (Vec<Section>, bool) {
        let all = Sections::of(self.rules.shape, self.rules.dir).standard(slice.into());
        match &self.closure {
            None => (all, true),
            Some(closure) => {
                let some = closure[usize::from(slice - self.down_to)].clone();
                let complete = some.len() == all.len();
                (some, complete)
            }
        }
    }

    fn solver(&self, resources: &Resources) -> SectionSolver {
        // The memory of the pieces of the next slice; the rest is for rows, codecs and waiting
        // blocks.
        SectionSolver::new(self.rules, resources.kernel, resources.threads, resources.memory / 2)
    }

    /// The path of the table of a slice; each set of sections has its own.
    fn path(&self, out: &Path, slice: u8) -> PathBuf {
        match self.sections(slice) {
            (_, true) => self.target().path(out, slice),
            (some, false) => self.target().path_of(out, slice, &keys(&some)),
        }
    }

    /// The missing slices.
    fn remaining(&self, out: &Path) -> Result<Remaining, BuildError> {
        let target = self.target();
        let mut folders = Vec::new();
        for folder in [Some(out.join(target.folder_name())), self.from.clone()].into_iter().flatten() {
            if folder.is_dir() {
                folders.push(Folder::open(&folder)?);
            }
        }
        let mut slices = Vec::new();
        for slice in self.down_to..=self.rules.shape.sockets() as u8 {
            let needed = keys(&self.sections(slice).0);
            for folder in &folders {
                if let Some(path) = folder.holding(target, slice, &needed)? {
                    slices.reverse();
                    return Ok(Remaining { slices, next: Some(path) });
                }
            }
            slices.push(slice);
        }
        if let Some(folder) = &self.from {
            return Err(BuildError::NothingThere { folder: folder.clone(), target, down_to: self.down_to });
        }
        slices.reverse();
        Ok(Remaining { slices, next: None })
    }

    /// The slices to build, in order.
    ///
    /// # Errors
    /// If a folder can't be read, or there is no slice to start from.
    pub fn missing(&self, out: &Path) -> Result<Vec<u8>, BuildError> {
        Ok(self.remaining(out)?.slices)
    }

    /// All slices down to the last one.
    pub fn slices(&self) -> Vec<u8> {
        (self.down_to..=self.rules.shape.sockets() as u8).rev().collect()
    }

    /// Estimates the cost of these slices, by measuring for some seconds.
    ///
    /// # Errors
    /// If it was cancelled.
    pub fn estimate(
        &self,
        slices: &[u8],
        resources: &Resources,
        control: &Control,
    ) -> Result<GameEstimate, SolveError> {
        let calibration = GameCalibration::new(self.rules, resources.kernel, self.level, control)?;
        let slices = slices.iter().map(|&slice| {
            let kept = !(self.counts_only && slice == self.down_to);
            calibration.slice(slice, &self.sections(slice).0, resources.threads, kept)
        });
        Ok(GameEstimate { slices: slices.collect() })
    }

    /// Entries of some slices, each standing for 256 boards.
    pub fn entries(&self, slices: &[u8]) -> u64 {
        let all = Sections::of(self.rules.shape, self.rules.dir);
        let entries = |s: Section| all.extents(s).map(u64::from).iter().product::<u64>();
        slices.iter().flat_map(|&slice| self.sections(slice).0).map(entries).sum()
    }

    /// Builds the missing tables in the folder `out`. Resumes an interrupted build.
    ///
    /// # Errors
    /// If another process builds them, memory or disk space don't suffice, or it was cancelled. All
    /// data written so far is kept.
    pub fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built, BuildError> {
        let target = self.target();
        let _lock = Lock::take(&out.join(target.folder_name()))?;
        self.slices()
            .into_iter()
            .try_for_each(|slice| CountsWriter::clean(&target.counts_path(out, slice)))?;
        let Remaining { slices, next } = self.remaining(out)?;
        control.begin(Stage::new("all slices", self.entries(&slices), 1));
        let cache = Cache::new(CACHE_BYTES);
        let solver = self.solver(resources);
        self.check_memory(&slices, &solver, resources)?;
        let open = |path: &Path| Table::open(path, Access::default(), cache.clone());
        let mut next = next.as_deref().map(open).transpose()?;
        let (mut already, mut decoded) = (true, Decoded::default());
        for slice in slices {
            if let Some(table) = &next {
                decoded.once += table.header().blocks;
            }
            if self.counts_only && slice == self.down_to {
                let path = target.counts_path(out, slice);
                already &= self.count(slice, &path, &solver, next.as_ref(), control, &mut decoded)?;
            } else {
                let path = self.path(out, slice);
                let report = self.slice(slice, &path, &solver, next.as_ref(), resources, control)?;
                decoded.all += report.blocks_read;
                next = Some(open(&path)?);
                already = false;
            }
        }
        let paths = self
            .slices()
            .into_iter()
            .flat_map(|slice| [self.path(out, slice), target.counts_path(out, slice)]);
        let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
        if let (true, Some(table)) = (paths.is_empty(), &next) {
            paths.push(table.path().to_owned());
        }
        Ok(Built { decoded, ..Built::new(paths, 0, already)? })
    }

    /// Checks that half of the memory holds, for every thread, the largest row of blocks with its
    /// children.
    fn check_memory(
        &self,
        slices: &[u8],
        solver: &SectionSolver,
        resources: &Resources,
    ) -> Result<(), SolveError> {
        let sections = slices.iter().flat_map(|&slice| self.sections(slice).0);
        let row = sections.map(|section| solver.least_memory(section)).max().unwrap_or(0);
        let need = 2 * resources.threads.get() as u64 * row;
        if need > resources.memory {
            Err(SolveError::Memory { need, limit: resources.memory })
        } else {
            Ok(())
        }
    }

    /// Builds one table from that of the next slice.
    fn slice(
        &self,
        slice: u8,
        path: &Path,
        solver: &SectionSolver,
        next: Option<&Table>,
        resources: &Resources,
        control: &Control,
    ) -> Result<Report, BuildError> {
        let (sections, _) = self.sections(slice);
        let array = |s: &Section| ArrayInfo { key: s.bytes(), grid: solver.grid(*s) };
        let manifest =
            Manifest { target: self.target(), slice, arrays: sections.iter().map(array).collect() };
        let (first_blocks, _) = manifest.first_blocks();
        let settings = Settings::new(self.level);
        let settings = Settings {
            filter: Filter::Residual,
            waiting: settings.waiting.min((resources.memory / 8) as usize),
            ..settings
        };
        let writer = Writer::begin(path, manifest, settings)?;
        let done = writer.done();
        let array = first_blocks.partition_point(|&first| first <= done) - 1;
        let start = BlockId { array: array as u32, block: done - first_blocks[array] };
        let solved = solve(solver, &sections, next, &writer, start, control);
        if solved.is_err() {
            // Computed blocks are kept for the next run; the first error is reported.
            let _ = writer.flush();
        }
        let report = solved?;
        writer.finish()?;
        Ok(report)
    }

    /// Counts the values of one slice. Returns whether that was done before.
    fn count(
        &self,
        slice: u8,
        path: &Path,
        solver: &SectionSolver,
        next: Option<&Table>,
        control: &Control,
        decoded: &mut Decoded,
    ) -> Result<bool, BuildError> {
        let (sections, _) = self.sections(slice);
        let mut counted = CountsWriter::begin(path, solver.sections())?;
        let entries = |s: &Section| solver.grid(*s).entries();
        control.add(sections.iter().filter(|s| counted.has(**s)).map(entries).sum());
        let mut rest: Vec<Section> = sections.into_iter().filter(|s| !counted.has(*s)).collect();
        let already = rest.is_empty() && counted.is_finished();
        while !rest.is_empty() {
            let mut sum = 0;
            let within = rest.iter().take_while(|s| {
                sum += entries(s);
                sum <= COUNTED_ENTRIES
            });
            let some: Vec<Section> = rest.drain(..within.count().max(1)).collect();
            let report = solve(solver, &some, next, &NullSink, BlockId { array: 0, block: 0 }, control)?;
            decoded.all += report.blocks_read;
            for (&section, &counts) in some.iter().zip(&report.counts) {
                counted.add(section, counts)?;
            }
        }
        counted.finish()?;
        Ok(already)
    }
}

fn keys(sections: &[Section]) -> Vec<ArrayKey> {
    sections.iter().map(|s| s.bytes()).collect()
}

/// Solves sections of one slice from the table of the next one, if there is one.
fn solve<K: Sink<Error: Into<BuildError>>>(
    solver: &SectionSolver,
    sections: &[Section],
    next: Option<&Table>,
    sink: &K,
    start: BlockId,
    control: &Control,
) -> Result<Report, BuildError> {
    match next {
        None => solve_from(solver, sections, &[], &Memory::new(&[]), sink, start, control),
        Some(table) => {
            let section = |key| Section::from_bytes(key).expect("the table was checked");
            let there = table.arrays().iter().map(|record| section(record.array.key));
            solve_from(solver, sections, &there.collect::<Vec<_>>(), table, sink, start, control)
        }
    }
}

fn solve_from<S: Source<Error: Into<BuildError>>, K: Sink<Error: Into<BuildError>>>(
    solver: &SectionSolver,
    sections: &[Section],
    next: &[Section],
    source: &S,
    sink: &K,
    start: BlockId,
    control: &Control,
) -> Result<Report, BuildError> {
    let next = Next { sections: next, source };
    solver.solve(sections, next, sink, start, control).map_err(|error| match error {
        SectionsError::Cancelled(cancelled) => SolveError::from(Stopped::from(cancelled)).into(),
        SectionsError::Missing(section) => BuildError::Missing(section),
        SectionsError::Get(error) => error.into(),
        SectionsError::Put(error) => error.into(),
    })
}

impl From<Infallible> for BuildError {
    fn from(never: Infallible) -> BuildError {
        match never {}
    }
}
