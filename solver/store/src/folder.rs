//! What tables lie in a folder: found by the headers of the files alone, whatever their names are.

use crate::error::StoreError;
use crate::header::RawHeader;
use crate::storage::{self, Access};
use crate::table::read_header;
use std::fs;
use std::path::{Path, PathBuf};

/// What the name of every table ends in.
pub const EXTENSION: &str = "pentago";

/// A table that was found.
#[derive(Clone, Debug)]
pub struct RawListed {
    /// The file.
    pub path: PathBuf,
    /// What it is.
    pub header: RawHeader,
}

/// What a folder holds.
#[derive(Debug, Default)]
pub struct Scan {
    /// The finished tables of all games, by path.
    pub tables: Vec<RawListed>,
    /// Files that have the name of a table but can't be read as one.
    pub damaged: Vec<StoreError>,
    /// Unfinished tables and what belongs to them.
    pub unfinished: Vec<PathBuf>,
    /// All other files.
    pub others: Vec<PathBuf>,
}

/// Looks through a folder and the folders in it.
///
/// # Errors
/// If a folder can't be read; damaged files are listed.
pub fn scan(path: &Path) -> Result<Scan, StoreError> {
    let mut scan = Scan::default();
    scan.add(path, 1)?;
    scan.tables.sort_by(|a, b| a.path.cmp(&b.path));
    scan.damaged.sort_by(|a, b| a.path.cmp(&b.path));
    scan.unfinished.sort();
    scan.others.sort();
    Ok(scan)
}

impl Scan {
    fn add(&mut self, path: &Path, depth: u32) -> Result<(), StoreError> {
        let error = |e| StoreError::io(path, "look through", e);
        for entry in fs::read_dir(path).map_err(error)? {
            let path = entry.map_err(error)?.path();
            if path.is_dir() {
                if depth > 0 {
                    self.add(&path, depth - 1)?;
                }
                continue;
            }
            let of_table = |path: &Path| path.extension() == Some(EXTENSION.as_ref());
            match path.extension().and_then(|e| e.to_str()) {
                Some(EXTENSION) => {
                    let header = storage::open(&path, Access::Read)
                        .map_err(|e| StoreError::io(&path, "open", e))
                        .and_then(|storage| read_header(&path, &*storage));
                    match header {
                        Ok(header) => self.tables.push(RawListed { path, header }),
                        Err(error) => self.damaged.push(error),
                    }
                }
                Some("part" | "journal" | "waiting") if of_table(&path.with_extension("")) => {
                    self.unfinished.push(path);
                }
                _ => self.others.push(path),
            }
        }
        Ok(())
    }
}
