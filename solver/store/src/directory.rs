//! Encodes and decodes the directory of a table, which has one record per array.

use crate::bytes::{checksum, put, take_u32, take_u64, take_u64s};
use crate::error::Reason;
use crate::header::RawHeader;
use crate::manifest::{RawArrayInfo, RawManifest};
use pentago_base::Grid;

/// The directory record of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRecord {
    /// The key, the shape and the stored blocks of the array.
    pub array: RawArrayInfo,
    /// The index of the array's first stored block among all blocks of the file.
    pub first_block: u64,
    /// The counters of the array. The schema defines the number of counters.
    pub counts: Vec<u64>,
}

/// Encodes the records of all arrays as a directory.
pub fn to_bytes<'a>(records: impl Iterator<Item = (&'a RawArrayInfo, &'a [u64])>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (RawArrayInfo { key, grid, blocks }, counts) in records {
        bytes.extend_from_slice(key);
        bytes.extend(grid.extents.iter().chain(&grid.edges).flat_map(|number| number.to_le_bytes()));
        put(&mut bytes, &[blocks.start, blocks.end]);
        put(&mut bytes, counts);
    }
    bytes
}

/// Decodes the directory and checks it against the header.
pub fn from_bytes(bytes: &[u8], header: &RawHeader) -> Result<Vec<RawRecord>, Reason> {
    if checksum(bytes) != header.directory.checksum {
        return Err(Reason::Damaged("directory"));
    }
    let schema = header.schema;
    let mut counts = Vec::new();
    let read = |bytes: &[u8]| {
        let (key, mut rest) = bytes.split_at(schema.key_bytes.into());
        let [extents, edges] = [[0; 4]; 2].map(|axes| axes.map(|_| take_u32(&mut rest)));
        let blocks = take_u64(&mut rest)..take_u64(&mut rest);
        counts.push(take_u64s(&mut rest, schema.counters.into()));
        RawArrayInfo { key: key.into(), grid: Grid { extents, edges }, blocks }
    };
    let arrays = bytes.chunks_exact(schema.record_bytes()).map(read).collect();
    let manifest = RawManifest { schema, target: Vec::new(), slice: header.slice, arrays };
    manifest.check()?;
    let (first_blocks, blocks) = manifest.first_blocks();
    if blocks != header.blocks || manifest.entries() != header.entries {
        return Err(Reason::Inconsistent(
            "the blocks or entries of the arrays don't add up to those of the header",
        ));
    }
    for (i, &all) in header.counts.iter().enumerate() {
        if counts.iter().try_fold(0u64, |sum, counts| sum.checked_add(counts[i])) != Some(all) {
            return Err(Reason::Inconsistent(
                "the counters of the arrays don't add up to those of the header",
            ));
        }
    }
    let records = manifest.arrays.into_iter().zip(first_blocks).zip(counts);
    Ok(records.map(|((array, first_block), counts)| RawRecord { array, first_block, counts }).collect())
}
