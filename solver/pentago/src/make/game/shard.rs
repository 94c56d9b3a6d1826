//! One builder's share of a slice, as a shard: what each of several computers does when they build
//! a game together. Who they are, and how they wait for each other, is the matter of the caller.

use super::computation::{Computation, NextFiles};
use super::counted::CountsWriter;
use super::passing::SliceOutput;
use super::request::GameBuild;
use crate::make::share::{Shares, Weights};
use crate::make::{BuildError, Resources};
use pentago_base::Control;
use pentago_core::index::Sections;
use pentago_core::solve::{Report, SolveError};
use pentago_core::values::{BlockId, NullSink, WdlCounts};
use pentago_tables::tables::{
    Access, ArrayKey, Cache, Lock, Manifest, Reason, ShardName, Table, TableError, Writer, read_shard,
};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{fs, io};

/// A shard that is there, or what counting one gave.
#[derive(Clone, Debug, Default)]
pub struct Shard {
    /// The file; None where the share has no blocks, or was only counted.
    pub path: Option<PathBuf>,
    /// What its sections, or parts of them, count.
    pub counts: Vec<(ArrayKey, WdlCounts)>,
    /// Bytes of the file.
    pub bytes: u64,
    /// The hash of the file.
    pub hash: u128,
    /// What computing it took; None if it was there before.
    pub report: Option<Report>,
    /// How many blocks of the next slice were decoded.
    pub decoded: u64,
}

impl GameBuild {
    /// The shares of a slice between so many builders.
    #[must_use]
    pub fn shares(&self, slice: u8, of: u32) -> Shares {
        let rules = self.target().rules;
        let free = rules.shape.sockets() - usize::from(slice);
        let weights = Weights::of(free, self.codec_of(slice), self.codec_of(slice + 1));
        Shares::new(Sections::of(rules.shape, rules.dir), &self.sections(slice).0, of, weights)
    }

    /// The name of a shard of a slice in the folder `out`.
    #[must_use]
    pub fn shard_name(&self, out: &Path, slice: u8, number: u32, of: u32) -> ShardName {
        ShardName { whole: self.path(out, slice), of, number }
    }

    /// The right to build in the folder `out`, for one process or for one of several that build
    /// together.
    ///
    /// # Errors
    /// If somebody else has it.
    pub fn lock(&self, out: &Path) -> Result<Lock, BuildError> {
        Ok(Lock::take(&out.join(self.target().folder_name()))?)
    }

    /// What is still to be built in the folder `out`: the slices in order, and the table that the
    /// first of them is computed from.
    ///
    /// # Errors
    /// If the folder can't be read, or there is no slice to start from.
    pub fn start(&self, out: &Path) -> Result<(Vec<u8>, Option<Table>), BuildError> {
        let remaining = self.remaining(Some(out), false)?;
        let open =
            |(_, paths): (u8, Vec<PathBuf>)| Table::open_shards(&paths, Access::default(), Cache::new(0));
        Ok((remaining.slices, remaining.next.map(open).transpose()?))
    }

    /// The shards of a slice that are in the folder `out`, as one table.
    ///
    /// # Errors
    /// If one is damaged or missing.
    pub fn shards(&self, out: &Path, slice: u8, of: u32) -> Result<Table, BuildError> {
        let shares = self.shares(slice, of);
        let some = (0..of).filter(|&number| !shares.range(number).is_empty());
        let paths: Vec<PathBuf> = some.map(|number| self.shard_name(out, slice, number, of).path()).collect();
        Ok(Table::open_shards(&paths, Access::default(), Cache::new(0))?)
    }

    /// Builds a share of a slice from the table of the next one, in the folder `out`; or goes on
    /// with it. A shard that is there is left as it is.
    ///
    /// # Errors
    /// If memory or disk space don't suffice, the next slice lacks something, or it was cancelled.
    /// All data written so far is kept.
    pub fn build_shard(
        &self,
        out: &Path,
        slice: u8,
        (number, shares): (u32, &Shares),
        next: Option<&Table>,
        resources: &Resources,
        control: &Control,
    ) -> Result<Shard, BuildError> {
        let range = shares.range(number);
        if range.is_empty() {
            return Ok(Shard::default());
        }
        let path = self.shard_name(out, slice, number, shares.count()).path();
        let blocks = range.end - range.start;
        if path.try_exists().map_err(|error| TableError::io(&path, "look for", error))? {
            let shard = found(&path, blocks)?;
            control.add(shard.entries);
            return Ok(shard.shard);
        }
        let manifest = self.manifest(slice);
        let share = self.share(slice, &manifest, &range, next, resources)?;
        let before = manifest.entries_before(range.start);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| TableError::io(folder, "create", error))?;
        }
        let settings = self.settings(self.codec_of(slice), resources, control);
        let writer = Writer::begin_shard(&path, manifest.clone(), range.clone(), settings)?;
        // Of a stage the writer has counted them; ranks have none, but the sum of what all have done.
        control.add(manifest.entries_before(range.start + writer.done()) - before);
        let missing = writer.missing();
        let rooms = share.sections.rooms(&missing);
        let sink = SliceOutput::new(&writer, rooms.waiting, &[], &share.sections.schedule, None, None)?;
        let solved = share.sections.solve(&sink, missing, rooms.blocks, &Mutex::default(), control);
        if solved.is_err() {
            // Computed blocks are kept for the next run, but for those that wait for others of their
            // tile; the first error is reported.
            let _ = writer.flush();
        }
        let (report, decoded) = solved?;
        writer.finish()?;
        Ok(Shard { report: Some(report), decoded, ..found(&path, blocks)?.shard })
    }

    /// Computes a share of a slice and counts its values, without storing them: a shard without a file.
    ///
    /// # Errors
    /// If memory doesn't suffice, the next slice lacks something, or it was cancelled.
    pub fn count_shard(
        &self,
        slice: u8,
        (number, shares): (u32, &Shares),
        next: Option<&Table>,
        resources: &Resources,
        control: &Control,
    ) -> Result<Shard, BuildError> {
        let range = shares.range(number);
        if range.is_empty() {
            return Ok(Shard::default());
        }
        let share = self.share(slice, &self.manifest(slice), &range, next, resources)?;
        let rooms = share.sections.rooms(&share.blocks).blocks;
        let sink = NullSink { counts_alone: true };
        let (report, decoded) =
            share.sections.solve(&sink, share.blocks, rooms, &Mutex::default(), control)?;
        let keys = self.keys(&share.sections.sections).into_iter();
        let counts =
            keys.zip(report.counts.iter().copied()).filter(|(_, counts)| *counts != WdlCounts::default());
        Ok(Shard { counts: counts.collect(), report: Some(report), decoded, ..Shard::default() })
    }

    /// What these blocks of a slice are computed with.
    ///
    /// # Errors
    /// If memory doesn't suffice.
    fn share<'a>(
        &self,
        slice: u8,
        manifest: &Manifest,
        range: &Range<u64>,
        next: Option<&'a Table>,
        resources: &Resources,
    ) -> Result<Share<'a>, SolveError> {
        let (sections, _) = self.sections(slice);
        let [first, last, end] = [range.start, range.end - 1, range.end].map(|block| manifest.block(block));
        self.check_rows(&sections[first.array as usize..=last.array as usize], resources)?;
        let next = next.map(|table| NextFiles { table, instead: None });
        let mut sections = Computation::new(self, sections, next, resources);
        // What only other shares need isn't kept.
        sections.schedule.only(first.array..=last.array);
        Ok(Share { sections, blocks: first..end })
    }

    /// The counts of a slice by section, if the folder `out` has them: those of
    /// [`GameBuild::counts_only`].
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn counted(&self, out: &Path, slice: u8) -> Result<bool, BuildError> {
        let path = self.target().counts_path(out, slice);
        if !path.is_file() {
            return Ok(false);
        }
        let counts = CountsWriter::begin(&path, self.target().sections())?;
        Ok(self.sections(slice).0.iter().all(|&section| counts.has(section)))
    }

    /// Writes the counts of all sections of a slice, in their order, in the folder `out`. Returns the
    /// file.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn write_counts(&self, out: &Path, slice: u8, counts: &[WdlCounts]) -> Result<PathBuf, BuildError> {
        let path = self.target().counts_path(out, slice);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| TableError::io(folder, "create", error))?;
        }
        let mut written = CountsWriter::begin(&path, self.target().sections())?;
        for (&section, &counts) in self.sections(slice).0.iter().zip(counts) {
            written.add(section, counts)?;
        }
        written.finish()?;
        Ok(path)
    }

    /// Removes the shards of a slice, unfinished ones too, but for those of a partition that is to
    /// stay.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove_shards(&self, out: &Path, slice: u8, but: Option<u32>) -> Result<(), BuildError> {
        let whole = self.path(out, slice);
        let Some(folder) = whole.parent().filter(|folder| folder.is_dir()) else { return Ok(()) };
        let error = |error| TableError::io(folder, "look through", error);
        for entry in fs::read_dir(folder).map_err(error)? {
            let path = entry.map_err(error)?.path();
            let unfinished = ["part", "journal", "waiting"];
            let of_table = match path.extension().and_then(|extension| extension.to_str()) {
                Some(extension) if unfinished.contains(&extension) => path.with_extension(""),
                _ => path.clone(),
            };
            let name = ShardName::parse(&of_table);
            if name.is_some_and(|name| name.whole == whole && Some(name.of) != but) {
                match fs::remove_file(&path) {
                    // Another builder with the same folder was faster.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    removed => removed.map_err(|error| TableError::io(&path, "remove", error))?,
                }
            }
        }
        Ok(())
    }
}

/// A shard that is there, and its entries.
struct FoundShard {
    shard: Shard,
    entries: u64,
}

/// Looks at a finished shard, which must have so many blocks.
fn found(path: &Path, blocks: u64) -> Result<FoundShard, BuildError> {
    let (header, parts) = read_shard(path)?;
    if header.blocks != blocks {
        let what = "it was cut otherwise, by another version of the program: delete it";
        return Err(TableError::new(path, Reason::OtherShard(what)).into());
    }
    let counts = parts.iter().map(|part| (part.array.key, part.counts)).collect();
    let (bytes, hash, entries) = (header.file_bytes, header.hash, header.entries);
    let shard = Shard { path: Some(path.to_owned()), counts, bytes, hash, ..Shard::default() };
    Ok(FoundShard { shard, entries })
}

/// A share of a slice.
struct Share<'a> {
    /// All sections of the slice.
    sections: Computation<'a>,
    /// The blocks of the share.
    blocks: Range<BlockId>,
}
