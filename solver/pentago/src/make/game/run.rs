//! Building the slices of a game: from the first missing one down to the last.

use super::computation::Computation;
use super::counted::{CountingSink, CountsWriter};
use super::files::{Files, FinishedSlice, Left};
use super::passing::{Computed, Kept, SliceOutput};
use super::request::{GameBuild, PASSING, Remaining};
use crate::make::share::Schedule;
use crate::make::{BuildError, Built, Decoded, Resources};
use pentago_base::{Control, Stage};
use pentago_core::index::Section;
use pentago_core::values::{BlockId, ENTRY_BYTES};
use pentago_tables::codec::Codec;
use pentago_tables::tables::{Access, Cache, Lock, Table, TableError, Writer};
use pentago_tables::verify::counts::{BySection, of_table, published};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

impl GameBuild {
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
        let Remaining { slices, next, gaps } = self.remaining(Some(out), true)?;
        begin_stage(self, &slices, control);
        let sections: Vec<Section> = slices.iter().flat_map(|&slice| self.sections(slice).0).collect();
        self.check_rows(&sections, resources)?;
        let files = Files { build: self, out };
        let next = match next {
            None => None,
            Some((slice, paths)) => {
                let table = Table::open_shards(&paths, Access::default(), Cache::new(0))?;
                files.forget_passed(slice)?;
                Some(files.finished(slice, table))
            }
        };
        let (kept, decoded) = (Mutex::default(), Decoded::default());
        let mut run = Run { files, resources, control, next, kept, already: true, decoded };
        for (at, &slice) in slices.iter().enumerate() {
            run.build(slice, &slices[at + 1..])?;
        }
        if self.path(out, self.down_to).is_file() {
            // Of another build, which went further.
            files.forget_copy(self.down_to)?;
        }
        let paths = self
            .slices()
            .into_iter()
            .flat_map(|slice| [self.path(out, slice), target.counts_path(out, slice)]);
        let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
        if let (true, Some(next)) = (paths.is_empty(), &run.next) {
            paths.push(next.table.path().to_owned());
        }
        Ok(Built { decoded: run.decoded, gaps, ..Built::new(paths, 0, run.already)? })
    }
}

/// Tells who watches what is computed from now on.
fn begin_stage(build: &GameBuild, slices: &[u8], control: &Control) {
    let what = match slices {
        [] => return,
        [slice] => format!("slice {slice}"),
        [first, .., last] => format!("slices {first} to {last}"),
    };
    control.begin(Stage::supers(what, build.entries(slices)));
}

/// Of a slice that takes at most this part of the memory, blocks may stay there as they were computed
/// (`bench/README.md#memory-of-pieces`).
const COMPUTED_PART: u64 = 8;

/// A build that runs.
struct Run<'a> {
    files: Files<'a>,
    resources: &'a Resources,
    control: &'a Control,
    /// The slice after the one that is to be built.
    next: Option<FinishedSlice>,
    kept: Mutex<Kept>,
    /// Whether nothing was done yet.
    already: bool,
    decoded: Decoded,
}

impl Run<'_> {
    /// Builds or counts a slice from the next one, and goes on with what is left of it; `rest` are the
    /// slices that are built then.
    fn build(&mut self, slice: u8, rest: &[u8]) -> Result<(), BuildError> {
        let build = self.files.build;
        self.control.mark("slice", slice.to_string());
        self.decoded.once += self.next.as_ref().map_or(0, |next| next.table.header().blocks);
        let counted = build.counts_only && slice == build.down_to;
        match self.files.inspect(slice) {
            Left::Blocks { .. } if counted => return self.count(slice),
            Left::Blocks { path, codec, is_copy } => {
                self.compute(slice, &path, codec, rest.first().copied())?;
                self.give_up_next(slice)?;
                if is_copy {
                    self.compress(slice, rest)?;
                }
            }
            Left::Copy => {
                self.give_up_next(slice)?;
                self.compress(slice, rest)?;
            }
        }
        self.next = Some(self.files.open(slice)?);
        self.already = false;
        Ok(())
    }

    /// All blocks of a slice are there: the next one isn't needed any more.
    fn give_up_next(&mut self, slice: u8) -> Result<(), TableError> {
        self.next = None;
        self.files.forget_passed(slice)
    }

    fn compress(&self, slice: u8, rest: &[u8]) -> Result<(), BuildError> {
        self.files.compress(slice, self.resources, self.control)?;
        begin_stage(self.files.build, rest, self.control);
        Ok(())
    }

    /// What stays in memory of a slice for the one before it: of a small one what is needed more than once.
    /// For the rest, touching fresh memory would take as long as decoding.
    fn computed(&self, slice: u8, before: Option<u8>) -> Option<Computed<'_>> {
        let (build, target) = (self.files.build, self.files.build.target());
        let is_small = ENTRY_BYTES as u64 * build.entries(&[slice]) <= self.resources.memory / COMPUTED_PART;
        let (before, _) = build.sections(before.filter(|_| is_small)?);
        let (sections, _) = build.sections(slice);
        let schedule = Schedule::new(target.sections(), target.rules.shape, &before, &sections);
        let times = |array: u32| -> usize {
            schedule.parents[array as usize].iter().map(|&parent| schedule.times(array, parent)).sum()
        };
        let arrays = (0..sections.len() as u32).map(|array| times(array) > 1).collect();
        Some(Computed { slice, arrays, kept: &self.kept })
    }

    /// Computes the blocks of a slice that a file of it lacks, and that the slice `before` it may need.
    fn compute(
        &mut self,
        slice: u8,
        path: &Path,
        codec: Codec,
        before: Option<u8>,
    ) -> Result<(), BuildError> {
        let build = self.files.build;
        let manifest = build.manifest(slice);
        let (first_blocks, _) = manifest.first_blocks();
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| TableError::io(folder, "create", error))?;
        }
        let settings = build.settings(codec, self.resources, self.control);
        let writer = Writer::begin(path, manifest.clone(), settings)?;
        let missing = writer.missing();
        let next = self.next.as_ref().map(FinishedSlice::files);
        let sections = Computation::new(build, build.sections(slice).0, next, self.resources);
        let rooms = sections.rooms(&missing);
        let passed = self.next.as_ref().and_then(FinishedSlice::passed);
        let (waiting, computed) = (rooms.waiting, self.computed(slice, before));
        let sink = SliceOutput::new(&writer, waiting, &first_blocks, &sections.schedule, passed, computed)?;
        let solved = sections.solve(&sink, missing, rooms.blocks, &self.kept, self.control);
        if solved.is_err() {
            // Computed blocks are kept for the next run, but for those that wait for others of their
            // tile; the first error is reported.
            let _ = writer.flush();
        }
        let (_, decoded) = solved?;
        self.decoded.all += decoded;
        writer.finish()?;
        // Before anything that it was computed from is given up.
        let table = Table::open(path, Access::default(), Cache::new(0))?;
        self.compare(slice, of_table(&table), path)
    }

    /// Compares the counts of a slice with the published ones, if all of it is there. What is wrong is
    /// put aside, so that the next run doesn't go on from it.
    fn compare(&self, slice: u8, counts: BySection, path: &Path) -> Result<(), BuildError> {
        let build = self.files.build;
        let compared = build.published.then(|| published(build.target(), slice, counts)).flatten();
        self.control.mark(
            "counts",
            match &compared {
                None => format!("slice {slice}: nothing to compare"),
                Some(Ok(results)) => format!("slice {slice}: as published: {results}"),
                Some(Err(difference)) => difference.to_string(),
            },
        );
        let Some(Err(difference)) = compared else { return Ok(()) };
        let mut wrong = path.as_os_str().to_owned();
        wrong.push(".wrong");
        let wrong = PathBuf::from(wrong);
        fs::rename(path, &wrong).map_err(|error| TableError::io(path, "put aside", error))?;
        Err(BuildError::Wrong(difference, wrong))
    }

    /// Counts the values of a slice without storing them, those of sections that weren't counted before.
    fn count(&mut self, slice: u8) -> Result<(), BuildError> {
        let (build, all) = (self.files.build, self.files.build.target().sections());
        let path = build.target().counts_path(self.files.out, slice);
        let mut counted = CountsWriter::begin(&path, all)?;
        let entries = |s: &Section| all.extents(*s).map(u64::from).iter().product::<u64>();
        let (sections, _) = build.sections(slice);
        self.control.add_earlier(sections.iter().filter(|s| counted.has(**s)).map(entries).sum());
        let rest: Vec<Section> = sections.into_iter().filter(|s| !counted.has(*s)).collect();
        self.already &= rest.is_empty() && counted.is_finished();
        if !rest.is_empty() {
            let next = self.next.as_ref().map(FinishedSlice::files);
            let computation = Computation::new(build, rest, next, self.resources);
            let all = BlockId { array: 0, block: 0 }..BlockId { array: u32::MAX, block: 0 };
            let rooms = computation.rooms(&all).blocks;
            let sink = CountingSink::new(counted, &computation.sections);
            let (_, decoded) = computation.solve(&sink, all, rooms, &self.kept, self.control)?;
            self.decoded.all += decoded;
            counted = sink.into_list();
        }
        let results = counted.results().clone();
        counted.finish()?;
        self.compare(slice, results, &path)?;
        // Nothing more is computed here from what stays.
        if let Some(next) = self.next.as_mut().filter(|next| next.copy.is_some()) {
            next.copy = None;
            self.files.forget_copy(next.table.header().slice)?;
        }
        Ok(())
    }
}
