//! The one file that shards are together: their payloads, as they are, in the order of the blocks.
//! It is the file that one builder would have written, byte for byte.

use super::manifest::Domain;
use super::{Cache, Table, TableError};
use pentago_base::{Control, Stage};
use pentago_core::index::Section;
use pentago_core::values::BlockId;
use pentago_store::{Access, Gap, RawArrayInfo, RawManifest, RawSettings, RawWriter, Reason};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Why shards were not merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// An error of one of the files.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Blocks of a section are in none of them.
    #[error(
        "a shard is missing: blocks {} to {} of section {section} are in none of these files",
        .blocks.start, .blocks.end - 1
    )]
    Gap {
        /// The section, as its table has it.
        section: Section,
        /// The numbers of the first blocks that are missing.
        blocks: Range<u64>,
    },
    /// Sections of the slice are in none of them.
    #[error("a shard is missing: {missing} sections are in none of these files, the first is {first}")]
    Sections {
        /// How many.
        missing: usize,
        /// The first of them.
        first: Section,
    },
}

/// Writes the table that `shards` are together as one file. Each payload is compared with its
/// checksum; `control` counts their bytes and can cancel. Where a table is made of some sections
/// only, as that of a single section, `partial` allows the others to be missing.
///
/// # Errors
/// If a shard is damaged, or missing; if there is such a file already; or what the system says.
/// What was written stays and is continued.
///
/// # Panics
/// If there are no shards.
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
            // The counts of single blocks are known to nobody any more, only their sum: it comes
            // with the last block, which a merge that is continued hasn't written.
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
