//! Building the slices of a game: from the first missing one down to the last.

use super::counted::CountsWriter;
use super::files::FinishedSlice;
use super::passing::{KeptBlocks, SliceOutput};
use super::{GameBuild, PASSING, Remaining};
use crate::build::share::{Memory, Schedule, Stretches, few_waiting};
use crate::build::{BuildError, Built, Decoded, Resources};
use crate::codec::Codec;
use crate::index::Section;
use crate::solve::{Next, Report, SectionSolver, SectionsError, SolveError, rows_within};
use crate::tables::{Access, Cache, Lock, Settings, Table, TableError, Writer};
use crate::values::{self, BlockId, NullSink, Sink, Source};
use pentago_base::{Control, Stage};
use std::convert::Infallible;
use std::fs;
use std::ops::{Range, RangeBounds};
use std::path::{Path, PathBuf};

/// Entries that are counted between two saves of the state, unless a section has more.
const COUNTED_ENTRIES: u64 = 1 << 28;

impl GameBuild {
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

    /// How tables and copies are written, but for blocks that wait because of the order in which rows are
    /// computed.
    pub(super) fn settings(&self, codec: Codec, resources: &Resources) -> Settings {
        let waiting = few_waiting(resources.memory);
        Settings { waiting, ..Settings::new(codec) }
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
        SectionsError::Stopped(stopped) => stopped.into(),
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
