//! Finds the tables in a local folder. Tables are recognised by their headers, not by their names.

use crate::error::StoreError;
use crate::header::RawHeader;
use crate::layout::EXTENSION;
use crate::storage::{self, Access, Storage};
use crate::table::read_header;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of a finished table that was found but not opened.
#[derive(Clone, Debug)]
pub struct TableFile {
    /// The path of the file, or its address on a host.
    pub path: PathBuf,
    /// The header of the table.
    pub header: RawHeader,
    /// The storage of the table's bytes, or `None` if the bytes are in a local file at `path`.
    pub storage: Option<Arc<dyn Storage>>,
}

/// The files in a folder and its subfolders.
#[derive(Debug, Default)]
pub struct FolderScan {
    /// The finished tables of all games, sorted by path.
    pub tables: Vec<TableFile>,
    /// The errors of subfolders that can't be read, and of files that have the extension of a table
    /// but can't be read as a table of any game.
    pub unreadable: Vec<StoreError>,
    /// The errors of tables whose content their game rejects. The list is empty until a game has
    /// read its tables.
    pub damaged: Vec<StoreError>,
    /// The paths of unfinished tables and of the files that belong to unfinished tables.
    pub unfinished: Vec<PathBuf>,
    /// The paths of all regular files that are not tables and don't belong to unfinished tables.
    pub others: Vec<PathBuf>,
}

/// Scans a local folder and its direct subfolders. A file or folder with several names (links) is
/// found once.
///
/// # Errors
/// If the folder can't be read. Damaged files and unreadable subfolders are listed in the result.
pub(crate) fn scan_folder(path: &Path) -> Result<FolderScan, StoreError> {
    let mut scan = FolderScan::default();
    scan.add(path, 1, &mut HashSet::new())?;
    scan.tables.sort_by(|a, b| a.path.cmp(&b.path));
    scan.unreadable.sort_by(|a, b| a.path.cmp(&b.path));
    scan.unfinished.sort();
    scan.others.sort();
    Ok(scan)
}

impl FolderScan {
    /// Adds the files of a folder. `depth` is the number of subfolder levels to scan. `seen`
    /// contains the canonical paths of all folders and tables found so far.
    fn add(&mut self, path: &Path, depth: u32, seen: &mut HashSet<PathBuf>) -> Result<(), StoreError> {
        let error = |e| StoreError::io(path, "look through", e);
        if !seen.insert(path.canonicalize().map_err(error)?) {
            return Ok(());
        }
        let mut entries = Vec::new();
        for entry in fs::read_dir(path).map_err(error)? {
            let entry = entry.map_err(error)?;
            entries.push((entry.file_type().map_err(error)?.is_symlink(), entry.path()));
        }
        // If a file has several names, the result must contain the name that isn't a link, so links
        // are sorted last.
        entries.sort();
        for (_, path) in entries {
            if path.is_dir() {
                // An error in one subfolder must not hide the tables of others: the tables of a
                // target don't depend on other targets.
                if depth > 0
                    && let Err(error) = self.add(&path, depth - 1, seen)
                {
                    self.unreadable.push(error);
                }
                continue;
            }
            let of_table = |path: &Path| path.extension() == Some(EXTENSION.as_ref());
            match path.extension().and_then(|e| e.to_str()) {
                Some(EXTENSION) => {
                    // A dangling link has no canonical path. Opening the link reports the error.
                    if path.canonicalize().is_ok_and(|path| !seen.insert(path)) {
                        continue;
                    }
                    let header = storage::open(&path, Access::Read)
                        .map_err(|e| StoreError::io(&path, "open", e))
                        .and_then(|storage| read_header(&path, &*storage));
                    match header {
                        Ok(header) => self.tables.push(TableFile { path, header, storage: None }),
                        Err(error) => self.unreadable.push(error),
                    }
                }
                Some("part" | "journal" | "waiting") if of_table(&path.with_extension("")) => {
                    self.unfinished.push(path);
                }
                _ if path.is_file() => self.others.push(path),
                _ => {}
            }
        }
        Ok(())
    }
}
