//! A slice of the published solution as a table.

use super::{PublishedError, PublishedSlice};
use crate::codec::Codec;
use crate::tables::{Access, Cache, Header, Lock, Settings, Table, TableError, Tablebase, Writer};
use crate::verify::counts::{Difference, of_table, published};
use pentago_base::{Control, Stage, Stopped};
use pentago_core::values::{BlockId, Entry, WdlCounts};
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

/// The result of an import.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The table.
    pub path: PathBuf,
    /// Number of its sections.
    pub sections: u32,
    /// Number of its entries.
    pub entries: u64,
    /// Wins, draws and losses of its positions, each board counted once.
    pub counts: WdlCounts,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether it existed before, and was kept.
    pub already: bool,
    /// Number of sections of the file that an existing table lacks.
    pub lacking: usize,
}

/// Why a file was not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file.
    #[error(transparent)]
    Published(#[from] PublishedError),
    /// The table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The values of a whole slice have other counts than were published.
    #[error("{}: {difference}: the values of the file are wrong: download it again", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The counts.
        difference: Difference,
    },
    /// It was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Converts a slice into a table in the folder `out`, encoded with `codec`, unless the table exists
/// already. Resumes an interrupted import. Where all sections of the slice are there, its wins, draws
/// and losses are compared with the published counts; what is wrong leaves no table.
///
/// # Errors
/// If the file is damaged, lacks sections or has other counts than were published; another process
/// builds there, the disk is full, or it was cancelled. All data written so far is kept.
pub fn import(
    slice: &PublishedSlice,
    out: &Path,
    codec: Codec,
    control: &Control,
) -> Result<Imported, ImportError> {
    let manifest = slice.manifest();
    if slice.published {
        slice.file().check_whole()?;
    }
    control.begin(Stage::supers(format!("{} marbles", manifest.slice), manifest.entries()));
    let folder = out.join(manifest.target.folder_name());
    let _lock = Lock::take(&folder)?;
    let (finished, _) = Tablebase::open_target(&folder, manifest.target)?;
    if let Some(table) = finished.table(manifest.slice)? {
        let lacking = manifest.arrays.iter().filter(|array| table.array(&array.key).is_none()).count();
        return Ok(Imported { already: true, lacking, ..Imported::new(table.path(), table.header()) });
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
        // Converted blocks are kept for the next run; the first error is reported.
        let _ = writer.flush();
    }
    copied?;
    let header = writer.finish()?;
    let table = Table::open(&path, Access::default(), Cache::new(0))?;
    let compared = published(manifest.target, manifest.slice, of_table(&table));
    if let Some(Err(difference)) = compared.filter(|_| slice.published) {
        fs::remove_file(&path).map_err(|error| TableError::io(&path, "remove", error))?;
        return Err(ImportError::Wrong { path: slice.file().path().to_owned(), difference });
    }
    Ok(Imported::new(&path, &header))
}

impl Imported {
    fn new(path: &Path, header: &Header) -> Imported {
        Imported {
            path: path.to_owned(),
            sections: header.arrays,
            entries: header.entries,
            counts: header.counts,
            bytes: header.file_bytes,
            already: false,
            lacking: 0,
        }
    }
}
