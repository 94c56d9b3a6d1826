//! Merges shards to one file. The payloads stay unchanged, and are stored in the order of the
//! blocks. The file equals, byte for byte, the file that a single builder would have written.

use super::manifest::Domain;
use super::schema::{Cache, Table, TableError};
use pentago_base::{Control, Stage};
use pentago_core::index::Section;
use pentago_core::values::BlockId;
use pentago_store::{Access, Gap, RawArrayInfo, RawManifest, RawSettings, RawWriter, Reason};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The reason why shards can't be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A shard or the merged file can't be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Some blocks of a section are in none of the shards.
    #[error(
        "a shard is missing: blocks {} to {} of section {section} are in none of these files",
        .blocks.start, .blocks.end - 1
    )]
    Gap {
        /// The standard image of the section.
        section: Section,
        /// The index range of the first missing blocks in the section.
        blocks: Range<u64>,
    },
    /// Some sections of the slice are in none of the shards.
    #[error("a shard is missing: {missing} sections are in none of these files, the first is {first}")]
    Sections {
        /// The number of missing sections.
        missing: usize,
        /// The first of the missing sections.
        first: Section,
    },
}

/// Joins `shards` to the table `out`, and verifies the checksum of each payload. `control` counts
/// the bytes of the merged payloads, and can cancel the merge. If `partial` is true, the slice may
/// lack sections.
///
/// # Errors
/// If a shard is damaged or missing, if `out` exists, if the merge was cancelled, or if the
/// operating system reports an error. The unfinished file stays, and the next merge resumes it.
///
/// # Panics
/// If `shards` is empty.
pub fn merge(shards: &[PathBuf], out: &Path, partial: bool, control: &Control) -> Result<Table, MergeError> {
    let table = Table::open_shards(shards, Access::default(), Cache::new(0))?;
    let header = table.header();
    if let Some(Gap { key, blocks }) = table.gaps().first().cloned() {
        let key = (*key).try_into().expect("the length of keys was checked");
        return Err(MergeError::Gap { section: header.target.section_of(key), blocks });
    }
    if header.target.domain == Domain::Game && !partial {
        let all = header.target.sections().standard(header.slice.into());
        let sections = header.target.sections();
        let mut missing = all.into_iter().filter(|&section| table.array(&sections.key(section)).is_none());
        if let Some(first) = missing.next() {
            return Err(MergeError::Sections { missing: 1 + missing.count(), first });
        }
    }
    let raw = table.raw().header();
    let manifest = RawManifest {
        schema: raw.schema,
        target: raw.target.clone(),
        slice: raw.slice,
        arrays: table.arrays().iter().map(|r| RawArrayInfo::whole(&r.array.key, r.array.grid)).collect(),
    };
    let writer = RawWriter::begin(out, manifest, RawSettings::new(&raw.program))?;
    control.begin(Stage::bytes("merging", header.file_bytes));
    let mut number = 0;
    for (array, record) in (0..).zip(table.arrays()) {
        for block in 0..record.array.grid.blocks() {
            number += 1;
            if writer.has(number - 1) {
                continue;
            }
            let payload = table.payload(BlockId { array, block })?.into_owned();
            control.add(payload.len() as u64);
            // A shard stores the counts of whole arrays, not of single blocks. Add the counts
            // together with the last block of the array. No earlier run has written this block, or
            // the loop would have skipped it.
            let counts = record.counts;
            let last = block + 1 == record.array.grid.blocks();
            let counts = if last { [counts.wins, counts.draws, counts.losses] } else { [0; 3] };
            writer.put(array, block, payload, &counts)?;
            if control.is_cancelled() {
                writer.flush()?;
                return Err(TableError::new(out, Reason::Cancelled).into());
            }
        }
    }
    writer.finish()?;
    Ok(Table::open(out, Access::default(), Cache::new(0))?)
}
