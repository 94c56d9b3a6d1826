//! The tables of a folder, of all games.

use std::any::Any;
use std::path::{Path, PathBuf};

use crate::{Kind, Result};

/// The tables of a folder, opened by each of the games.
#[derive(Debug)]
pub struct Tables {
    path: PathBuf,
    opened: Vec<Opened>,
}

/// The tables that a kind of game has opened.
#[derive(Debug)]
pub struct Opened {
    /// What the kind itself knows them as.
    pub tables: Box<dyn Any + Send + Sync>,
    /// The number of sets of tables: those of one game or root are one.
    pub sets: usize,
    /// Why files are of no use that have the name of a table.
    pub damaged: Vec<String>,
    /// Unfinished tables.
    pub unfinished: Vec<PathBuf>,
}

impl Tables {
    /// Opens the tables in a folder, or without one those that are part of the program. `cache`:
    /// bytes of decoded blocks that are kept for each kind of game.
    ///
    /// # Errors
    /// If the folder can't be read. Damaged tables are listed.
    pub fn open(kinds: &[&Kind], path: Option<&Path>, cache: usize) -> Result<Tables> {
        let open = kinds.iter().filter_map(|kind| kind.open);
        let opened = open.map(|open| open(path, cache)).collect::<Result<_>>()?;
        Ok(Tables { path: path.map(Path::to_owned).unwrap_or_default(), opened })
    }

    /// The folder; empty if there is none.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What a kind of game has opened.
    #[must_use]
    pub fn of<T: 'static>(&self) -> Option<&T> {
        self.opened.iter().find_map(|opened| opened.tables.downcast_ref())
    }

    /// Whether the folder has no table that is of use.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.opened.iter().all(|opened| opened.sets == 0)
    }

    /// Why files are of no use that have the name of a table.
    pub fn damaged(&self) -> impl Iterator<Item = &str> {
        self.opened.iter().flat_map(|opened| &opened.damaged).map(String::as_str)
    }

    /// Unfinished tables, and the files that belong to them.
    pub fn unfinished(&self) -> impl Iterator<Item = &Path> {
        self.opened.iter().flat_map(|opened| &opened.unfinished).map(PathBuf::as_path)
    }
}
