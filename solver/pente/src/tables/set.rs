//! The tables of a folder, by rules.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use pentago_store::{Access, GameId, StoreError, scan};

use super::plain::PlainBoard;
use super::reader::{Cache, Table};
use super::target::{Header, Layer};
use crate::rules::{Color, Outcome, Position, Rules};
use crate::table::{Places, Value};

/// A table that was found.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The file.
    pub path: PathBuf,
    /// What it is.
    pub header: Header,
}

/// The tables of one game, each opened on first use.
pub struct TableSet {
    rules: Rules,
    places: OnceLock<Option<Places>>,
    plain: OnceLock<PlainBoard>,
    layers: Vec<(Listed, OnceLock<Table>)>,
    cache: Arc<Cache>,
}

impl TableSet {
    /// The tables of this game in a folder and the folders in it, by rules. `cache`: bytes of
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
        for listed in tables.iter().filter(|t| t.header.schema.game == GameId::PENTE) {
            let path = listed.path.clone();
            let header = match Header::of(&listed.header) {
                Ok(header) => header,
                Err(reason) => {
                    damaged.push(StoreError::new(&path, reason));
                    continue;
                }
            };
            let rules = header.rules;
            let at = sets.iter().position(|set| set.rules == rules).unwrap_or_else(|| {
                let (places, plain, cache) = (OnceLock::new(), OnceLock::new(), cache.clone());
                sets.push(TableSet { rules, places, plain, layers: Vec::new(), cache });
                sets.len() - 1
            });
            sets[at].layers.push((Listed { path, header }, OnceLock::new()));
        }
        sets.iter_mut().for_each(|set| set.layers.sort_by_key(|(listed, _)| listed.header.layer));
        Ok((sets, damaged))
    }

    /// The game.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The tables, by layer.
    pub fn listed(&self) -> impl Iterator<Item = &Listed> {
        self.layers.iter().map(|(listed, _)| listed)
    }

    /// Where positions stand; made on first use.
    pub(super) fn places(&self) -> Option<&Places> {
        self.places.get_or_init(|| Places::new(&self.rules).ok()).as_ref()
    }

    /// The board for verification; made on first use.
    pub(super) fn plain_board(&self) -> &PlainBoard {
        self.plain.get_or_init(|| PlainBoard::new(&self.rules))
    }

    /// The table of a layer, if there is one.
    ///
    /// # Errors
    /// If it is damaged, or can't be read.
    pub fn table(&self, layer: Layer) -> Result<Option<&Table>, StoreError> {
        let found = self.layers.iter().find(|(listed, _)| listed.header.layer == layer);
        let Some((listed, cell)) = found else { return Ok(None) };
        if cell.get().is_none() {
            // Another thread may have been faster; its table is equivalent.
            let _ = cell.set(Table::open(&listed.path, Access::default(), &self.cache)?);
        }
        Ok(cell.get())
    }

    /// The value of a position for the side to move; nothing if no table holds it, or no game leads
    /// to it.
    ///
    /// # Errors
    /// If the table that holds it is damaged, or can't be read.
    pub fn look_up(&self, p: &Position) -> Result<Option<Value>, StoreError> {
        match self.rules.outcome(p) {
            Some(Outcome::Draw) => return Ok(Some(Value::Draw)),
            Some(Outcome::Win(winner)) => {
                return Ok(Some(if winner == p.to_move() { Value::Win } else { Value::Loss }));
            }
            None => {}
        }
        let layer = Layer([p.captured(Color::X), p.captured(Color::O)]);
        let Some(table) = self.table(layer)? else { return Ok(None) };
        let Some((id, place)) = self.places().and_then(|places| places.place(p)) else { return Ok(None) };
        let Some(array) = table.array(id) else { return Ok(None) };
        Ok(Value::from_code(table.code(array, place)?))
    }
}

impl std::fmt::Debug for TableSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableSet")
            .field("rules", &self.rules)
            .field("layers", &self.layers)
            .finish_non_exhaustive()
    }
}
