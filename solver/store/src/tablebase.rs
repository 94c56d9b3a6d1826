//! Tablebases: all tables of one target (a game or a root) in a folder or on a host. Each table is
//! opened on first use.

use crate::address::is_address;
use crate::cache::Cache;
use crate::error::{Reason, StoreError};
use crate::folder::{FolderScan, TableFile, scan_folder};
use crate::reader::Table;
use crate::schema::Schema;
use crate::shards::ShardName;
use crate::storage::{Access, other_kind};
use pentago_base::Control;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Finds the tables of all games in a folder and its subfolders, or in the folder at an address. A
/// file or folder with several names (links) is found once.
///
/// # Errors
/// If a folder can't be read, or a host can't be reached. Damaged files are listed in the result.
pub fn scan(path: &Path) -> Result<FolderScan, StoreError> {
    if is_address(path) { crate::remote::scan(path) } else { scan_folder(path) }
}

/// The tables of one target: a game or everything below a root. Any number of threads may use a
/// tablebase at the same time.
pub struct Tablebase<S: Schema> {
    target: S::Target,
    index: OnceLock<S::Index>,
    /// The tables, sorted by slice. Within a slice, the table with the most arrays is first.
    tables: Vec<LazyTable<S>>,
    cache: Arc<Cache<S::Item>>,
}

/// A table of a tablebase. Only its header is read until the table is opened.
struct LazyTable<S: Schema> {
    /// The file of the table. For a table in several shards, the path is the path of the first
    /// shard, and the header is the header of the joined table.
    file: TableFile,
    header: S::Header,
    /// The paths of all shards. Empty if the table is a single file.
    shards: Vec<PathBuf>,
    table: OnceLock<Table<S>>,
}

impl<S: Schema> LazyTable<S> {
    /// Returns the description of an open table without the open files. The next use opens the
    /// table again.
    fn of(table: &Table<S>, shards: Vec<PathBuf>) -> LazyTable<S> {
        let (path, header) = (table.path().to_owned(), table.raw_header().clone());
        let file = TableFile { path, header, storage: None };
        LazyTable { file, header: table.header().clone(), shards, table: OnceLock::new() }
    }

    fn slice(&self) -> S::Slice {
        S::place(&self.header).1
    }

    /// Returns the open table. The first call opens it.
    fn open(&self, cache: &Arc<Cache<S::Item>>) -> Result<&Table<S>, StoreError> {
        if let Some(table) = self.table.get() {
            return Ok(table);
        }
        let TableFile { path, storage, .. } = &self.file;
        let table = match (storage, &self.shards[..]) {
            (Some(storage), _) => Table::new(path, storage.clone(), cache.clone()),
            (None, []) => Table::open(path, Access::Read, cache.clone()),
            (None, shards) => Table::open_shards(shards, Access::Read, cache.clone()),
        }?;
        if S::place(table.header()) != S::place(&self.header) {
            let reason = "the file contains another table than when the folder was opened";
            return Err(StoreError::new(path, Reason::Inconsistent(reason)));
        }
        // If another thread has opened the same table in the meantime, use the table of that
        // thread.
        Ok(self.table.get_or_init(|| table))
    }
}

impl<S: Schema> Tablebase<S> {
    /// Opens all tables of the game of `S` in a folder and its subfolders. Returns one tablebase
    /// per target, in the order of their paths. Tables are recognised by their headers; only shards
    /// are grouped by file name. With the feature `http`, `path` may be the address of a published
    /// folder, such as `http://host/tables`. `cache` is the maximum size of all decoded blocks, in
    /// bytes.
    ///
    /// The second result contains all other files, including the tables of other games.
    ///
    /// # Errors
    /// If a folder can't be read, or a host can't be reached. Damaged files are listed in the
    /// second result.
    pub fn open_all(path: &Path, cache: usize) -> Result<(Vec<Tablebase<S>>, FolderScan), StoreError> {
        let mut scan = scan(path)?;
        let cache = Cache::new(cache);
        let mut tablebases: Vec<Tablebase<S>> = Vec::new();
        for table in take_tables(&mut scan) {
            let (target, _) = S::place(&table.header);
            match tablebases.iter_mut().find(|tablebase| tablebase.target == target) {
                Some(tablebase) => tablebase.tables.push(table),
                None => tablebases.push(Tablebase::new(target, vec![table], cache.clone())),
            }
        }
        tablebases.iter_mut().for_each(Tablebase::sort);
        Ok((tablebases, scan))
    }

    /// Opens the tablebase of one target in a folder, without a cache. The tablebase is empty if
    /// the folder doesn't exist. The second result contains all other files.
    ///
    /// # Errors
    /// If a folder can't be read.
    pub fn open_target(path: &Path, target: S::Target) -> Result<(Tablebase<S>, FolderScan), StoreError> {
        let (tablebases, scan) = match path.is_dir() {
            true => Tablebase::open_all(path, 0)?,
            false => (Vec::new(), FolderScan::default()),
        };
        let tablebase = tablebases.into_iter().find(|tablebase| tablebase.target == target);
        let empty = || Tablebase::new(target, Vec::new(), Cache::new(0));
        Ok((tablebase.unwrap_or_else(empty), scan))
    }

    /// Creates a tablebase from open tables, which must all belong to `target`.
    pub fn of_tables(
        target: S::Target,
        index: S::Index,
        tables: Vec<Table<S>>,
        cache: Arc<Cache<S::Item>>,
    ) -> Tablebase<S> {
        let lazy = |table| {
            let lazy = LazyTable::of(&table, Vec::new());
            LazyTable { table: OnceLock::from(table), ..lazy }
        };
        let tables = tables.into_iter().map(lazy).collect();
        let mut tablebase = Tablebase::new(target, tables, cache);
        tablebase.index = OnceLock::from(index);
        tablebase.sort();
        tablebase
    }

    fn new(target: S::Target, tables: Vec<LazyTable<S>>, cache: Arc<Cache<S::Item>>) -> Tablebase<S> {
        Tablebase { target, index: OnceLock::new(), tables, cache }
    }

    fn sort(&mut self) {
        self.tables.sort_by_key(|table| (table.slice(), Reverse(table.file.header.arrays)));
    }

    /// Returns the target that all tables of this tablebase share.
    pub fn target(&self) -> &S::Target {
        &self.target
    }

    /// Returns the index of the target's positions, computed on the first call.
    pub fn index(&self) -> &S::Index {
        self.index.get_or_init(|| S::index(&self.target))
    }

    /// Returns the number of tables.
    pub fn len(&self) -> usize {
        self.tables.len()
    }

    /// Returns `true` if there are no tables.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Returns the header of each table, sorted by slice. Opens no table.
    pub fn headers(&self) -> impl Iterator<Item = &S::Header> {
        self.tables.iter().map(|table| &table.header)
    }

    /// Returns the file of each table, sorted by slice. Opens no table. The shards of a table count
    /// as one file, which has the path of the first shard.
    pub fn files(&self) -> impl Iterator<Item = &TableFile> {
        self.tables.iter().map(|table| &table.file)
    }

    /// Returns the slices that have tables, in ascending order and without duplicates.
    pub fn slices(&self) -> Vec<S::Slice> {
        let mut slices: Vec<S::Slice> = self.tables.iter().map(LazyTable::slice).collect();
        slices.dedup();
        slices
    }

    /// Returns the tables of a slice. The table with the most arrays is first.
    ///
    /// # Errors
    /// If a table is damaged or can't be read.
    pub fn tables(&self, slice: S::Slice) -> Result<Vec<&Table<S>>, StoreError> {
        let first = self.tables.partition_point(|table| table.slice() < slice);
        let of_slice = self.tables[first..].iter().take_while(|table| table.slice() == slice);
        of_slice.map(|table| table.open(&self.cache)).collect()
    }

    /// Among the tables of a slice, returns the table with the most arrays. Returns `None` if the
    /// slice has no table.
    ///
    /// # Errors
    /// If a table of the slice is damaged or can't be read.
    pub fn table(&self, slice: S::Slice) -> Result<Option<&Table<S>>, StoreError> {
        Ok(self.tables(slice)?.first().copied())
    }

    /// Returns the table at an index of [`Tablebase::files`], or `None` if the index is too large.
    ///
    /// # Errors
    /// If the table is damaged or can't be read.
    pub fn nth(&self, index: usize) -> Result<Option<&Table<S>>, StoreError> {
        self.tables.get(index).map(|table| table.open(&self.cache)).transpose()
    }

    /// Compares the checksums of all tables with the data. A resumed build of a root calls this
    /// function, because it doesn't read the finished tables otherwise.
    ///
    /// # Errors
    /// If a table is damaged or can't be read, or the caller cancels.
    pub fn check(&self, control: &Control) -> Result<(), StoreError> {
        let mut next = |_| match control.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        self.tables.iter().try_for_each(|table| table.open(&self.cache)?.verify_hash(&mut next))
    }

    /// Returns the slices without a finished table. `path` returns the path at which the table of a
    /// slice will be built. `scan` contains the other files of the folder.
    ///
    /// # Errors
    /// If another file or folder has the path of a missing table. The user must first remove that
    /// file or folder.
    pub fn missing(
        &self,
        scan: &FolderScan,
        slices: impl IntoIterator<Item = S::Slice>,
        path: impl Fn(S::Slice) -> PathBuf,
    ) -> Result<Vec<S::Slice>, StoreError> {
        let finished = self.slices();
        let mut missing = Vec::new();
        for slice in slices.into_iter().filter(|slice| !finished.contains(slice)) {
            let path = path(slice);
            if let Some(what) = other_kind(&path) {
                return Err(StoreError::new(&path, Reason::OtherKind(what)));
            }
            let mut useless = scan.damaged.iter().chain(&scan.unreadable);
            if let Some(error) = useless.find(|error| error.path == path) {
                let (kind, text) = (error.kind(), error.what());
                return Err(StoreError::new(&path, Reason::Useless { kind, text }));
            }
            missing.push(slice);
        }
        Ok(missing)
    }
}

/// Removes the tables of the game of `S` from a scan, and returns them sorted by path. Moves
/// damaged tables and unfinished shards to their lists in the scan.
fn take_tables<S: Schema>(scan: &mut FolderScan) -> Vec<LazyTable<S>> {
    let mut tables: Vec<LazyTable<S>> = Vec::new();
    let mut shards: BTreeMap<(PathBuf, u32), Vec<PathBuf>> = BTreeMap::new();
    for file in scan.tables.extract_if(.., |file| file.header.schema.game == S::GAME) {
        if let Some(name) = ShardName::parse(&file.path) {
            shards.entry((name.whole, name.of)).or_default().push(file.path);
            continue;
        }
        match S::header(&file.header) {
            Ok(header) => {
                tables.push(LazyTable { file, header, shards: Vec::new(), table: OnceLock::new() });
            }
            Err(reason) => scan.damaged.push(StoreError::new(&file.path, reason)),
        }
    }
    for paths in shards.into_values() {
        match Table::open_shards(&paths, Access::Read, Cache::new(0)) {
            Ok(table) => tables.push(LazyTable::of(&table, paths)),
            // The slice is unfinished, because its other shards are still being built.
            Err(error) if matches!(error.reason, Reason::Shard) => scan.unfinished.extend(paths),
            Err(error) => scan.damaged.push(error),
        }
    }
    tables.sort_by(|a, b| a.file.path.cmp(&b.file.path));
    tables
}

/// A schema whose tables can be probed for positions.
pub trait Probe: Schema {
    /// The type of a position.
    type Position;
    /// The result of probing for a position.
    type Value;

    /// Probes the tables for a position.
    ///
    /// # Errors
    /// If the table that holds the position is damaged or can't be read.
    fn look_up(tablebase: &Tablebase<Self>, position: &Self::Position) -> Result<Self::Value, StoreError>;
}

impl<S: Probe> Tablebase<S> {
    /// Probes the tables for a position.
    ///
    /// # Errors
    /// If the table that holds the position is damaged or can't be read.
    pub fn look_up(&self, position: &S::Position) -> Result<S::Value, StoreError> {
        S::look_up(self, position)
    }
}

impl<S: Schema> fmt::Debug for Tablebase<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<&Path> = self.files().map(|file| &*file.path).collect();
        f.debug_struct("Tablebase")
            .field("target", &self.target)
            .field("tables", &paths)
            .finish_non_exhaustive()
    }
}
