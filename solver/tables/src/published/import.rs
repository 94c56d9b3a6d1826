//! Converts a slice of the published solution to a table.

use super::{PublishedError, PublishedSlice};
use crate::codec::Codec;
use crate::tables::{Access, Cache, Header, Lock, Settings, Table, TableError, Tablebase, Writer};
use crate::verify::counts::{Difference, of_table, published};
use pentago_base::{Control, Stage, Stopped, shown_path};
use pentago_core::values::{BlockId, Entry};
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

/// The result of an import.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The path of the table.
    pub path: PathBuf,
    /// The header of the table.
    pub header: Header,
    /// `true` if the table already existed. The import then wrote nothing.
    pub already: bool,
    /// The number of sections that the file has but the existing table lacks. The number is 0 for a
    /// new table.
    pub lacking: usize,
}

/// The reason why a published file can't be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The published file can't be read or is damaged.
    #[error(transparent)]
    Published(#[from] PublishedError),
    /// The table can't be written or read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The numbers of wins, draws and losses in the slice differ from the published numbers.
    #[error("{}: {difference}: the values of the file are wrong: download it again", shown_path(path))]
    Wrong {
        /// The path of the published file.
        path: PathBuf,
        /// The first counts that differ.
        difference: Difference,
    },
    /// The import was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Converts a slice to a table in the folder `out`, encoded with `codec`. If the table already
/// exists, nothing is written. An interrupted import is resumed. The numbers of wins, draws and
/// losses of a complete slice are compared with the published numbers. If they differ, the table is
/// removed.
///
/// # Errors
/// If the file is damaged, lacks sections, or has other numbers of wins, draws and losses than
/// published. Also if another process builds in the folder, if the table can't be written, or if
/// the import was cancelled. The next run reuses the blocks that this run has converted.
pub fn import(
    slice: &PublishedSlice,
    out: &Path,
    codec: Codec,
    control: &Control,
) -> Result<Imported, ImportError> {
    let manifest = slice.manifest();
    if slice.published {
        slice.file.check_whole()?;
    }
    control.begin(Stage::supers(format!("{} marbles", manifest.slice), manifest.entries()));
    let folder = out.join(manifest.target.folder_name());
    let _lock = Lock::take(&folder)?;
    let (finished, _) = Tablebase::open_target(&folder, manifest.target)?;
    if let Some(table) = finished.table(manifest.slice)? {
        let lacking = manifest.arrays.iter().filter(|array| table.array(&array.key).is_none()).count();
        let (path, header) = (table.path().to_owned(), table.header().clone());
        return Ok(Imported { path, header, already: true, lacking });
    }
    let path = manifest.target.path(out, manifest.slice);
    let (first_blocks, _) = manifest.first_blocks();
    let writer = Writer::begin(&path, manifest.clone(), Settings::new(codec))?;
    let done = writer.done();
    let copied = (0..).zip(&manifest.arrays).try_for_each(|(number, array)| {
        (0..array.grid.blocks()).into_par_iter().try_for_each(|block| {
            let mut entries = vec![Entry::default(); array.grid.len(block)];
            if first_blocks[number as usize] + block >= done {
                control.check()?;
                let id = BlockId { array: number, block };
                slice.get(id, &mut entries)?;
                writer.put(id, &entries)?;
            }
            control.add(entries.len() as u64);
            Ok::<(), ImportError>(())
        })
    });
    if copied.is_err() {
        // Keep the converted blocks for the next run. Ignore an error of `flush`, because the first
        // error is reported.
        let _ = writer.flush();
    }
    copied?;
    let header = writer.finish()?;
    let table = Table::open(&path, Access::default(), Cache::new(0))?;
    let compared = published(manifest.target, manifest.slice, of_table(&table));
    if let Some(Err(difference)) = compared.filter(|_| slice.published) {
        fs::remove_file(&path).map_err(|error| TableError::io(&path, "remove", error))?;
        return Err(ImportError::Wrong { path: slice.file.path.clone(), difference });
    }
    Ok(Imported { path, header, already: false, lacking: 0 })
}
