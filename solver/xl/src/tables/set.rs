//! The tables of a folder, by target.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use pentago_store::{Access, Cache, GameId, StoreError, scan};

use super::below::Below;
use super::reader::Table;
use super::target::{Header, Target};
use crate::outcome::Value;
use crate::position::Position;
use crate::seat::Seat;

/// A table that was found.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The file.
    pub path: PathBuf,
    /// What it is.
    pub header: Header,
}

/// The tables of one root, each opened on first use.
#[derive(Debug)]
pub struct TableSet {
    target: Target,
    below: Below,
    slices: Vec<(Listed, OnceLock<Table>)>,
    cache: Arc<Cache<u64>>,
}

impl TableSet {
    /// The tables of this game in a folder and the folders in it, by root. `cache`: bytes of
    /// decoded blocks to keep.
    ///
    /// # Errors
    /// If a folder can't be read, or a table of this game is of no use.
    pub fn open_folder(path: &Path, cache: usize) -> Result<Vec<TableSet>, StoreError> {
        let (sets, damaged) = TableSet::find(path, cache)?;
        damaged.into_iter().next().map_or(Ok(sets), Err)
    }

    /// The same, with the errors of tables of this game that are of no use. Files that aren't
    /// tables at all are left out, as are those of other games.
    ///
    /// # Errors
    /// If a folder can't be read.
    pub fn find(path: &Path, cache: usize) -> Result<(Vec<TableSet>, Vec<StoreError>), StoreError> {
        let tables = scan(path)?.tables;
        let cache = Cache::new(cache);
        let mut sets: Vec<TableSet> = Vec::new();
        let mut damaged = Vec::new();
        for listed in tables.iter().filter(|t| t.header.schema.game == GameId::PENTAGO_XL) {
            let path = listed.path.clone();
            let header = match Header::of(&listed.header) {
                Ok(header) => header,
                Err(reason) => {
                    damaged.push(StoreError::new(&path, reason));
                    continue;
                }
            };
            let target = header.target;
            let at = sets.iter().position(|set| set.target == target).unwrap_or_else(|| {
                let (below, cache) = (Below::new(target), cache.clone());
                sets.push(TableSet { target, below, slices: Vec::new(), cache });
                sets.len() - 1
            });
            sets[at].slices.push((Listed { path, header }, OnceLock::new()));
        }
        sets.iter_mut().for_each(|set| set.slices.sort_by_key(|(listed, _)| listed.header.marbles));
        Ok((sets, damaged))
    }

    /// What they are about.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The boards below the root.
    #[must_use]
    pub fn below(&self) -> &Below {
        &self.below
    }

    /// The tables, by slice.
    pub fn listed(&self) -> impl Iterator<Item = &Listed> {
        self.slices.iter().map(|(listed, _)| listed)
    }

    /// The table of a slice, if there is one.
    ///
    /// # Errors
    /// If it is damaged, or can't be read.
    pub fn table(&self, marbles: usize) -> Result<Option<&Table>, StoreError> {
        let found = self.slices.iter().find(|(listed, _)| listed.header.marbles == marbles);
        let Some((listed, cell)) = found else { return Ok(None) };
        if cell.get().is_none() {
            // Another thread may have been faster; its table is equivalent.
            let _ = cell.set(Table::open(&listed.path, Access::default(), &self.cache)?);
        }
        Ok(cell.get())
    }

    /// The value of a position for each seat (none for seats that don't play); nothing if no table
    /// holds it.
    ///
    /// # Errors
    /// If the table that holds it is damaged, or can't be read.
    pub fn look_up(&self, p: &Position) -> Result<Option<[Option<Value>; 4]>, StoreError> {
        if p.places != [0; 4] {
            return Ok(None);
        }
        let Some(table) = self.table(p.count())? else { return Ok(None) };
        let Some(place) = self.below.locate(p) else { return Ok(None) };
        Ok(Some(self.of_seats(&table.values(&place)?)))
    }

    pub(super) fn of_seats(&self, of_sides: &[Value]) -> [Option<Value>; 4] {
        let sides = self.target.rules.sides();
        Seat::ALL.map(|seat| sides.iter().position(|side| side.has(seat)).map(|side| of_sides[side]))
    }
}
