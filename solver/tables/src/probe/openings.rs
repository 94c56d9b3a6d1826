//! The published values of the first plies, as tables that are embedded in the program. The README
//! in `data/openings` names their origin, and the command that rebuilds the tables.

use super::OPENING_MARBLES;
use super::tables::Tables;
use crate::tables::{BoardIndex, Cache, Table, TableError, Tablebase};
use std::path::Path;
use std::sync::Arc;

/// The embedded tables, indexed by the number of marbles. The names appear in error messages.
static FILES: [(&str, &[u8]); OPENING_MARBLES as usize + 1] = [
    ("openings/slice-00.pentago", include_bytes!("../../data/openings/pentago/slice-00.pentago")),
    ("openings/slice-01.pentago", include_bytes!("../../data/openings/pentago/slice-01.pentago")),
    ("openings/slice-02.pentago", include_bytes!("../../data/openings/pentago/slice-02.pentago")),
    ("openings/slice-03.pentago", include_bytes!("../../data/openings/pentago/slice-03.pentago")),
    ("openings/slice-04.pentago", include_bytes!("../../data/openings/pentago/slice-04.pentago")),
    ("openings/slice-05.pentago", include_bytes!("../../data/openings/pentago/slice-05.pentago")),
    ("openings/slice-06.pentago", include_bytes!("../../data/openings/pentago/slice-06.pentago")),
];

/// The size of the cache for decoded blocks, in bytes. The cache has room for all blocks of the
/// embedded tables.
const CACHE_BYTES: usize = 4 << 20;

impl Tables {
    /// Adds the embedded tables to the end of the list of tables. They contain all positions with 0
    /// to 6 marbles under the default rules. [`Tables::others`] doesn't list the embedded tables.
    ///
    /// # Errors
    /// If the embedded tables are damaged.
    pub fn with_openings(mut self) -> Result<Tables, TableError> {
        self.families.push(open()?);
        Ok(self)
    }
}

/// Opens the embedded tables.
fn open() -> Result<Tablebase, TableError> {
    let cache = Cache::new(CACHE_BYTES);
    let open =
        |&(name, bytes): &(&str, &'static [u8])| Table::new(Path::new(name), Arc::new(bytes), cache.clone());
    let tables: Vec<Table> = FILES.iter().map(open).collect::<Result<_, TableError>>()?;
    let target = tables[0].header().target;
    Ok(Tablebase::of_tables(target, BoardIndex::published(target), tables, cache))
}
