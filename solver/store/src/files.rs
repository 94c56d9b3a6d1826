//! The files of a table: one, or shards that hold its blocks together.
//!
//! Whoever reads a table needn't know which it is: the arrays that the files hold together are its
//! arrays, as if they stood in one file. What they don't hold to the last block is left out.

use crate::directory::RawRecord;
use crate::error::{Reason, StoreError};
use crate::header::RawHeader;
use crate::manifest::RawArrayInfo;
use crate::table::RawTable;
use pentago_base::BlockId;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::path::Path;

/// One file or several.
pub(crate) struct TableFiles {
    files: Vec<RawTable>,
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
    /// The key of the array.
    pub key: Box<[u8]>,
    /// The first blocks that no file has.
    pub blocks: Range<u64>,
}

/// What files are together.
pub(crate) struct Together {
    pub files: TableFiles,
    pub header: RawHeader,
    pub records: Vec<RawRecord>,
    pub gaps: Vec<Gap>,
}

impl TableFiles {
    /// Joins files, at least one, that must all be of one table.
    pub fn join(files: Vec<RawTable>) -> Result<Together, StoreError> {
        // By key, the parts with their records.
        let mut arrays: BTreeMap<Box<[u8]>, Vec<(PartPlace, &RawRecord)>> = BTreeMap::new();
        for (number, file) in files.iter().enumerate() {
            for (array, record) in (0..).zip(file.arrays()) {
                let place = PartPlace { blocks: record.array.blocks.clone(), file: number, array };
                let parts = arrays.entry(record.array.key.clone()).or_default();
                if parts.first().is_some_and(|(_, known)| known.array.grid != record.array.grid) {
                    return Err(file.error(Reason::OtherShard("it cuts an array in other blocks")));
                }
                parts.push((place, record));
            }
        }
        let mut header = files[0].header().clone();
        let of = |header: &RawHeader| (header.schema, header.target.clone(), header.slice);
        if let Some(other) = files.iter().find(|file| of(file.header()) != of(&header)) {
            return Err(other.error(Reason::OtherShard("it is of another target, slice or codec")));
        }
        let (mut places, mut records, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
        let mut first_block = 0;
        for (key, mut parts) in arrays {
            parts.sort_by_key(|(place, _)| (place.blocks.start, place.blocks.end));
            let grid = parts[0].1.array.grid;
            let mut end = 0;
            let mut gap = None;
            for (place, _) in &parts {
                if place.blocks.start < end {
                    let both = Reason::OtherShard("it has blocks that another one has, too");
                    return Err(files[place.file].error(both));
                }
                if place.blocks.start > end && gap.is_none() {
                    gap = Some(end..place.blocks.start);
                }
                end = place.blocks.end;
            }
            let array = RawArrayInfo::whole(&key, grid);
            let all = array.blocks.end;
            if let Some(blocks) = gap.or((end < all).then_some(end..all)) {
                gaps.push(Gap { key, blocks });
                continue;
            }
            let mut counts = vec![0u64; header.schema.counters.into()];
            for (_, part) in &parts {
                counts.iter_mut().zip(&part.counts).for_each(|(sum, n)| *sum = sum.saturating_add(*n));
            }
            records.push(RawRecord { array, first_block, counts });
            first_block += all;
            places.push(parts.into_iter().map(|(place, _)| place).collect());
        }
        if records.is_empty() {
            return Err(files[0].error(Reason::Shard));
        }
        if let [_, _, ..] = files[..] {
            header.arrays = records.len() as u32;
            header.blocks = first_block;
            header.entries = records.iter().map(|record| record.array.grid.entries()).sum();
            header.counts = vec![0; header.schema.counters.into()];
            for record in &records {
                header
                    .counts
                    .iter_mut()
                    .zip(&record.counts)
                    .for_each(|(sum, n)| *sum = sum.saturating_add(*n));
            }
            header.file_bytes = files.iter().map(|file| file.header().file_bytes).sum();
            header.hash = 0;
        }
        Ok(Together { files: TableFiles { files, places }, header, records, gaps })
    }

    /// Each file by itself; the first stands for all where one is to be named.
    pub fn all(&self) -> &[RawTable] {
        &self.files
    }

    /// The payload of a block will be read soon. Where that can't be, reading it will say so.
    pub fn ahead(&self, id: BlockId) {
        if let Some((file, array)) = self.find(id) {
            let _ = file.ahead(array, id.block);
        }
    }

    /// The file that has a block, and the number of the array there.
    fn find(&self, id: BlockId) -> Option<(&RawTable, u32)> {
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
            None => self.files[0].error(reason).of_block(id.block),
        }
    }

    fn blocks(&self) -> u64 {
        self.files.iter().map(|file| file.header().blocks).sum()
    }

    /// Reads every byte of every file, as [`RawTable::verify_hash`].
    pub fn verify_hash(&self, progress: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Result<(), StoreError> {
        let mut before = 0;
        for file in &self.files {
            file.verify_hash(&mut |bytes| progress(before + bytes))?;
            before += file.header().file_bytes;
        }
        Ok(())
    }
}

/// The paths of files.
pub(crate) fn paths(files: &[RawTable]) -> impl Iterator<Item = &Path> {
    files.iter().map(RawTable::path)
}
