//! The tables of a complete game: its slices by sections, from the full board down, or from an
//! existing slice.

use super::compressing::FinishedSlice;
use super::memory::{Memory, WAITING};
use super::passing::{KeptBlocks, SliceOutput};
use super::schedule::Schedule;
use super::shares::Stretches;
use super::{BuildError, Built, Decoded, Resources};
use crate::codec::Codec;
use crate::control::{Control, Stage};
use crate::index::{EDGE, Section, Sections};
use crate::rules::Rules;
use crate::solve::{Next, Report, SectionSolver, SectionsError, SolveError, Stopped, rows_within};
use crate::tables::{
    Access, ArrayInfo, ArrayKey, Cache, Domain, Filter, Folder, Listed, Lock, Manifest, Settings, Table,
    TableError, Target, Writer,
};
use crate::values::{self, BlockId, Grid, NullSink, Sink, Source};
use crate::verify::counts::CountsWriter;
use std::convert::Infallible;
use std::fs;
use std::ops::{Range, RangeBounds, RangeInclusive};
use std::path::{Path, PathBuf};

/// A build of slices of a game: from the first missing one down to a number of marbles.
#[derive(Clone, Debug)]
pub struct GameBuild {
    rules: Rules,
    /// Marbles of the last slice.
    pub(super) down_to: u8,
    /// None: all sections. Otherwise, for each slice from the last one up, those that the last one
    /// depends on.
    closure: Option<Vec<Vec<Section>>>,
    pub(super) counts_only: bool,
    from: Option<PathBuf>,
    codec: Codec,
    /// Slices that stay.
    kept: RangeInclusive<u8>,
    /// Whether slices that stay are written with their codec at once.
    pub(super) direct: bool,
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
pub(super) struct Remaining {
    /// The slices, in the order in which they are built.
    pub slices: Vec<u8>,
    /// The table of the slice to start from.
    pub next: Option<Listed>,
}

/// The folder of slices that are only passed through, and of copies of those that stay.
pub(super) const PASSING: &str = "passing";

/// Entries that are counted between two saves of the state, unless a section has more.
const COUNTED_ENTRIES: u64 = 1 << 28;

impl GameBuild {
    /// All slices of the game down to the one with `down_to` marbles: 0 for the complete game.
    pub fn new(rules: Rules, down_to: u8) -> GameBuild {
        GameBuild {
            rules,
            down_to,
            closure: None,
            counts_only: false,
            from: None,
            codec: Codec::KEPT,
            kept: 0..=u8::MAX,
            direct: false,
        }
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

    /// How the blocks of slices that stay are encoded; by default [`Codec::KEPT`].
    ///
    /// A slice that another one is computed from is written with [`Codec::PASSED`] first, and
    /// encoded again when it is finished: the next slice reads most blocks several times, and so
    /// reads what is quick to decode. The tables are the same as without ([`GameBuild::direct`]).
    #[must_use]
    pub fn codec(self, codec: Codec) -> GameBuild {
        GameBuild { codec, ..self }
    }

    /// Only slices with so many marbles stay; by default all. The others are encoded with
    /// [`Codec::PASSED`] in a folder of their own, given back to the disk section by section while
    /// the next one is built, and then deleted. The last slice is not: a later build starts from it.
    #[must_use]
    pub fn keep_slices(self, kept: RangeInclusive<u8>) -> GameBuild {
        GameBuild { kept, ..self }
    }

    /// Slices that stay are written with their codec at once, which takes less of the disk and
    /// more time.
    #[must_use]
    pub fn direct(self) -> GameBuild {
        GameBuild { direct: true, ..self }
    }

    /// Whether the table of a slice stays when the slice before it is there.
    #[must_use]
    pub fn stays(&self, slice: u8) -> bool {
        self.kept.contains(&slice)
    }

    /// How the blocks of a slice are encoded.
    pub(super) fn codec_of(&self, slice: u8) -> Codec {
        if self.kept.contains(&slice) { self.codec } else { Codec::PASSED }
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

    pub(super) fn keys(&self, sections: &[Section]) -> Vec<ArrayKey> {
        let all = self.target().sections();
        sections.iter().map(|&section| all.key(section)).collect()
    }

    /// The required sections of a slice, and whether these are all of its sections.
    pub fn sections(&self, slice: u8) -> (Vec<Section>, bool) {
        let all = self.target().sections().standard(slice.into());
        match &self.closure {
            None => (all, true),
            Some(closure) => {
                let some = closure[usize::from(slice - self.down_to)].clone();
                let complete = some.len() == all.len();
                (some, complete)
            }
        }
    }

    pub(super) fn solver(&self, resources: &Resources) -> SectionSolver {
        let memory = Memory::of(resources.memory, resources.threads.get());
        SectionSolver::new(self.rules, resources.kernel, resources.threads, memory.for_pieces())
    }

    /// What the memory is for while these sections are computed, of which the blocks in `range` are
    /// wanted.
    pub(super) fn rooms(
        &self,
        sections: &Stretches,
        range: &impl RangeBounds<BlockId>,
        resources: &Resources,
    ) -> Rooms {
        let memory = Memory::of(resources.memory, resources.threads.get());
        let threads = resources.threads.get() as u64;
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
            rooms.waiting.push(plan.waiting as usize + few_waiting(resources.memory));
        }
        rooms
    }

    /// The path of the table of a slice that stays; each set of sections has its own.
    pub(super) fn table_path(&self, out: &Path, slice: u8) -> PathBuf {
        match self.sections(slice) {
            (_, true) => self.target().path(out, slice),
            (some, false) => self.target().path_of(out, slice, &self.keys(&some)),
        }
    }

    /// The path of the table of a slice, whether it stays or not.
    pub(super) fn path(&self, out: &Path, slice: u8) -> PathBuf {
        let path = self.table_path(out, slice);
        match (self.stays(slice), path.parent(), path.file_name()) {
            (false, Some(folder), Some(name)) => folder.join(PASSING).join(name),
            _ => path,
        }
    }

    /// The file of a slice that is deleted when the next one is finished, if there is one.
    fn passed<'a>(&self, out: &Path, next: &'a FinishedSlice) -> Option<&'a Table> {
        let slice = next.table.header().slice;
        let is_passed = !self.stays(slice) && next.table.path() == self.path(out, slice);
        next.copy.as_ref().or(is_passed.then_some(&next.table))
    }

    /// The missing slices. Where `copies` count, a slice that has one and no table is the first of
    /// them, and the one after it isn't needed any more.
    pub(super) fn remaining(&self, out: &Path, copies: bool) -> Result<Remaining, BuildError> {
        let target = self.target();
        let mut folders = Vec::new();
        for folder in [Some(out.join(target.folder_name())), self.from.clone()].into_iter().flatten() {
            if folder.is_dir() {
                folders.push(Folder::open(&folder)?);
            }
        }
        let mut slices = Vec::new();
        for slice in self.down_to..=self.rules.shape.sockets() as u8 {
            let needed = self.keys(&self.sections(slice).0);
            for folder in &folders {
                if let Some(listed) = folder.holding(target, slice, &needed)? {
                    slices.reverse();
                    return Ok(Remaining { slices, next: Some(listed.clone()) });
                }
            }
            slices.push(slice);
            if copies && self.copy_path(out, slice).is_file() {
                slices.reverse();
                return Ok(Remaining { slices, next: None });
            }
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
        Ok(self.remaining(out, true)?.slices)
    }

    /// All slices down to the last one.
    pub fn slices(&self) -> Vec<u8> {
        (self.down_to..=self.rules.shape.sockets() as u8).rev().collect()
    }

    /// Entries of some slices, each standing for 256 boards.
    pub fn entries(&self, slices: &[u8]) -> u64 {
        let all = self.target().sections();
        let entries = |s: Section| all.extents(s).map(u64::from).iter().product::<u64>();
        slices.iter().flat_map(|&slice| self.sections(slice).0).map(entries).sum()
    }

    /// Tells who watches what is computed from now on.
    fn begin_stage(&self, slices: &[u8], control: &Control) {
        let what = match slices {
            [] => return,
            [slice] => format!("slice {slice}"),
            [first, .., last] => format!("slices {first} to {last}"),
        };
        control.begin(Stage::new(what, self.entries(slices), 1));
    }

    /// Builds the missing tables in the folder `out`. Resumes an interrupted build.
    ///
    /// # Errors
    /// If another process builds them, memory or disk space don't suffice, or it was cancelled. All
    /// data written so far is kept.
    pub fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built, BuildError> {
        let target = self.target();
        let folder = out.join(target.folder_name());
        let lock = Lock::take(&folder)?;
        let passing = folder.join(PASSING);
        if passing.is_dir() {
            lock.clean(&passing)?;
        }
        self.slices()
            .into_iter()
            .try_for_each(|slice| CountsWriter::clean(&target.counts_path(out, slice)))?;
        let Remaining { slices, next } = self.remaining(out, true)?;
        self.begin_stage(&slices, control);
        let cache = Cache::new(0);
        let solver = self.solver(resources);
        self.check_memory(&slices, &solver, resources)?;
        let (mut already, mut decoded) = (true, Decoded::default());
        let mut next = match next {
            None => None,
            Some(listed) => {
                let (table, slice) = (listed.open(Access::default(), cache.clone())?, listed.header.slice);
                let own = table.path() == self.path(out, slice);
                let copy = if own { self.copy_path(out, slice) } else { PathBuf::new() };
                self.forget_passed(out, slice)?;
                Some(GameBuild::finished(table, &copy))
            }
        };
        for (at, &slice) in slices.iter().enumerate() {
            if let Some(next) = &next {
                decoded.once += next.table.header().blocks;
            }
            let copy = self.copy_path(out, slice);
            if self.counts_only && slice == self.down_to && !copy.is_file() {
                let path = target.counts_path(out, slice);
                let (counted, blocks) =
                    self.count(slice, &path, &solver, next.as_ref(), resources, control)?;
                already &= counted;
                decoded.all += blocks;
                if let Some(next) = &mut next {
                    // Nothing more is computed here from what stays.
                    if next.copy.take().is_some() {
                        self.forget_copy(out, next.table.header().slice)?;
                    }
                }
                continue;
            }
            if !copy.is_file() {
                let passed = next.as_ref().and_then(|next| self.passed(out, next));
                decoded.all +=
                    self.slice(slice, out, &solver, (next.as_ref(), passed), resources, control)?;
            }
            drop(next);
            self.forget_passed(out, slice)?;
            if copy.is_file() {
                self.compress(out, slice, resources, control)?;
                self.begin_stage(&slices[at + 1..], control);
            }
            let table = Table::open(&self.path(out, slice), Access::default(), cache.clone())?;
            next = Some(GameBuild::finished(table, &copy));
            already = false;
        }
        if self.path(out, self.down_to).is_file() {
            // Of another build, which went further.
            self.forget_copy(out, self.down_to)?;
        }
        let paths = self
            .slices()
            .into_iter()
            .flat_map(|slice| [self.path(out, slice), target.counts_path(out, slice)]);
        let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
        if let (true, Some(next)) = (paths.is_empty(), &next) {
            paths.push(next.table.path().to_owned());
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
        let sections: Vec<Section> = slices.iter().flat_map(|&slice| self.sections(slice).0).collect();
        self.check_rows(&sections, solver, resources)
    }

    /// The same for these sections.
    pub(super) fn check_rows(
        &self,
        sections: &[Section],
        solver: &SectionSolver,
        resources: &Resources,
    ) -> Result<(), SolveError> {
        let row = sections.iter().map(|&section| solver.least_memory(section)).max().unwrap_or(0);
        let need = 2 * resources.threads.get() as u64 * row;
        if need > resources.memory {
            Err(SolveError::Memory { need, limit: resources.memory })
        } else {
            Ok(())
        }
    }

    /// Builds the table of a slice, or its copy, from the next one; `passed` is the file of that one
    /// that is to be deleted. Returns how many blocks were decoded.
    fn slice(
        &self,
        slice: u8,
        out: &Path,
        solver: &SectionSolver,
        (next, passed): (Option<&FinishedSlice>, Option<&Table>),
        resources: &Resources,
        control: &Control,
    ) -> Result<u64, BuildError> {
        let (sections, _) = self.sections(slice);
        let manifest = self.manifest(slice);
        let (first_blocks, _) = manifest.first_blocks();
        let (path, codec) = self.written_first(out, slice);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| TableError::io(folder, "create", error))?;
        }
        let writer = Writer::begin(&path, manifest, self.settings(codec, resources))?;
        let start = writer.missing().start;
        let next = self.next_slice(
            &sections,
            next.map(FinishedSlice::source),
            next.and_then(FinishedSlice::instead),
        );
        let stretches = Stretches::new(self.target().sections(), &sections);
        let rooms = self.rooms(&stretches, &(start..), resources);
        let sink = SliceOutput::new(&writer, rooms.waiting, &first_blocks, &next.schedule, passed)?;
        let solved = solve(solver, &sections, &next, &sink, start.., rooms.blocks, control);
        if solved.is_err() {
            // Computed blocks are kept for the next run, but for those that wait for others of their
            // tile; the first error is reported.
            let _ = writer.flush();
        }
        let (_, decoded) = solved?;
        writer.finish()?;
        Ok(decoded)
    }

    /// What the table of a slice holds.
    pub(super) fn manifest(&self, slice: u8) -> Manifest {
        let all = self.target().sections();
        let array = |s: &Section| ArrayInfo { key: all.key(*s), grid: Grid::new(all.extents(*s), EDGE) };
        Manifest { target: self.target(), slice, arrays: self.sections(slice).0.iter().map(array).collect() }
    }

    /// How tables and copies are written, but for blocks that wait because of the order in which rows are
    /// computed.
    pub(super) fn settings(&self, codec: Codec, resources: &Resources) -> Settings {
        let waiting = few_waiting(resources.memory);
        Settings { filter: Filter::Residual, waiting, ..Settings::new(codec) }
    }

    /// What sections are computed from: a table, and another one of the same blocks for those that
    /// it lacks.
    pub(super) fn next_slice<'a>(
        &self,
        sections: &[Section],
        table: Option<&'a Table>,
        instead: Option<&'a Table>,
    ) -> NextTable<'a> {
        let target = self.target();
        let there = table.into_iter().flat_map(|table| table.arrays());
        let there: Vec<Section> = there.map(|record| target.section_of(record.array.key)).collect();
        let all = self.target().sections();
        let schedule = Schedule::new(all, self.rules.shape, sections, &there);
        NextTable { table, instead, sections: there, schedule }
    }

    /// Counts the values of one slice. Returns whether that was done before, and how many blocks were
    /// decoded.
    fn count(
        &self,
        slice: u8,
        path: &Path,
        solver: &SectionSolver,
        next: Option<&FinishedSlice>,
        resources: &Resources,
        control: &Control,
    ) -> Result<(bool, u64), BuildError> {
        let (next, instead) = (next.map(FinishedSlice::source), next.and_then(FinishedSlice::instead));
        let (sections, _) = self.sections(slice);
        let mut counted = CountsWriter::begin(path, solver.sections())?;
        let entries = |s: &Section| solver.grid(*s).entries();
        control.add(sections.iter().filter(|s| counted.has(**s)).map(entries).sum());
        let mut rest: Vec<Section> = sections.into_iter().filter(|s| !counted.has(*s)).collect();
        let mut decoded = 0;
        let already = rest.is_empty() && counted.is_finished();
        while !rest.is_empty() {
            let mut sum = 0;
            let within = rest.iter().take_while(|s| {
                sum += entries(s);
                sum <= COUNTED_ENTRIES
            });
            let some: Vec<Section> = rest.drain(..within.count().max(1)).collect();
            let next = self.next_slice(&some, next, instead);
            let stretches = Stretches::new(self.target().sections(), &some);
            let rooms = self.rooms(&stretches, &.., resources).blocks;
            let (report, blocks) = solve(solver, &some, &next, &NullSink, .., rooms, control)?;
            decoded += blocks;
            for (&section, &counts) in some.iter().zip(&report.counts) {
                counted.add(section, counts)?;
            }
        }
        counted.finish()?;
        Ok((already, decoded))
    }
}

/// The next slice, of which sections are computed.
pub(super) struct NextTable<'a> {
    table: Option<&'a Table>,
    instead: Option<&'a Table>,
    /// The arrays of the table.
    sections: Vec<Section>,
    pub schedule: Schedule,
}

/// What the memory is for, beside the pieces of the next slice and rows in work.
pub(super) struct Rooms {
    /// For each section: bytes for decoded blocks that later ones need, while it is computed.
    pub blocks: Vec<u64>,
    /// For each section: bytes of encoded blocks that may wait for their turn.
    pub waiting: Vec<usize>,
}

/// Bytes of encoded blocks that may wait in any case, because threads don't finish in their order.
pub(super) fn few_waiting(memory: u64) -> usize {
    WAITING.min(memory / 8) as usize
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

/// Solves sections of one slice from the table of the next one, if there is one. `rooms`: for each
/// section bytes for decoded blocks. Returns how many blocks were decoded, too.
pub(super) fn solve<K: Sink<Error: Into<BuildError>>>(
    solver: &SectionSolver,
    sections: &[Section],
    next: &NextTable,
    sink: &K,
    range: impl RangeBounds<BlockId>,
    rooms: Vec<u64>,
    control: &Control,
) -> Result<(Report, u64), BuildError> {
    let Some(table) = next.table else {
        let report = solve_from(solver, sections, &[], &values::Memory::new(&[]), sink, range, control)?;
        return Ok((report, 0));
    };
    let source = KeptBlocks::new(table, next.instead, &next.schedule, rooms);
    let report = solve_from(solver, sections, &next.sections, &source, sink, range, control)?;
    Ok((report, source.decoded()))
}

fn solve_from<S: Source<Error: Into<BuildError>>, K: Sink<Error: Into<BuildError>>>(
    solver: &SectionSolver,
    sections: &[Section],
    next: &[Section],
    source: &S,
    sink: &K,
    range: impl RangeBounds<BlockId>,
    control: &Control,
) -> Result<Report, BuildError> {
    let next = Next { sections: next, source };
    solver.solve(sections, next, sink, range, control).map_err(|error| match error {
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
