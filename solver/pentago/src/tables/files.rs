//! The files of a table: one, or shards that hold its blocks together.
//!
//! Whoever reads a table needn't know which it is: the arrays that the files hold together are its
//! arrays, as if they stood in one file. What they don't hold to the last block is left out, as
//! sections are that a table lacks.

use super::TableError;
use super::header::{Header, Record, counts_of};
use super::manifest::{ArrayInfo, ArrayKey, Manifest};
use crate::values::{BlockId, WdlCounts};
use pentago_store::{Access, Reason, StoreError};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::path::Path;

/// One file or several.
pub(super) struct TableFiles {
    files: Vec<pentago_store::RawTable>,
    /// By array of the table: where its blocks are, in their order.
    places: Vec<Vec<PartPlace>>,
}

/// Blocks of an array in one of the files.
struct PartPlace {
    blocks: Range<u64>,
    file: usize,
    /// The number of the array there.
    array: u32,
}

/// An array that the files together don't hold to the last block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The array.
    pub key: ArrayKey,
    /// The first blocks that no file has.
    pub blocks: Range<u64>,
}

/// What a file holds that may be a shard: its header, and its arrays or parts of them.
///
/// # Errors
/// If it can't be read, or isn't a finished table that this program knows.
pub fn read_shard(path: &Path) -> Result<(Header, Vec<Record>), TableError> {
    let file = pentago_store::RawTable::open(path, Access::Read)?;
    let of = |reason| file.error(reason);
    let header = Header::of(file.header()).map_err(of)?;
    let parts = header.parts(file.arrays()).map_err(of)?;
    Ok((header, parts))
}

impl TableFiles {
    /// What these files are together: at least one, and all of one table.
    pub fn new(
        files: Vec<pentago_store::RawTable>,
    ) -> Result<(TableFiles, Header, Vec<Record>, Vec<Gap>), TableError> {
        let mut headers = Vec::new();
        // By key: the grid, and the parts with their counts.
        let mut arrays: BTreeMap<ArrayKey, (ArrayInfo, Vec<(PartPlace, WdlCounts)>)> = BTreeMap::new();
        for (number, file) in files.iter().enumerate() {
            let header = Header::of(file.header()).map_err(|reason| file.error(reason))?;
            for (array, record) in (0..).zip(header.parts(file.arrays()).map_err(|r| file.error(r))?) {
                let blocks = file.arrays()[array as usize].array.blocks.clone();
                let place = PartPlace { blocks, file: number, array };
                let (known, parts) =
                    arrays.entry(record.array.key).or_insert_with(|| (record.array, Vec::new()));
                if *known != record.array {
                    return Err(file.error(Reason::OtherShard("it cuts a section in other blocks")));
                }
                parts.push((place, record.counts));
            }
            headers.push(header);
        }
        let mut header = headers[0].clone();
        if let Some(other) = headers.iter().position(|other| !other.is_part_of(&header)) {
            return Err(files[other].error(Reason::OtherShard("it is of another target, slice or codec")));
        }
        let (mut places, mut records, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
        let mut first_block = 0;
        for (key, (array, mut parts)) in arrays {
            parts.sort_by_key(|(place, _)| (place.blocks.start, place.blocks.end));
            let mut end = 0;
            let mut gap = None;
            for (place, _) in &parts {
                if place.blocks.start < end {
                    return Err(files[place.file]
                        .error(Reason::OtherShard("it has blocks that another one has, too")));
                }
                if place.blocks.start > end && gap.is_none() {
                    gap = Some(end..place.blocks.start);
                }
                end = place.blocks.end;
            }
            let all = array.grid.blocks();
            if let Some(blocks) = gap.or((end < all).then_some(end..all)) {
                gaps.push(Gap { key, blocks });
                continue;
            }
            let mut counts = WdlCounts::default();
            parts.iter().for_each(|(_, more)| counts += *more);
            records.push(Record { array, first_block, counts });
            first_block += all;
            places.push(parts.into_iter().map(|(place, _)| place).collect());
        }
        let manifest = Manifest {
            target: header.target,
            slice: header.slice,
            arrays: records.iter().map(|r| r.array).collect(),
        };
        if records.is_empty() {
            return Err(files[0].error(Reason::Shard));
        }
        let checked = manifest.check().and_then(|()| manifest.check_counts(records.iter().map(|r| r.counts)));
        checked.map_err(|bad| files[0].error(bad.into()))?;
        if let [_, _, ..] = headers[..] {
            header.arrays = records.len() as u32;
            (header.blocks, header.entries) = (first_block, manifest.entries());
            header.counts = WdlCounts::default();
            records.iter().for_each(|record| header.counts += record.counts);
            header.file_bytes = headers.iter().map(|header| header.file_bytes).sum();
            header.hash = 0;
        }
        Ok((TableFiles { files, places }, header, records, gaps))
    }

    /// The first of them, which stands for all where one is to be named.
    pub fn first(&self) -> &pentago_store::RawTable {
        &self.files[0]
    }

    /// Each file by itself.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(pentago_store::RawTable::path)
    }

    /// The hash of each.
    pub fn hashes(&self) -> impl Iterator<Item = u128> {
        self.files.iter().map(|file| file.header().hash)
    }

    /// The payload of a block will be read soon. Where that can't be, reading it will say so.
    pub fn ahead(&self, id: BlockId) {
        if let Some((file, array)) = self.find(id) {
            let _ = file.ahead(array, id.block);
        }
    }

    /// The file that has a block, and the number of the array there.
    fn find(&self, id: BlockId) -> Option<(&pentago_store::RawTable, u32)> {
        let parts = self.places.get(id.array as usize)?;
        let at = parts.partition_point(|part| part.blocks.end <= id.block);
        let part = parts.get(at).filter(|part| part.blocks.contains(&id.block))?;
        Some((&self.files[part.file], part.array))
    }

    /// The checked payload of a block.
    pub fn payload(&self, id: BlockId, longest: u64) -> Result<Cow<'_, [u8]>, StoreError> {
        match self.find(id) {
            Some((file, array)) => file.payload(array, id.block, longest),
            None => Err(self.error(id, Reason::NoSuchBlock(self.blocks()))),
        }
    }

    /// An error of a block.
    pub fn error(&self, id: BlockId, reason: Reason) -> StoreError {
        match self.find(id) {
            Some((file, array)) => {
                file.error(reason).of_block(file.number(array, id.block).unwrap_or(id.block))
            }
            None => self.first().error(reason).of_block(id.block),
        }
    }

    fn blocks(&self) -> u64 {
        self.files.iter().map(|file| file.header().blocks).sum()
    }

    /// Reads every byte of every file, as [`pentago_store::RawTable::verify_hash`].
    pub fn verify_hash(&self, progress: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Result<(), StoreError> {
        let mut before = 0;
        for file in &self.files {
            file.verify_hash(&mut |bytes| progress(before + bytes))?;
            before += file.header().file_bytes;
        }
        Ok(())
    }
}

impl Header {
    /// Whether two headers may be those of shards of one table. Files that other versions of the
    /// program wrote may have been encoded otherwise: their values are the same.
    fn is_part_of(&self, other: &Header) -> bool {
        let of = |header: &Header| (header.target, header.slice, header.codec);
        of(self) == of(other)
    }

    /// The arrays of a file with this header, checked one by one: each may be a part.
    fn parts(&self, records: &[pentago_store::RawRecord]) -> Result<Vec<Record>, Reason> {
        let record = |record: &pentago_store::RawRecord| {
            let key = (*record.array.key).try_into().expect("the length of keys was checked");
            let array = ArrayInfo { key, grid: record.array.grid };
            Record { array, first_block: record.first_block, counts: counts_of(&record.counts) }
        };
        let parts: Vec<Record> = records.iter().map(record).collect();
        let arrays = parts.iter().map(|part| part.array).collect();
        let manifest = Manifest { target: self.target, slice: self.slice, arrays };
        manifest.check()?;
        manifest.check_parts(parts.iter().map(|part| part.counts))?;
        Ok(parts)
    }
}
