//! A slice of the published solution as a table.

use super::{PublishedError, PublishedSlice};
use crate::codec::Level;
use crate::solve::{Cancelled, Control};
use crate::tables::{Access, Cache, Folder, Header, Lock, Settings, Table, TableError, Writer};
use crate::values::{BlockId, Entry, Sink, Source, WdlCounts};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// The blocks of early slices are small, and few: the most effort costs seconds, and saves a tenth of the bytes against
/// [`Level::KEPT`], without which not every table would be smaller than its file.
const LEVEL: Level = Level::new(19).expect("there is such a level");

/// What became of a file.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The table.
    pub path: PathBuf,
    /// Sections of it.
    pub sections: u32,
    /// Entries of it.
    pub entries: u64,
    /// Its positions, each board once.
    pub counts: WdlCounts,
    /// Bytes of it.
    pub bytes: u64,
    /// It was there already, and was left as it is.
    pub already: bool,
    /// Sections of the file that the table, which was there already, doesn't have.
    pub lacking: usize,
}

/// Why no table was made of a file.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file.
    #[error(transparent)]
    Published(#[from] PublishedError),
    /// The table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// It was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Makes a table of a slice under the folder `out`, where there is none yet. Goes on where it was stopped.
///
/// # Errors
/// If the file is damaged, if somebody else builds there, if the disk doesn't suffice, or if it was stopped. What was finished is kept.
pub fn import(slice: &PublishedSlice, out: &Path, control: &Control) -> Result<Imported, ImportError> {
    let manifest = slice.manifest();
    let folder = out.join(manifest.target.folder_name());
    let _lock = Lock::take(&folder)?;
    if let Some(listed) = Folder::open(&folder)?.find(manifest.target, manifest.slice) {
        let table = Table::open(&listed.path, Access::default(), Cache::new(0))?;
        let lacking = manifest.arrays.iter().filter(|array| table.array(&array.key).is_none()).count();
        return Ok(Imported { already: true, lacking, ..Imported::new(&listed.path, &listed.header) });
    }
    let path = manifest.target.path(out, manifest.slice);
    let (first_blocks, _) = manifest.first_blocks();
    let writer = Writer::begin(&path, manifest.clone(), Settings::new(LEVEL))?;
    let done = writer.done();
    let copied = (0..).zip(&manifest.arrays).try_for_each(|(number, array)| {
        (0..array.grid.blocks()).into_par_iter().try_for_each(|block| {
            let mut entries = vec![Entry::default(); array.grid.len(block)];
            if first_blocks[number as usize] + block >= done {
                if control.is_cancelled() {
                    return Err(Cancelled.into());
                }
                let id = BlockId { array: number, block };
                slice.get(id, &mut entries)?;
                writer.put(id, &entries)?;
            }
            control.add(entries.len() as u64);
            Ok::<(), ImportError>(())
        })
    });
    if copied.is_err() {
        // What was converted is kept for the next time; the first error is the one to tell.
        let _ = writer.flush();
    }
    copied?;
    Ok(Imported::new(&path, &writer.finish()?))
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
