//! The open tables in a folder, and the look-up of a position in all of them.

use crate::tables::{FolderScan, Location, PentagoSchema, TableError, Tablebase};
use pentago_core::answer::{Missing, Origin};
use pentago_core::index::Section;
use pentago_core::rules::{Board, Position, Rules};
use pentago_core::values::{Entry, Wdl};
use pentago_store::Probe;
use std::path::{Path, PathBuf};

/// An open folder of tables. Several threads may use it simultaneously.
#[derive(Debug)]
pub struct Tables {
    /// The path of the folder, or an empty path if there is no folder.
    pub path: PathBuf,
    /// The tablebases of the folder, one per target.
    pub families: Vec<Tablebase>,
    /// The other files of the folder. A file that has the extension of a table but can't be read as
    /// a table is damaged.
    pub scan: FolderScan,
}

/// The result of looking up a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The value of the position for the side to move.
    Value(Wdl),
    /// The reason why no table contains the position.
    Missing(Missing),
}

impl Tables {
    /// Opens all tables in a folder and its subfolders. `cache` is the maximum total size of cached
    /// blocks, in bytes.
    ///
    /// # Errors
    /// If a folder can't be read. A damaged table is not an error: [`Tables::scan`] lists it.
    pub fn open(path: &Path, cache: usize) -> Result<Tables, TableError> {
        let (mut families, mut scan) = Tablebase::open_all(path, cache)?;
        families.sort_by_key(|family| *family.target());
        // In a folder of tables, a file that can't be read as a table counts as damaged. List such
        // files first.
        let unusable = std::mem::take(&mut scan.damaged);
        scan.damaged = scan.unreadable.drain(..).chain(unusable).collect();
        Ok(Tables { path: path.to_owned(), families, scan })
    }

    /// Creates an empty set of tables, without a folder.
    pub fn none() -> Tables {
        Tables { path: PathBuf::new(), families: Vec::new(), scan: FolderScan::default() }
    }

    /// Returns the tablebases in the folder. The embedded tables of the first plies are left out.
    pub fn stored(&self) -> impl Iterator<Item = &Tablebase> {
        self.families.iter().filter(|family| family.index().origin == Origin::Table)
    }

    /// Removes the embedded tables of the first plies.
    #[must_use]
    pub fn without_openings(mut self) -> Tables {
        self.families.retain(|family| family.index().origin == Origin::Table);
        self
    }

    /// Looks up a position under the given rules.
    ///
    /// # Errors
    /// If the table that contains the position is damaged or can't be read.
    pub fn look_up(&self, rules: &Rules, position: &Position) -> Result<Lookup, TableError> {
        Ok(match self.find(rules, position)? {
            Ok((value, _)) => Lookup::Value(value),
            Err(missing) => Lookup::Missing(missing),
        })
    }

    /// Looks up a position under the given rules. Returns the value and its source, or the reason
    /// why no table contains the position.
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
                Lookup::Value(value) => return Ok(Ok((value, family.index().origin.clone()))),
                // The reason from the embedded tables is used only if no other tablebase has
                // supplied a reason.
                Lookup::Missing(_)
                    if family.index().origin == Origin::Published
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

    fn look_up(set: &Tablebase, board: &Board) -> Result<Lookup, TableError> {
        Ok(match entry(set, *board)? {
            Ok((entry, place)) => Lookup::Value(entry.get(place.rotation)),
            Err(missing) => Lookup::Missing(missing),
        })
    }
}

/// Returns the entry that contains the value of a board, and the location of the board. If no table
/// contains the board, returns the reason.
///
/// # Errors
/// If the table is damaged or can't be read.
pub fn entry(set: &Tablebase, board: Board) -> Result<Result<(Entry, Location), Missing>, TableError> {
    let Some(place) = set.index().locate(board) else { return Ok(Err(Missing::Elsewhere)) };
    let tables = set.tables(board.marbles() as u8)?;
    if tables.is_empty() {
        let mut slices = set.headers().map(|header| header.slice);
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
