//! The published values of the first plies, as tables that are embedded in the program or fetched
//! by the web page. The README in `data/openings` names their origin, and the command that rebuilds
//! the tables.

#[cfg(feature = "openings")]
use super::OPENING_MARBLES;
use super::tables::Tables;
use crate::tables::{BoardIndex, Cache, Table, TableError, Tablebase};
use std::path::Path;
use std::sync::Arc;

/// The name of a table in error messages, and its bytes.
type NamedBytes = (&'static str, &'static [u8]);

/// The embedded tables, indexed by the number of marbles. The names appear in error messages.
#[cfg(feature = "openings")]
static FILES: [NamedBytes; OPENING_MARBLES as usize + 1] = [
    ("openings/slice-00.pentago", include_bytes!("../../data/openings/pentago/slice-00.pentago")),
    ("openings/slice-01.pentago", include_bytes!("../../data/openings/pentago/slice-01.pentago")),
    ("openings/slice-02.pentago", include_bytes!("../../data/openings/pentago/slice-02.pentago")),
    ("openings/slice-03.pentago", include_bytes!("../../data/openings/pentago/slice-03.pentago")),
    ("openings/slice-04.pentago", include_bytes!("../../data/openings/pentago/slice-04.pentago")),
    ("openings/slice-05.pentago", include_bytes!("../../data/openings/pentago/slice-05.pentago")),
    ("openings/slice-06.pentago", include_bytes!("../../data/openings/pentago/slice-06.pentago")),
];

/// The size of the cache for decoded blocks, in bytes. The cache has room for all blocks of these
/// tables.
const CACHE_BYTES: usize = 4 << 20;

impl Tables {
    /// Adds the embedded tables to the end of the list of tables. They contain all positions with 0
    /// to 6 marbles under the default rules. [`Tables::scan`] doesn't list the embedded tables.
    ///
    /// # Errors
    /// If the embedded tables are damaged.
    #[cfg(feature = "openings")]
    pub fn with_openings(mut self) -> Result<Tables, TableError> {
        self.families.push(open(&FILES)?);
        Ok(self)
    }

    /// Opens tables of the first plies in the format of the web page: the tables of slice 0, slice
    /// 1, and so on. In front of each table is its size in bytes, a little-endian number of 4
    /// bytes. Returns `None` if the bytes have another format.
    #[must_use]
    pub fn of_openings(mut bytes: &'static [u8]) -> Option<Tables> {
        let mut files: Vec<NamedBytes> = Vec::new();
        while let Some((size, rest)) = bytes.split_first_chunk() {
            let (file, rest) = rest.split_at_checked(u32::from_le_bytes(*size) as usize)?;
            files.push(("openings", file));
            bytes = rest;
        }
        let complete = bytes.is_empty() && !files.is_empty();
        let mut tables = Tables::none();
        tables.families.push(complete.then(|| open(&files).ok())??);
        Some(tables)
    }
}

/// Opens tables of the first plies.
fn open(files: &[NamedBytes]) -> Result<Tablebase, TableError> {
    let cache = Cache::new(CACHE_BYTES);
    let open = |&(name, bytes): &NamedBytes| Table::new(Path::new(name), Arc::new(bytes), cache.clone());
    let tables: Vec<Table> = files.iter().map(open).collect::<Result<_, TableError>>()?;
    let target = tables[0].header().target;
    Ok(Tablebase::of_tables(target, BoardIndex::published(target), tables, cache))
}
