//! The files of one table: a single file, or shards that hold the blocks of the table together.
//!
//! Callers don't need to know the number of files: an array with blocks in several shards looks
//! like an array in one file. An array with a missing block is left out and reported as a [`Gap`].

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

/// The parts of the file name of a shard. For example, the first of the three shards of
/// `slice-34.pentago` is `slice-34-shard-1-of-3.pentago`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShardName {
    /// The path of the table that all shards form together.
    pub whole: PathBuf,
    /// The maximum number of shards. A shard without blocks has no file.
    pub of: u32,
    /// The index of this shard, from 0. The number in the file name is larger by 1.
    pub number: u32,
}

impl ShardName {
    /// Parses the name of a file. Returns `None` if the file isn't named as a shard.
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
    pub fn path(&self) -> PathBuf {
        let whole = self.whole.file_stem().unwrap_or_default().to_string_lossy();
        let (number, of) = (self.number + 1, self.of);
        self.whole.with_file_name(format!("{whole}-shard-{number}-of-{of}.{EXTENSION}"))
    }
}

/// An array with blocks that no file of the table contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The key of the array.
    pub key: Box<[u8]>,
    /// The first range of blocks that no file contains.
    pub blocks: Range<u64>,
}

/// The blocks of an array that one file contains.
struct ArrayPart {
    blocks: Range<u64>,
    /// The index of the file among the files of the table.
    file: usize,
    /// The index of the array within the directory of that file.
    array: u32,
}

/// The joined files of a table. There is at least one file.
pub(crate) struct Shards {
    /// The files of the table. Errors that concern the whole table name the first file.
    pub files: Vec<RawTable>,
    /// For each array of `records`, the parts of the array, in the order of their blocks.
    parts: Vec<Vec<ArrayPart>>,
    /// The header of the joined table. If there are several files, the field `hash` is 0.
    pub header: RawHeader,
    /// The directory records of the arrays whose blocks are all present.
    pub records: Vec<RawRecord>,
    /// The arrays with missing blocks.
    pub gaps: Vec<Gap>,
}

impl Shards {
    /// Joins the files of one table. Returns an error if the files belong to different tables.
    /// `files` must not be empty.
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

    /// Adds the array with this key to the joined table, or to the gaps if a block of the array is
    /// missing.
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

    /// Adds one number per file. Returns an error if the sum exceeds 64 bits.
    fn sum(&self, mut figures: impl Iterator<Item = u64>) -> Result<u64, StoreError> {
        figures.try_fold(0, u64::checked_add).ok_or_else(|| self.overflow())
    }

    fn overflow(&self) -> StoreError {
        self.files[0].error(Reason::Inconsistent("the figures of all shards together exceed 64 bits"))
    }

    /// Returns the file that contains a block, and the index of the block's array in that file.
    /// Returns `None` if the joined table doesn't contain the block.
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
