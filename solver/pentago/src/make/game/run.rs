//! Builds the slices of a game, from the first missing slice down to the last slice.

use super::computation::Computation;
use super::counted::{CountingSink, CountsWriter};
use super::files::{Files, FinishedSlice, UnfinishedSlice};
use super::passing::{BlockCache, ComputedArrays, SliceOutput};
use super::request::{GameBuild, PASSING, Remaining};
use crate::error::{Error, ErrorKind};
use crate::make::share::Schedule;
use crate::make::{Built, Decoded, Resources};
use pentago_base::{Control, Stage, shown_path};
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
    /// If another process builds in the folder, if memory or disk space don't suffice, or if the
    /// build was cancelled. All data written so far is kept.
    pub fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built, Error> {
        self.build(out, resources, control).map_err(Error::of_build)
    }

    fn build(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built, Error> {
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
        let files = Files { build: self, out };
        files.check_begun()?;
        for slice in self.slices() {
            if let Some(table) = self.left_over(out, slice) {
                let copied = fs::rename(&table, self.copy_path(out, slice));
                copied.map_err(|error| TableError::io(&table, "rename", error))?;
            }
        }
        let Remaining { slices, next, gaps } = self.remaining(Some(out), true)?;
        begin_stage(self, &slices, control);
        slices.iter().try_for_each(|&slice| self.check_memory(&self.sections(slice).0, resources))?;
        let next = match next {
            None => None,
            Some((slice, paths)) => {
                let table = Table::open_shards(&paths, Access::default(), Cache::new(0))?;
                files.delete_temporary(slice)?;
                Some(files.finished(slice, table))
            }
        };
        let (cache, decoded) = (Mutex::default(), Decoded::default());
        let mut run = RunningBuild { files, resources, control, next, cache, already: true, decoded };
        for (at, &slice) in slices.iter().enumerate() {
            run.build(slice, &slices[at + 1..])?;
        }
        if self.path(out, self.down_to).is_file() {
            // An earlier build that included more slices may have left a copy of the last slice.
            files.delete_copy(self.down_to)?;
        }
        let paths = self
            .slices()
            .into_iter()
            .flat_map(|slice| [self.path(out, slice), target.counts_path(out, slice)]);
        let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
        if let (true, Some(next)) = (paths.is_empty(), &run.next) {
            paths.push(next.table.path().to_owned());
        }
        let built = pentago_store::Built::of(paths, run.already)?;
        Ok(Built { decoded: run.decoded, gaps, ..built.into() })
    }
}

/// Starts a stage of the progress that covers the remaining slices.
fn begin_stage(build: &GameBuild, slices: &[u8], control: &Control) {
    let what = match slices {
        [] => return,
        [slice] => format!("slice {slice}"),
        [first, .., last] => format!("slices {first} to {last}"),
    };
    control.begin(Stage::supers(what, build.entries(slices)));
}

/// The computed blocks of a slice stay in memory if the size of the slice is at most the memory
/// limit divided by this number (`bench/README.md#memory-of-pieces`).
const COMPUTED_PART: u64 = 8;

/// The state of a running build.
struct RunningBuild<'a> {
    files: Files<'a>,
    resources: &'a Resources,
    control: &'a Control,
    /// The slice from which the next missing slice is computed.
    next: Option<FinishedSlice>,
    cache: Mutex<BlockCache>,
    /// `true` until the build has built something.
    already: bool,
    decoded: Decoded,
}

impl RunningBuild<'_> {
    /// Builds or counts a slice, computed from the next slice, or resumes its build. `rest` lists
    /// the slices to build after this one.
    fn build(&mut self, slice: u8, rest: &[u8]) -> Result<(), Error> {
        let build = self.files.build;
        self.control.mark("slice", slice.to_string());
        self.decoded.once += self.next.as_ref().map_or(0, |next| next.table.header().blocks);
        let counted = build.counts_only && slice == build.down_to;
        match self.files.inspect(slice) {
            UnfinishedSlice::Blocks { .. } if counted => return self.count(slice),
            UnfinishedSlice::Blocks { path, codec, is_copy } => {
                self.compute(slice, &path, codec, rest.first().copied())?;
                self.delete_next(slice)?;
                if is_copy {
                    self.compress(slice, rest)?;
                }
            }
            UnfinishedSlice::Copy => {
                self.delete_next(slice)?;
                self.compress(slice, rest)?;
            }
        }
        self.next = Some(self.files.open(slice)?);
        self.already = false;
        Ok(())
    }

    /// Deletes the temporary files of the next slice. All blocks of `slice` must be written.
    fn delete_next(&mut self, slice: u8) -> Result<(), TableError> {
        self.next = None;
        self.files.delete_temporary(slice)
    }

    fn compress(&self, slice: u8, rest: &[u8]) -> Result<(), Error> {
        self.files.compress(slice, self.resources, self.control)?;
        begin_stage(self.files.build, rest, self.control);
        Ok(())
    }

    /// Returns the arrays of a slice whose blocks stay in memory for the preceding slice `before`.
    /// These are the arrays of small slices that are needed more than once. For other arrays, the
    /// first access to new memory would take as long as decoding.
    fn computed(&self, slice: u8, before: Option<u8>) -> Option<ComputedArrays<'_>> {
        let (build, target) = (self.files.build, self.files.build.target());
        let is_small = ENTRY_BYTES as u64 * build.entries(&[slice]) <= self.resources.memory / COMPUTED_PART;
        let (before, _) = build.sections(before.filter(|_| is_small)?);
        let (sections, _) = build.sections(slice);
        let schedule = Schedule::new(target.sections(), target.rules.shape, &before, &sections);
        let times = |array: u32| -> usize {
            schedule.parents[array as usize].iter().map(|&parent| schedule.times(array, parent)).sum()
        };
        let arrays = (0..sections.len() as u32).map(|array| times(array) > 1).collect();
        Some(ComputedArrays { slice, arrays, cache: &self.cache })
    }

    /// Computes the missing blocks of a slice into the file `path`. `before` is the slice that is
    /// computed next, or `None` if this slice is the last.
    fn compute(&mut self, slice: u8, path: &Path, codec: Codec, before: Option<u8>) -> Result<(), Error> {
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
        let temporary = self.next.as_ref().and_then(FinishedSlice::temporary);
        let (waiting, computed) = (rooms.waiting, self.computed(slice, before));
        let sink =
            SliceOutput::new(&writer, waiting, &first_blocks, &sections.schedule, temporary, computed)?;
        let solved = sections.solve(&sink, missing, rooms.blocks, &self.cache, self.control);
        if solved.is_err() {
            // Keep the computed blocks for the next run. Blocks that wait for other blocks of their
            // tile are lost. An error of `flush` is ignored, because the first error is reported.
            let _ = writer.flush();
        }
        let (_, decoded) = solved?;
        self.decoded.all += decoded;
        writer.finish()?;
        // Compare the counts now, because the next slice will be deleted.
        let table = Table::open(path, Access::default(), Cache::new(0))?;
        self.compare(slice, of_table(&table), path)
    }

    /// Compares the counts of a complete slice with the published counts. If they differ, renames
    /// the file, so that the next run doesn't use it, and returns an error.
    fn compare(&self, slice: u8, counts: BySection, path: &Path) -> Result<(), Error> {
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
        let text = format!(
            "{difference}: the machine has erred, or what it was computed from was damaged: the slice is \
             kept aside as {}, and the same command computes it again",
            shown_path(&wrong)
        );
        Err(Error::new(ErrorKind::Contradiction, text))
    }

    /// Counts the values of the sections of a slice that weren't counted before, without storing
    /// the values.
    fn count(&mut self, slice: u8) -> Result<(), Error> {
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
            let (_, decoded) = computation.solve(&sink, all, rooms, &self.cache, self.control)?;
            self.decoded.all += decoded;
            counted = sink.into_list();
        }
        let results = counted.counted.clone();
        counted.finish()?;
        self.compare(slice, results, &path)?;
        // This slice is the last one, so the copy of the next slice isn't needed any more.
        if let Some(next) = self.next.as_mut().filter(|next| next.copy.is_some()) {
            next.copy = None;
            self.files.delete_copy(next.table.header().slice)?;
        }
        Ok(())
    }
}
