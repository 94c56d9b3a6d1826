//! The files of one table: a single file, or shards that hold the blocks of the table together.
//!
//! A reader of a table needn't know the number of files: arrays with blocks in several shards look
//! like arrays in one file. An array that lacks a block is left out, and is reported as a [`Gap`].

use crate::directory::RawRecord;
use crate::error::{Reason, StoreError};
use crate::header::RawHeader;
use crate::layout::EXTENSION;
use crate::manifest::RawArrayInfo;
use crate::table::RawTable;
use pentago_base::BlockId;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The parts of the file name of a shard: the first of the three shards of `slice-34.pentago` is
/// `slice-34-shard-1-of-3.pentago`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShardName {
    /// The path of the table that all shards form together.
    pub whole: PathBuf,
    /// The maximum number of shards. A shard without blocks has no file.
    pub of: u32,
    /// The index of this shard, from 0. The file name counts from 1.
    pub number: u32,
}

impl ShardName {
    /// Parses the name of a file. Returns `None` if the file isn't named as a shard.
    #[must_use]
    pub fn parse(path: &Path) -> Option<ShardName> {
        let (whole, numbers) = path.file_stem()?.to_str()?.rsplit_once("-shard-")?;
        let (number, of) = numbers.split_once("-of-")?;
        let (number, of) = (number.parse::<u32>().ok()?.checked_sub(1)?, of.parse().ok()?);
        (number < of).then(|| ShardName {
            whole: path.with_file_name(format!("{whole}.{EXTENSION}")),
            of,
            number,
        })
    }

    /// Returns the path of the shard's file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        let whole = self.whole.file_stem().unwrap_or_default().to_string_lossy();
        let (number, of) = (self.number + 1, self.of);
        self.whole.with_file_name(format!("{whole}-shard-{number}-of-{of}.{EXTENSION}"))
    }
}

/// An array that lacks blocks in all files of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The key of the array.
    pub key: Box<[u8]>,
    /// The first range of blocks that no file holds.
    pub blocks: Range<u64>,
}

/// The blocks of an array that one file holds.
struct ArrayPart {
    blocks: Range<u64>,
    /// The index of the file among the files of the table.
    file: usize,
    /// The index of the array in that file.
    array: u32,
}

/// The files of a table, joined: at least one.
pub(crate) struct Shards {
    /// The files. Where one file must stand for the table, the first does.
    pub files: Vec<RawTable>,
    /// For each array of `records`, its parts in the order of their blocks.
    parts: Vec<Vec<ArrayPart>>,
    /// The header of the joined table. With several files, its `hash` is 0.
    pub header: RawHeader,
    /// The arrays with all blocks.
    pub records: Vec<RawRecord>,
    /// The arrays that lack blocks.
    pub gaps: Vec<Gap>,
}

impl Shards {
    /// Joins files, which must all belong to one table. There must be at least one file.
    pub fn join(files: Vec<RawTable>) -> Result<Shards, StoreError> {
        let header = files[0].header().clone();
        let identity = |header: &RawHeader| (header.schema, header.target.clone(), header.slice);
        let arrays = parts_by_key(&files)?;
        if let Some(other) = files.iter().find(|file| identity(file.header()) != identity(&header)) {
            return Err(other.error(Reason::OtherShard("it has another target, slice or codec")));
        }
        let (records, gaps) = (Vec::new(), Vec::new());
        let mut shards = Shards { files, parts: Vec::new(), header, records, gaps };
        for (key, parts) in arrays {
            shards.add_array(key, parts)?;
        }
        if shards.records.is_empty() {
            return Err(shards.files[0].error(Reason::Shard));
        }
        if shards.files.len() > 1 {
            shards.sum_header()?;
        }
        Ok(shards)
    }

    /// Adds the array with this key to the joined table, or to the gaps.
    fn add_array(&mut self, key: Box<[u8]>, mut parts: Vec<ArrayPart>) -> Result<(), StoreError> {
        parts.sort_by_key(|part| (part.blocks.start, part.blocks.end));
        let mut end = 0;
        let mut gap = None;
        for part in &parts {
            if part.blocks.start < end {
                let both = Reason::OtherShard("another shard has some of its blocks, too");
                return Err(self.files[part.file].error(both));
            }
            if part.blocks.start > end && gap.is_none() {
                gap = Some(end..part.blocks.start);
            }
            end = part.blocks.end;
        }
        let record = |part: &ArrayPart| &self.files[part.file].arrays()[part.array as usize];
        let array = RawArrayInfo::whole(&key, record(&parts[0]).array.grid);
        let all = array.blocks.end;
        if let Some(blocks) = gap.or((end < all).then_some(end..all)) {
            self.gaps.push(Gap { key, blocks });
            return Ok(());
        }
        let first_block = self.records.last().map_or(0, |last| last.first_block + last.array.stored());
        if first_block.checked_add(all).is_none() {
            return Err(self.overflow());
        }
        let counts = self.sum_counts(parts.iter().map(record))?;
        self.records.push(RawRecord { array, first_block, counts });
        self.parts.push(parts);
        Ok(())
    }

    /// Replaces the header of the first file by the header of the joined table.
    fn sum_header(&mut self) -> Result<(), StoreError> {
        let records = &self.records;
        let last = &records[records.len() - 1];
        self.header = RawHeader {
            arrays: records.len() as u32,
            blocks: last.first_block + last.array.stored(),
            entries: self.sum(records.iter().map(|record| record.array.grid.entries()))?,
            counts: self.sum_counts(records.iter())?,
            file_bytes: self.sum(self.files.iter().map(|file| file.header().file_bytes))?,
            hash: 0,
            ..self.header.clone()
        };
        Ok(())
    }

    /// Returns the sum of each counter over several records.
    fn sum_counts<'a>(
        &self,
        records: impl Iterator<Item = &'a RawRecord> + Clone,
    ) -> Result<Vec<u64>, StoreError> {
        let counters = 0..usize::from(self.header.schema.counters);
        counters.map(|counter| self.sum(records.clone().map(|record| record.counts[counter]))).collect()
    }

    /// Returns the sum of figures of several files.
    fn sum(&self, mut figures: impl Iterator<Item = u64>) -> Result<u64, StoreError> {
        figures.try_fold(0, u64::checked_add).ok_or_else(|| self.overflow())
    }

    fn overflow(&self) -> StoreError {
        self.files[0].error(Reason::Inconsistent("the figures of all shards together exceed 64 bits"))
    }

    /// Returns the file that holds a block, and the index of the array in that file. Returns `None`
    /// if no array of the joined table has such a block.
    pub fn find(&self, id: BlockId) -> Option<(&RawTable, u32)> {
        let parts = self.parts.get(id.array as usize)?;
        let at = parts.partition_point(|part| part.blocks.end <= id.block);
        let part = parts.get(at).filter(|part| part.blocks.contains(&id.block))?;
        Some((&self.files[part.file], part.array))
    }

    /// Returns an error that names a block and its file.
    pub fn error(&self, id: BlockId, reason: Reason) -> StoreError {
        match self.find(id) {
            Some((file, array)) => {
                file.error(reason).of_block(file.number(array, id.block).unwrap_or(id.block))
            }
            None => self.files[0].error(reason).of_block(id.block),
        }
    }
}

/// Returns the parts of each array in all files, keyed by the key of the array. All parts of an
/// array must have the same grid.
fn parts_by_key(files: &[RawTable]) -> Result<BTreeMap<Box<[u8]>, Vec<ArrayPart>>, StoreError> {
    let mut arrays: BTreeMap<Box<[u8]>, Vec<ArrayPart>> = BTreeMap::new();
    for (number, file) in files.iter().enumerate() {
        for (array, record) in (0..).zip(file.arrays()) {
            let parts = arrays.entry(record.array.key.clone()).or_default();
            let grid = |part: &ArrayPart| files[part.file].arrays()[part.array as usize].array.grid;
            if parts.first().is_some_and(|part| grid(part) != record.array.grid) {
                return Err(file.error(Reason::OtherShard("it divides an array into other blocks")));
            }
            parts.push(ArrayPart { blocks: record.array.blocks.clone(), file: number, array });
        }
    }
    Ok(arrays)
}
