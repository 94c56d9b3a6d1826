//! The files of a slice: its table and, for some slices, a temporary copy.
//!
//! A slice has a copy if the slice is kept, the preceding slice is computed from it, and its codec
//! isn't [`Codec::QUICK`]. The computation of the preceding slice reads most blocks several times,
//! and codecs with smaller files are slower to decode. So the slice is first written as a copy with
//! [`Codec::QUICK`]. The finished copy is compressed into the table. The copy is freed and deleted
//! like a temporary slice. The table is byte for byte the same as a table that is written directly.
//!
//! A killed build may leave the following states. [`UnfinishedSlice`] represents the states without
//! a finished table.
//!
//! | copy | table | next step |
//! |---|---|---|
//! | unfinished | not started | resume the copy |
//! | finished | not started, or unfinished | compress the table, or resume its compression |
//! | finished, or partly freed | finished | compute the preceding slice from both files |
//! | partly freed | deleted by the user | ignore the copy: compute the slice again |
//! | not started | unfinished | resume the table, which is written directly |
//! | none | finished | compute the preceding slice from the table |

use super::computation::NextFiles;
use super::request::{GameBuild, PASSING, is_begun};
use crate::error::{Error, ErrorKind};
use crate::make::Resources;
use pentago_base::{Control, Stage, into_inner, lock, shown_path};
use pentago_core::threads;
use pentago_core::values::{BlockId, Entry, Source};
use pentago_store::working_files;
use pentago_tables::codec::Codec;
use pentago_tables::tables::{Access, Cache, Table, TableError, TableSource, Writer};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::{fs, io};

/// The extension of a copy of which some blocks may already be freed.
const FREED: &str = "freed";

/// The state of a slice without a finished table, which decides the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum UnfinishedSlice {
    /// The copy is finished: compress the copy into the table, or resume the compression.
    Copy,
    /// Neither the copy nor the table is finished: compute blocks into a file. A file that an
    /// earlier build started is resumed even if the options differ, because the next slice may have
    /// been deleted.
    Blocks {
        /// The path of the file, which is the table or the copy.
        path: PathBuf,
        /// The codec of the file.
        codec: Codec,
        /// `true` if the file is the copy, from which the table is compressed later.
        is_copy: bool,
    },
}

/// The files of a finished slice, from which the preceding slice is computed.
pub(super) struct FinishedSlice {
    pub table: Table,
    /// The copy, or `None` if the slice has no copy.
    pub copy: Option<Table>,
    /// `true` if the table is deleted once the preceding slice is finished.
    is_temporary: bool,
}

impl FinishedSlice {
    /// Returns the files to read: the copy if there is one, and the table for blocks that the copy
    /// lacks.
    pub fn files(&self) -> NextFiles<'_> {
        match &self.copy {
            Some(copy) => NextFiles { table: copy, instead: Some(&self.table) },
            None => NextFiles { table: &self.table, instead: None },
        }
    }

    /// Returns the file that is freed while the preceding slice is computed, or `None` if no file
    /// is freed.
    pub fn temporary(&self) -> Option<&Table> {
        self.copy.as_ref().or(self.is_temporary.then_some(&self.table))
    }
}

/// A build, and the folder of its files.
#[derive(Clone, Copy)]
pub(super) struct Files<'a> {
    pub build: &'a GameBuild,
    pub out: &'a Path,
}

impl Files<'_> {
    /// Returns the path of the table of a slice.
    pub fn path(&self, slice: u8) -> PathBuf {
        self.build.path(self.out, slice)
    }

    fn copy(&self, slice: u8) -> PathBuf {
        self.build.copy_path(self.out, slice)
    }

    /// Returns the state of a slice that has no finished table.
    pub fn inspect(&self, slice: u8) -> UnfinishedSlice {
        let (path, copy) = (self.path(slice), self.copy(slice));
        if copy.is_file() {
            UnfinishedSlice::Copy
        } else if is_begun(&copy) || self.build.has_copy(slice) && !is_begun(&path) {
            UnfinishedSlice::Blocks { path: copy, codec: Codec::QUICK, is_copy: true }
        } else {
            UnfinishedSlice::Blocks { path, codec: self.build.codec_of(slice), is_copy: false }
        }
    }

    /// Checks that the build continues every slice that an earlier build has begun. Otherwise the
    /// build could need blocks of the next slice that the earlier build has freed.
    ///
    /// # Errors
    /// If a slice was begun as a temporary slice and is now to be kept, or the other way round.
    pub fn check_begun(&self) -> Result<(), Error> {
        for slice in self.build.slices() {
            let UnfinishedSlice::Blocks { path, .. } = self.inspect(slice) else { continue };
            let temporary = self.build.temporary_path(self.out, slice);
            let paths = [self.build.table_path(self.out, slice), temporary.clone()];
            if !self.path(slice).is_file()
                && !is_begun(path)
                && let Some(begun) = paths.iter().find(|path| is_begun(path))
            {
                let both = [working_files(begun)[0].clone(), temporary.with_file_name("")];
                let there = both.iter().filter(|path| path.exists()).map(|path| shown_path(path));
                let text = format!(
                    "slice {slice} was begun with other --keep-slices: continue with those, or delete {} to start \
                     over",
                    there.collect::<Vec<_>>().join(" and ")
                );
                return Err(Error::new(ErrorKind::Input, text));
            }
        }
        Ok(())
    }

    /// Opens the finished table of a slice, and its copy if there is one. Renames the copy, because
    /// blocks of the copy may be freed from now on.
    ///
    /// # Errors
    /// If the table can't be opened.
    pub fn open(&self, slice: u8) -> Result<FinishedSlice, TableError> {
        Ok(self.finished(slice, Table::open(&self.path(slice), Access::default(), Cache::new(0))?))
    }

    /// Adds the copy of a slice to its open table. A table in another folder has no copy.
    pub fn finished(&self, slice: u8, table: Table) -> FinishedSlice {
        if table.path() != self.path(slice) {
            return FinishedSlice { table, copy: None, is_temporary: false };
        }
        let path = self.copy(slice);
        let freed = path.with_extension(FREED);
        let is_renamed = !path.is_file() || fs::rename(path, &freed).is_ok();
        let copy =
            (is_renamed && freed.is_file()).then(|| Table::open(&freed, Access::default(), Cache::new(0)));
        FinishedSlice { table, copy: copy.and_then(Result::ok), is_temporary: !self.build.stays(slice) }
    }

    /// Compresses the copy of a slice into its table, or resumes the compression.
    ///
    /// # Errors
    /// If the copy is damaged, the disk is full, or the build was cancelled. All data written so
    /// far is kept.
    pub fn compress(&self, slice: u8, resources: &Resources, control: &Control) -> Result<(), Error> {
        let build = self.build;
        let copy = Table::open(&self.copy(slice), Access::default(), Cache::new(0))?;
        let manifest = build.manifest(slice);
        let (first_blocks, _) = manifest.first_blocks();
        control.begin(Stage::supers(format!("compressing slice {slice}"), manifest.entries()));
        let settings = build.settings(build.codec_of(slice), resources, control);
        let writer = Writer::begin(&self.path(slice), manifest.clone(), settings)?;

        let (number, stopped) = (AtomicU64::new(writer.done()), AtomicBool::new(false));
        let failure = Mutex::new(None);
        let block = |number: u64, entries: &mut Vec<Entry>| -> Result<(), Error> {
            control.check()?;
            let array = first_blocks.partition_point(|&first| first <= number) - 1;
            let id = BlockId { array: array as u32, block: number - first_blocks[array] };
            entries.resize(manifest.arrays[array].grid.len(id.block), Entry::default());
            TableSource(&copy).get(id, entries)?;
            writer.put(id, entries)?;
            control.add(entries.len() as u64);
            Ok(())
        };
        let work = || {
            let mut entries = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                // Threads compress blocks in order, so that few blocks wait to be written.
                let number = number.fetch_add(1, Ordering::Relaxed);
                if number >= writer.blocks() {
                    return;
                }
                if let Err(error) = block(number, &mut entries) {
                    stopped.store(true, Ordering::Relaxed);
                    lock(&failure).get_or_insert(error);
                }
            }
        };
        if resources.threads.get() > 1 {
            threads::broadcast(work);
        } else {
            work();
        }
        if let Some(failure) = into_inner(failure) {
            // Keep the compressed blocks for the next run. An error of `flush` is ignored, because
            // the first error is reported.
            let _ = writer.flush();
            return Err(failure);
        }
        writer.finish()?;
        Ok(())
    }

    /// Deletes the temporary tables and the copies of all slices with more than `after` marbles.
    pub fn delete_temporary(&self, after: u8) -> Result<(), TableError> {
        for slice in after + 1..=self.build.target().rules.shape.sockets() as u8 {
            // An earlier build may have written a slice as a temporary slice that is now kept.
            remove(&self.build.temporary_path(self.out, slice))?;
            self.delete_copy(slice)?;
        }
        Ok(())
    }

    /// Deletes the copy of a slice, whether it is finished or not.
    pub fn delete_copy(&self, slice: u8) -> Result<(), TableError> {
        let copy = self.copy(slice);
        remove(&copy)?;
        remove(&copy.with_extension(FREED))?;
        working_files(&copy).iter().try_for_each(|path| remove(path))?;
        // Remove the folder if it is empty. Otherwise the call fails, which does no harm.
        let _ = fs::remove_dir(self.out.join(self.build.target().folder_name()).join(PASSING));
        Ok(())
    }
}

/// Removes a file if it exists.
fn remove(path: &Path) -> Result<(), TableError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(TableError::io(path, "remove", error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::make::game::computation::Computation;
    use pentago_core::kernel::Kernel;
    use pentago_core::rules::Rules;
    use pentago_store::Holes;
    use pentago_tables::codec::Level;
    use pentago_tables::tables::Settings;
    use std::collections::BTreeMap;
    use std::num::NonZeroUsize;
    use std::thread;

    fn resources(threads: usize) -> Resources {
        Resources {
            kernel: Kernel::best(),
            threads: NonZeroUsize::new(threads).expect("some"),
            memory: 1 << 28,
            scratch: PathBuf::new(),
            scratch_limit: u64::MAX,
        }
    }

    /// Returns the contents of all files under a folder, keyed by name, without the lock file.
    fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        for entry in fs::read_dir(folder).expect("listed") {
            let path = entry.expect("listed").path();
            if path.is_dir() {
                found.extend(files(&path));
            } else if !path.ends_with(".lock") {
                found.insert(path.file_name().expect("a name").into(), fs::read(&path).expect("read"));
            }
        }
        found
    }

    fn built(build: &GameBuild) -> (tempfile::TempDir, BTreeMap<PathBuf, Vec<u8>>) {
        let folder = tempfile::tempdir().expect("a folder");
        build.run(folder.path(), &resources(2), &Control::new()).expect("built");
        let files = files(folder.path());
        (folder, files)
    }

    #[test]
    fn tables_are_those_written_directly() {
        for codec in [Codec::COMPACT, Codec::Zstd(Level::SCRATCH), Codec::QUICK] {
            let build = GameBuild::new(Rules::mini(), 0).codec(codec);
            let copied = (0..=16).filter(|&slice| build.has_copy(slice));
            assert_eq!(copied.count(), if codec == Codec::QUICK { 0 } else { 16 });
            let (_folder, direct) = built(&build.clone().direct());
            assert_eq!(direct.len(), 17);
            for threads in [1, 3] {
                let folder = tempfile::tempdir().expect("a folder");
                build.run(folder.path(), &resources(threads), &Control::new()).expect("built");
                assert!(files(folder.path()) == direct, "{codec}, {threads} threads");
            }
        }
    }

    /// Checks that a build resumes from every state that a killed build may leave. The tables must
    /// be the same, and no other file may remain.
    #[test]
    fn every_state_is_resumed() {
        let build = GameBuild::new(Rules::mini(), 0).codec(Codec::COMPACT);
        let (whole, expected) = built(&build.clone().direct());
        // A copy has the same bytes as a table with the codec `quick`.
        let (copies, _) = built(&build.clone().codec(Codec::QUICK));
        let place = |slice: u8| build.path(whole.path(), slice);
        let states: [(&str, u8); 9] = [
            ("copy finished", 0),
            ("copy finished, that of the next slice not yet deleted", 0),
            ("table begun from the copy", 0),
            ("table finished", 1),
            ("copy freed", 1),
            ("copy damaged", 1),
            ("freed, and the table taken away", 0),
            ("table begun directly", 0),
            ("table finished, of an earlier build", 1),
        ];
        for slice in [13, 6] {
            for (state, has_table) in states {
                let folder = tempfile::tempdir().expect("a folder");
                let out = folder.path();
                let copy_path = build.copy_path(out, slice);
                fs::create_dir_all(copy_path.parent().expect("a folder")).expect("created");
                for there in slice + 1 - has_table..=16 {
                    fs::copy(place(there), build.path(out, there)).expect("copied");
                }
                let put_copy = |slice: u8| {
                    fs::copy(build.path(copies.path(), slice), build.copy_path(out, slice)).expect("copied");
                };
                // Copy blocks from a finished table. The number of decoded blocks, which is
                // compared below, shows whether the build computes them again.
                let begin_table = || {
                    let manifest = build.manifest(slice);
                    let (path, settings) = (
                        build.path(out, slice),
                        build.settings(Codec::COMPACT, &resources(1), &Control::new()),
                    );
                    let writer = Writer::begin(&path, manifest.clone(), settings).expect("begun");
                    let table = Table::open(&place(slice), Access::Read, Cache::new(0)).expect("opened");
                    for id in (0..writer.blocks() / 2).map(|number| manifest.block(number)) {
                        writer.put(id, &table.block(id).expect("read")).expect("put");
                    }
                    writer.flush().expect("flushed");
                };
                match state {
                    "copy finished" => put_copy(slice),
                    "copy finished, that of the next slice not yet deleted" => {
                        put_copy(slice);
                        put_copy(slice + 1);
                    }
                    "table begun from the copy" => {
                        put_copy(slice);
                        begin_table();
                    }
                    "table finished" => put_copy(slice),
                    "copy freed" | "freed, and the table taken away" => {
                        put_copy(slice);
                        let copy_path = copy_path.with_extension(FREED);
                        fs::rename(build.copy_path(out, slice), &copy_path).expect("renamed");
                        let copy = Table::open(&copy_path, Access::Read, Cache::new(0)).expect("opened");
                        let holes = Holes::of(copy.raw()).expect("opened");
                        for array in 0..copy.header().arrays {
                            holes.punch(copy.raw(), array).expect("freed");
                        }
                    }
                    "copy damaged" => fs::write(&copy_path, "no table").expect("written"),
                    "table begun directly" => begin_table(),
                    _ => {}
                }
                let missing: Vec<u8> = (0..=slice - has_table).rev().collect();
                assert_eq!(build.missing(Some(out)).expect("listed"), missing, "{state}");
                let built = build.run(out, &resources(2), &Control::new()).expect("built");
                assert!(files(out) == expected, "slice {slice}: {state}");
                // To build the missing slices, each slice but the last is read. A slice with a
                // finished copy isn't computed, so its next slice isn't read.
                let read = if state.starts_with("copy f") && has_table == 0 || state.ends_with("the copy") {
                    missing.len() - 1
                } else {
                    missing.len()
                };
                let blocks = |slice: u8| {
                    let table = Table::open(&place(slice), Access::Read, Cache::new(0)).expect("opened");
                    table.header().blocks
                };
                let once: u64 = (1..=read as u8).map(blocks).sum();
                assert_eq!(built.decoded.once, once, "slice {slice}: {state}");
            }
        }
    }

    /// Checks that builds resume after a stop at any moment, even while a slice is compressed.
    #[test]
    fn stopped_builds_go_on() {
        let build = GameBuild::new(Rules::mini(), 0).codec(Codec::COMPACT);
        let (_folder, expected) = built(&build.clone().direct());
        let folder = tempfile::tempdir().expect("a folder");
        let all = build.entries(&build.slices());
        let (mut chance, mut compressing) = (7u64, 0);
        loop {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (control, most) = (Control::new(), (chance >> 33) % (all / 8));
            let ended = AtomicBool::new(false);
            let result = thread::scope(|scope| {
                scope.spawn(|| {
                    while control.done() < most && !ended.load(Ordering::Relaxed) {
                        thread::yield_now();
                    }
                    control.cancel();
                });
                let result = build.run(folder.path(), &resources(2), &control);
                ended.store(true, Ordering::Relaxed);
                result
            });
            let stage = control.stage().map(|(_, stage)| stage.what).unwrap_or_default();
            match result {
                Ok(_) => break,
                Err(error) => assert!(error.to_string().contains("stopped"), "{error}"),
            }
            compressing += u32::from(stage.starts_with("compressing"));
        }
        assert!(compressing > 0, "no build was stopped while it compressed");
        assert!(files(folder.path()) == expected);
    }

    /// Stops builds, and continues each one with other slices to keep. The second build must
    /// complete the folder, or be refused before it reads freed blocks.
    #[test]
    fn stopped_builds_go_on_with_other_slices() {
        let all = GameBuild::new(Rules::mini(), 0).codec(Codec::COMPACT);
        let some = all.clone().keep_slices(3..=8);
        let (_folder, expected) = built(&all.clone().direct());
        let entries = all.entries(&all.slices());
        let (mut completed, mut refused) = (0, 0);
        for i in 0..60 {
            let (before, after) = if i % 2 == 0 { (&some, &all) } else { (&all, &some) };
            let folder = tempfile::tempdir().expect("a folder");
            let (control, most) = (Control::new(), entries * i / 60);
            thread::scope(|scope| {
                scope.spawn(|| {
                    while control.done() < most {
                        thread::yield_now();
                    }
                    control.cancel();
                });
                let _ = before.run(folder.path(), &resources(2), &control);
                // The control may have counted fewer entries than `most`.
                control.add(most);
            });
            let run = |build: &GameBuild| build.run(folder.path(), &resources(2), &Control::new());
            match run(after) {
                Ok(_) => completed += 1,
                Err(error) => {
                    assert!(error.to_string().contains("continue with those"), "{i}: {error}");
                    refused += 1;
                    run(before).expect("built");
                    run(after).expect("built");
                }
            }
            let mut found = files(folder.path());
            // The last slice stays as a temporary slice, because another build may start from it.
            if i % 2 == 1 {
                found.remove(Path::new("slice-00.pentago")).expect("the last slice");
            }
            assert!(
                (3..=8).all(|slice| found.keys().any(|name| all.path(folder.path(), slice).ends_with(name)))
            );
            // Unfinished tables stay, because another build may continue them.
            let is_table = |name: &Path| name.extension().is_some_and(|extension| extension == "pentago");
            found.retain(|name, bytes| is_table(name) && expected.get(name) != Some(bytes));
            assert!(found.is_empty(), "{i}: {:?}", found.keys());
        }
        assert!(completed > 5 && refused > 5, "{completed} {refused}");
    }

    /// Checks that another build can resume a build that was stopped while it wrote a copy. The
    /// second build has another codec or ends with this slice, and the next slice is already partly
    /// freed. The second build continues the copy, and deletes it at the end.
    #[test]
    fn begun_copies_are_continued_by_other_builds() {
        let build = GameBuild::new(Rules::mini(), 0).codec(Codec::COMPACT).keep_slices(0..=8);
        let (whole, _) = built(&GameBuild::new(Rules::mini(), 0).codec(Codec::COMPACT).direct());
        let (copies, _) = built(&GameBuild::new(Rules::mini(), 0).codec(Codec::QUICK));
        for other in [
            build.clone().codec(Codec::QUICK),
            build.clone().codec(Codec::Zstd(Level::SCRATCH)),
            GameBuild::new(Rules::mini(), 8).codec(Codec::COMPACT).keep_slices(0..=8),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let out = folder.path();
            // Write all blocks of slice 8 except the last, and free the blocks of slice 9.
            let (begun, passed) = (build.copy_path(out, 8), build.path(out, 9));
            fs::create_dir_all(begun.parent().expect("a folder")).expect("created");
            fs::copy(build.clone().codec(Codec::QUICK).table_path(copies.path(), 9), &passed)
                .expect("copied");
            let manifest = build.manifest(8);
            let writer = Writer::begin(
                &begun,
                manifest.clone(),
                build.settings(Codec::QUICK, &resources(1), &Control::new()),
            );
            let writer = writer.expect("begun");
            let table = Table::open(&build.table_path(whole.path(), 8), Access::Read, Cache::new(0));
            let table = table.expect("opened");
            for id in (0..writer.blocks() - 1).map(|number| manifest.block(number)) {
                writer.put(id, &table.block(id).expect("read")).expect("put");
            }
            writer.flush().expect("flushed");
            drop(writer);
            let next = Table::open(&passed, Access::Read, Cache::new(0)).expect("opened");
            let there = NextFiles { table: &next, instead: None };
            let needed = Computation::new(&build, build.sections(8).0, Some(there), &resources(1));
            let last = needed.schedule.children.last().expect("sections").clone();
            let holes = Holes::of(next.raw()).expect("opened");
            for array in (0..next.header().arrays).filter(|&array| !last.contains(&array)) {
                holes.punch(next.raw(), array).expect("freed");
            }
            other.run(out, &resources(2), &Control::new()).expect("built");
            let (_folder, expected) = built(&other.clone().direct());
            assert!(files(out) == expected);
        }
    }

    /// Checks that no copy remains of a slice that is only counted, or that a later build doesn't
    /// keep.
    #[test]
    fn copies_are_deleted() {
        let build = GameBuild::new(Rules::mini(), 9).codec(Codec::COMPACT).counts_only();
        let (folder, counted) = built(&build);
        let names: Vec<&Path> = counted.keys().map(PathBuf::as_path).collect();
        assert_eq!((names.len(), names[0]), (8, Path::new("slice-09.counts.tsv")), "{names:?}");
        // This build was stopped while it wrote the copy of another slice. It is finished with
        // other options.
        let all = GameBuild::new(Rules::mini(), 0).codec(Codec::COMPACT);
        let begun = all.copy_path(folder.path(), 9);
        fs::create_dir_all(begun.parent().expect("a folder")).expect("created");
        drop(Writer::begin(&begun, all.manifest(9), Settings::new(Codec::QUICK)).expect("begun"));
        assert!(working_files(&begun)[0].exists());
        all.keep_slices(0..=3).run(folder.path(), &resources(1), &Control::new()).expect("built");
        let left = files(folder.path()).into_keys();
        let left: Vec<PathBuf> = left.filter(|name| name < Path::new("slice-09.counts")).collect();
        assert_eq!(left.len(), 4, "{left:?}");
    }
}
