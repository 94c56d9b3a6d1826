//! The open tables of a folder, and the look-up of a position.

use crate::tables::{Access, Folder, Listed, Location, PentagoSchema, TableError, TableSet};
use pentago_core::answer::{Missing, Origin};
use pentago_core::index::Section;
use pentago_core::rules::{Board, Position, Rules};
use pentago_core::values::{Entry, Wdl};
use pentago_store::Probe;
use std::path::{Path, PathBuf};

/// An open folder of tables. Any number of threads may use it simultaneously.
#[derive(Debug)]
pub struct Tables {
    path: PathBuf,
    pub(super) families: Vec<TableSet>,
    folder: Folder,
}

/// The result of probing the tables for a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The value for the side to move.
    Value(Wdl),
    /// The reason why the tables lack the position.
    Missing(Missing),
}

impl Tables {
    /// Opens all tables in a folder and its subfolders, with a cache of `cache` bytes for decoded
    /// blocks. [`Tables::damaged`] lists damaged tables.
    ///
    /// # Errors
    /// If a folder can't be read.
    pub fn open(path: &Path, access: Access, cache: usize) -> Result<Tables, TableError> {
        let mut folder = Folder::open(path)?;
        let mut families = TableSet::all(&folder, access, cache);
        families.sort_by_key(|family| *family.target());
        // In a folder of tables, a file that can't be read as a table counts as damaged.
        let unusable = std::mem::take(&mut folder.damaged);
        folder.damaged = folder.unreadable.drain(..).chain(unusable).collect();
        Ok(Tables { path: path.to_owned(), families, folder })
    }

    /// Returns an empty folder.
    #[must_use]
    pub fn none() -> Tables {
        Tables { path: PathBuf::new(), families: Vec::new(), folder: Folder::default() }
    }

    /// Returns the path of the folder, which is empty for [`Tables::none`].
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the files of the folder.
    #[must_use]
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Returns the tables of each target.
    #[must_use]
    pub fn families(&self) -> &[TableSet] {
        &self.families
    }

    /// Returns the tables of each target of the folder, without the embedded openings.
    pub fn stored(&self) -> impl Iterator<Item = &TableSet> {
        self.families.iter().filter(|family| *family.index().origin() == Origin::Table)
    }

    /// Returns the errors of files that have the name of a table but can't be read as one.
    #[must_use]
    pub fn damaged(&self) -> &[TableError] {
        &self.folder.damaged
    }

    /// Returns the paths of unfinished tables and of the files that belong to them.
    #[must_use]
    pub fn unfinished(&self) -> &[PathBuf] {
        &self.folder.unfinished
    }

    /// Looks up a position under these rules.
    ///
    /// # Errors
    /// If the table that has the position is damaged or can't be read.
    pub fn look_up(&self, rules: &Rules, position: &Position) -> Result<Lookup, TableError> {
        Ok(match self.find(rules, position)? {
            Ok((value, _)) => Lookup::Value(value),
            Err(missing) => Lookup::Missing(missing),
        })
    }

    /// Looks up a position under these rules, and returns the source of its value.
    ///
    /// # Errors
    /// As for [`Tables::look_up`].
    pub fn find(
        &self,
        rules: &Rules,
        position: &Position,
    ) -> Result<Result<(Wdl, Origin), Missing>, TableError> {
        if position.pending() {
            return Ok(Err(Missing::Pending));
        }
        let mut missing = Missing::Rules(*rules);
        for family in self.families.iter().filter(|family| family.target().rules == *rules) {
            match family.look_up(&position.board())? {
                Lookup::Value(value) => return Ok(Ok((value, family.index().origin().clone()))),
                // The reason of the openings counts only if no other tables gave a reason.
                Lookup::Missing(_)
                    if *family.index().origin() == Origin::Published
                        && !matches!(missing, Missing::Rules(_)) => {}
                Lookup::Missing(more) if more.weight() > missing.weight() => missing = more,
                Lookup::Missing(_) => {}
            }
        }
        Ok(Err(missing))
    }
}

impl Probe for PentagoSchema {
    type Position = Board;
    type Value = Lookup;

    fn look_up(set: &TableSet, board: &Board) -> Result<Lookup, TableError> {
        Ok(match entry(set, *board)? {
            Ok((entry, place)) => Lookup::Value(entry.get(place.rotation)),
            Err(missing) => Lookup::Missing(missing),
        })
    }
}

/// Returns the entry with a board's value, and its location, or the reason why no table has it.
///
/// # Errors
/// If the table is damaged or can't be read.
pub fn entry(set: &TableSet, board: Board) -> Result<Result<(Entry, Location), Missing>, TableError> {
    let Some(place) = set.index().locate(board) else { return Ok(Err(Missing::Elsewhere)) };
    let tables = set.tables(board.marbles() as u8)?;
    if tables.is_empty() {
        let mut slices = set.listed().map(Listed::slice);
        let first = slices.next().unwrap_or(0);
        let last = slices.last().unwrap_or(first);
        return Ok(Err(Missing::Slice { marbles: board.marbles(), first, last }));
    }
    for table in tables {
        if let Some(array) = table.array(&place.key) {
            return Ok(Ok((table.entry(array, place.index)?, place)));
        }
    }
    Ok(Err(Missing::Section(Section::of(board))))
}
