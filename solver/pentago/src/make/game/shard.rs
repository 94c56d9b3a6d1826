//! One builder's share of a slice, which is written as a shard. Several builders compute a game
//! together: each computes its share of every slice. The caller starts the builders and
//! synchronises them.

use super::computation::{Computation, NextFiles};
use super::counted::CountsWriter;
use super::passing::SliceOutput;
use super::request::GameBuild;
use crate::error::Error;
use crate::make::Resources;
use crate::make::share::{Shares, Weights};
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

/// A finished shard, or the counts of a share.
#[derive(Clone, Debug, Default)]
pub struct Shard {
    /// The path of the file, or `None` if the share has no blocks or was only counted.
    pub path: Option<PathBuf>,
    /// The counts of the shard's sections. If the shard has only part of a section, the counts
    /// cover that part.
    pub counts: Vec<(ArrayKey, WdlCounts)>,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The hash of the file.
    pub hash: u128,
    /// The report of the computation, or `None` if the shard already existed.
    pub report: Option<Report>,
    /// The number of blocks of the next slice that were decoded.
    pub decoded: u64,
}

impl GameBuild {
    /// Divides a slice into shares for `of` builders.
    pub fn shares(&self, slice: u8, of: u32) -> Shares {
        let rules = self.target().rules;
        let free = rules.shape.sockets() - usize::from(slice);
        let weights = Weights::of(free, self.codec_of(slice), self.codec_of(slice + 1));
        Shares::new(Sections::of(rules.shape, rules.dir), &self.sections(slice).0, of, weights)
    }

    /// Returns the file name of the shard with the index `number` among the `of` shards of a slice,
    /// in the folder `out`.
    pub fn shard_name(&self, out: &Path, slice: u8, number: u32, of: u32) -> ShardName {
        ShardName { whole: self.path(out, slice), of, number }
    }

    /// Locks the folder `out` for one process, or for one of several processes that build together.
    ///
    /// # Errors
    /// If another process holds the lock.
    pub fn lock(&self, out: &Path) -> Result<Lock, Error> {
        Ok(Lock::take(&out.join(self.target().folder_name()))?)
    }

    /// Returns the slices that the folder `out` lacks, in the order of the build. Also returns the
    /// table from which the first of these slices is computed, or `None` if the build starts from
    /// the full board.
    ///
    /// # Errors
    /// If the folder can't be read, or there is no slice from which the build could start.
    pub fn start(&self, out: &Path) -> Result<(Vec<u8>, Option<Table>), Error> {
        let remaining = self.remaining(Some(out), false)?;
        let open =
            |(_, paths): (u8, Vec<PathBuf>)| Table::open_shards(&paths, Access::default(), Cache::new(0));
        Ok((remaining.slices, remaining.next.map(open).transpose()?))
    }

    /// Opens all shards of a slice in the folder `out` as one table.
    ///
    /// # Errors
    /// If a shard is damaged or missing.
    pub fn shards(&self, out: &Path, slice: u8, of: u32) -> Result<Table, Error> {
        let shares = self.shares(slice, of);
        let some = (0..of).filter(|&number| !shares.range(number).is_empty());
        let paths: Vec<PathBuf> = some.map(|number| self.shard_name(out, slice, number, of).path()).collect();
        Ok(Table::open_shards(&paths, Access::default(), Cache::new(0))?)
    }

    /// Builds a share of a slice in the folder `out` from the table of the next slice. Resumes an
    /// interrupted build. A finished shard is left unchanged.
    ///
    /// # Errors
    /// If memory or disk space don't suffice, if the next slice lacks a block, or if the build was
    /// cancelled. All data written so far is kept.
    pub fn build_shard(
        &self,
        out: &Path,
        slice: u8,
        (number, shares): (u32, &Shares),
        next: Option<&Table>,
        resources: &Resources,
        control: &Control,
    ) -> Result<Shard, Error> {
        let range = shares.range(number);
        if range.is_empty() {
            return Ok(Shard::default());
        }
        let path = self.shard_name(out, slice, number, shares.count()).path();
        let blocks = range.end - range.start;
        if path.try_exists().map_err(|error| TableError::io(&path, "look for", error))? {
            let (shard, entries) = found(&path, blocks)?;
            control.add(entries);
            return Ok(shard);
        }
        let manifest = self.manifest(slice);
        let (computation, _) = self.share(slice, &manifest, &range, next, resources)?;
        let before = manifest.entries_before(range.start);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| TableError::io(folder, "create", error))?;
        }
        let settings = self.settings(self.codec_of(slice), resources, control);
        let writer = Writer::begin_shard(&path, manifest.clone(), range.clone(), settings)?;
        // The writer reports finished entries of an earlier run only within a stage. Builders of
        // shards have no stage, so report these entries here.
        control.add(manifest.entries_before(range.start + writer.done()) - before);
        let missing = writer.missing();
        let rooms = computation.rooms(&missing);
        let sink = SliceOutput::new(&writer, rooms.waiting, &[], &computation.schedule, None, None)?;
        let solved = computation.solve(&sink, missing, rooms.blocks, &Mutex::default(), control);
        if solved.is_err() {
            // Keep the computed blocks for the next run. Blocks that wait for other blocks of their
            // tile are lost. An error of `flush` is ignored, because the first error is reported.
            let _ = writer.flush();
        }
        let (report, decoded) = solved?;
        writer.finish()?;
        Ok(Shard { report: Some(report), decoded, ..found(&path, blocks)?.0 })
    }

    /// Computes a share of a slice and counts its values without storing the values. The returned
    /// shard has no file.
    ///
    /// # Errors
    /// If memory doesn't suffice, if the next slice lacks a block, or if the computation was
    /// cancelled.
    pub fn count_shard(
        &self,
        slice: u8,
        (number, shares): (u32, &Shares),
        next: Option<&Table>,
        resources: &Resources,
        control: &Control,
    ) -> Result<Shard, Error> {
        let range = shares.range(number);
        if range.is_empty() {
            return Ok(Shard::default());
        }
        let (computation, blocks) = self.share(slice, &self.manifest(slice), &range, next, resources)?;
        let rooms = computation.rooms(&blocks).blocks;
        let sink = NullSink { counts_alone: true };
        let (report, decoded) = computation.solve(&sink, blocks, rooms, &Mutex::default(), control)?;
        let keys = self.keys(&computation.sections).into_iter();
        let counts =
            keys.zip(report.counts.iter().copied()).filter(|(_, counts)| *counts != WdlCounts::default());
        Ok(Shard { counts: counts.collect(), report: Some(report), decoded, ..Shard::default() })
    }

    /// Prepares the computation of a range of blocks of a slice. Also returns the range as block
    /// ids.
    ///
    /// # Errors
    /// If the memory doesn't suffice.
    fn share<'a>(
        &self,
        slice: u8,
        manifest: &Manifest,
        range: &Range<u64>,
        next: Option<&'a Table>,
        resources: &Resources,
    ) -> Result<(Computation<'a>, Range<BlockId>), SolveError> {
        let (sections, _) = self.sections(slice);
        let [first, last, end] = [range.start, range.end - 1, range.end].map(|block| manifest.block(block));
        self.check_memory(&sections[first.array as usize..=last.array as usize], resources)?;
        let next = next.map(|table| NextFiles { table, instead: None });
        let mut computation = Computation::new(self, sections, next, resources);
        // Remove the sections of other shares, so that the cache doesn't hold blocks for them.
        computation.schedule.retain(first.array..=last.array);
        Ok((computation, first..end))
    }

    /// Returns `true` if the folder `out` has a file with the counts of all sections of a slice, as
    /// written by [`GameBuild::counts_only`] builds.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn counted(&self, out: &Path, slice: u8) -> Result<bool, Error> {
        let path = self.target().counts_path(out, slice);
        if !path.is_file() {
            return Ok(false);
        }
        let counts = CountsWriter::begin(&path, self.target().sections())?;
        Ok(self.sections(slice).0.iter().all(|&section| counts.has(section)))
    }

    /// Writes the counts of all sections of a slice to a file in the folder `out`. `counts` lists
    /// the sections in the order of [`GameBuild::sections`]. Returns the path of the file.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn write_counts(&self, out: &Path, slice: u8, counts: &[WdlCounts]) -> Result<PathBuf, Error> {
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

    /// Removes finished and unfinished shards of a slice. If `but` is a number, keeps the shards of
    /// a partition into that number of shards.
    ///
    /// # Errors
    /// If the folder can't be read, or a file can't be removed.
    pub fn remove_shards(&self, out: &Path, slice: u8, but: Option<u32>) -> Result<(), Error> {
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
                    // Ignore a missing file: another builder with the same folder has removed it.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    removed => removed.map_err(|error| TableError::io(&path, "remove", error))?,
                }
            }
        }
        Ok(())
    }
}

/// Reads the header of a finished shard. Returns the shard and the number of its entries, or an
/// error if the shard doesn't have `blocks` blocks.
fn found(path: &Path, blocks: u64) -> Result<(Shard, u64), Error> {
    let (header, parts) = read_shard(path)?;
    if header.blocks != blocks {
        let what = "it was cut otherwise, by another version of the program: delete it";
        return Err(TableError::new(path, Reason::OtherShard(what)).into());
    }
    let counts = parts.iter().map(|part| (part.array.key, part.counts)).collect();
    let (bytes, hash, entries) = (header.file_bytes, header.hash, header.entries);
    let shard = Shard { path: Some(path.to_owned()), counts, bytes, hash, ..Shard::default() };
    Ok((shard, entries))
}
