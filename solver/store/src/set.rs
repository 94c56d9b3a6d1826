//! The tables of a game in a folder: by target, each opened on first use.

use crate::address::is_address;
use crate::cache::Cache;
use crate::error::{Reason, StoreError};
use crate::folder::{Scan, scan_folder};
use crate::layout::EXTENSION;
use crate::reader::Table;
use crate::schema::Schema;
use crate::storage::{Access, Storage, other_kind};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Looks through a folder and the folders in it, or through the folder behind an address. A file or
/// folder that is there under several names, by links, is taken once.
///
/// # Errors
/// If a folder can't be read, or a host can't be reached; damaged files are listed.
pub fn scan(path: &Path) -> Result<Scan, StoreError> {
    if is_address(path) { crate::remote::scan(path) } else { scan_folder(path) }
}

/// A table that was found.
pub struct Listed<S: Schema> {
    /// The file; of several shards, the first.
    pub path: PathBuf,
    /// What it is.
    pub header: S::Header,
    /// The number of its arrays.
    pub arrays: usize,
    /// Bytes of its files.
    pub bytes: u64,
    /// The name and version of the program that wrote it.
    pub program: String,
    /// The files, if it is in shards.
    pub shards: Vec<PathBuf>,
    /// Where its bytes are, if not in a file with that path.
    pub storage: Option<Arc<dyn Storage>>,
}

impl<S: Schema> Clone for Listed<S> {
    fn clone(&self) -> Listed<S> {
        Listed {
            path: self.path.clone(),
            header: self.header.clone(),
            program: self.program.clone(),
            shards: self.shards.clone(),
            storage: self.storage.clone(),
            ..*self
        }
    }
}

impl<S: Schema> fmt::Debug for Listed<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut listed = f.debug_struct("Listed");
        listed.field("path", &self.path).field("header", &self.header).finish_non_exhaustive()
    }
}

impl<S: Schema> Listed<S> {
    /// A table that is open already, under the name of its file, or of the first of several.
    #[must_use]
    pub fn of(table: &Table<S>) -> Listed<S> {
        Listed {
            path: table.path().to_owned(),
            header: table.header().clone(),
            arrays: table.arrays().len(),
            bytes: table.file_bytes(),
            program: table.raw().header().program.clone(),
            shards: Vec::new(),
            storage: None,
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// If it is damaged, or can't be read.
    pub fn open(&self, access: Access, cache: Arc<Cache<S::Item>>) -> Result<Table<S>, StoreError> {
        if let Some(storage) = &self.storage {
            return Table::new(&self.path, storage.clone(), cache);
        }
        match &self.shards[..] {
            [] => Table::open(&self.path, access, cache),
            shards => Table::open_shards(shards, access, cache),
        }
    }

    /// What it is about.
    #[must_use]
    pub fn target(&self) -> S::Target {
        S::place(&self.header).0
    }

    /// Which of the tables of its target it is.
    #[must_use]
    pub fn slice(&self) -> S::Slice {
        S::place(&self.header).1
    }
}

/// What the name of a shard says: the first of three that make `slice-34.pentago` together is
/// `slice-34-shard-1-of-3.pentago`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShardName {
    /// The name of the table that all of them are together.
    pub whole: PathBuf,
    /// How many shards there are, at most: of small slices some hold nothing, and aren't there.
    pub of: u32,
    /// Which one it is, from 0.
    pub number: u32,
}

impl ShardName {
    /// Reads the name of a file, if it is one of a shard.
    #[must_use]
    pub fn parse(path: &Path) -> Option<ShardName> {
        let (whole, numbers) = path.file_stem()?.to_str()?.rsplit_once("-shard-")?;
        let (number, of) = numbers.split_once("-of-")?;
        let (number, of) = (number.parse::<u32>().ok()?.checked_sub(1)?, of.parse().ok()?);
        (number < of).then(|| ShardName {
            whole: path.with_file_name(format!("{whole}.{EXTENSION}")),
            of,
            number,
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        let whole = self.whole.file_stem().unwrap_or_default().to_string_lossy();
        let (number, of) = (self.number + 1, self.of);
        self.whole.with_file_name(format!("{whole}-shard-{number}-of-{of}.{EXTENSION}"))
    }
}

/// The tables of a game in a folder, or behind an address: found by the headers of the files alone,
/// whatever their names are. Only which shards belong together is said by their names.
pub struct Folder<S: Schema> {
    /// The finished tables: by target, as each first comes in the order of paths, and by slice.
    pub tables: Vec<Listed<S>>,
    /// Tables of the game that are of no use.
    pub damaged: Vec<StoreError>,
    /// Files that have the name of a table but aren't one of any game.
    pub unreadable: Vec<StoreError>,
    /// Unfinished tables and what belongs to them.
    pub unfinished: Vec<PathBuf>,
    /// Files that are no tables.
    pub others: Vec<PathBuf>,
}

impl<S: Schema> Default for Folder<S> {
    fn default() -> Folder<S> {
        Folder {
            tables: Vec::new(),
            damaged: Vec::new(),
            unreadable: Vec::new(),
            unfinished: Vec::new(),
            others: Vec::new(),
        }
    }
}

impl<S: Schema> Folder<S> {
    /// Looks through a folder and the folders in it. With the feature `http` it may be the address of a
    /// folder that was published: `http://host/tables`.
    ///
    /// # Errors
    /// If a folder can't be read; damaged files are listed.
    pub fn open(path: &Path) -> Result<Folder<S>, StoreError> {
        let Scan { tables, damaged: unreadable, unfinished, others } = scan(path)?;
        let mut folder = Folder { unreadable, unfinished, others, ..Folder::default() };
        let mut found: Vec<Listed<S>> = Vec::new();
        // Tables of other games are none of ours.
        let mut sets: BTreeMap<(PathBuf, u32), Vec<PathBuf>> = BTreeMap::new();
        for listed in tables.into_iter().filter(|table| table.header.schema.game == S::GAME) {
            if let Some(name) = ShardName::parse(&listed.path) {
                sets.entry((name.whole, name.of)).or_default().push(listed.path);
                continue;
            }
            match S::header(&listed.header) {
                Ok(header) => found.push(Listed {
                    path: listed.path,
                    header,
                    arrays: listed.header.arrays as usize,
                    bytes: listed.header.file_bytes,
                    program: listed.header.program,
                    shards: Vec::new(),
                    storage: listed.storage,
                }),
                Err(reason) => folder.damaged.push(StoreError::new(&listed.path, reason)),
            }
        }
        for shards in sets.into_values() {
            match Table::<S>::open_shards(&shards, Access::Read, Cache::new(0)) {
                Ok(table) => found.push(Listed { shards, ..Listed::of(&table) }),
                // Shards of a slice that is being built.
                Err(error) if matches!(error.reason, Reason::Shard) => folder.unfinished.extend(shards),
                Err(error) => folder.damaged.push(error),
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        let mut targets: Vec<S::Target> = Vec::new();
        let mut numbered = Vec::new();
        for listed in found {
            let target = listed.target();
            let at = targets.iter().position(|known| *known == target).unwrap_or_else(|| {
                targets.push(target);
                targets.len() - 1
            });
            numbered.push((at, listed));
        }
        numbered.sort_by_key(|(target, listed)| (*target, listed.slice()));
        folder.tables = numbered.into_iter().map(|(_, listed)| listed).collect();
        Ok(folder)
    }

    /// The same; nothing where there is no such folder.
    ///
    /// # Errors
    /// As for [`Folder::open`].
    pub fn if_there(path: &Path) -> Result<Folder<S>, StoreError> {
        if path.is_dir() { Folder::open(path) } else { Ok(Folder::default()) }
    }

    /// The targets that have tables, each once.
    #[must_use]
    pub fn targets(&self) -> Vec<S::Target> {
        let mut targets: Vec<S::Target> = self.tables.iter().map(Listed::target).collect();
        targets.dedup();
        targets
    }

    /// The tables of a target, by slice.
    pub fn of(&self, target: S::Target) -> impl Iterator<Item = &Listed<S>> {
        self.tables.iter().filter(move |listed| listed.target() == target)
    }

    /// The table of a target and slice; there may be several, with other arrays.
    #[must_use]
    pub fn find(&self, target: S::Target, slice: S::Slice) -> Option<&Listed<S>> {
        self.of(target).find(|listed| listed.slice() == slice)
    }

    /// Those of a target's slices that have no finished table; `path` says where theirs are to be built.
    ///
    /// # Errors
    /// If a file of no use is there: it has to go first.
    pub fn missing(
        &self,
        target: S::Target,
        slices: impl IntoIterator<Item = S::Slice>,
        path: impl Fn(S::Slice) -> PathBuf,
    ) -> Result<Vec<S::Slice>, StoreError> {
        let there =
            |slice| self.tables.iter().any(|listed| listed.target() == target && listed.slice() == slice);
        let missing = slices.into_iter().filter(|&slice| !there(slice));
        let free = |slice| {
            let path = path(slice);
            if let Some(what) = other_kind(&path) {
                return Err(StoreError::new(&path, Reason::OtherKind(what)));
            }
            let mut useless = self.damaged.iter().chain(&self.unreadable);
            match useless.find(|error| error.path == path) {
                Some(error) => {
                    let (kind, text) = (error.kind(), error.what());
                    Err(StoreError::new(&path, Reason::Useless { kind, text }))
                }
                None => Ok(slice),
            }
        };
        missing.map(free).collect()
    }
}

impl<S: Schema> fmt::Debug for Folder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<&Path> = self.tables.iter().map(|listed| &*listed.path).collect();
        f.debug_struct("Folder").field("tables", &paths).finish_non_exhaustive()
    }
}

/// The tables of one target, each opened on first use, with the index of its positions. It may be
/// used by any number of threads at the same time.
pub struct TableSet<S: Schema> {
    target: S::Target,
    index: S::Index,
    /// By slice, those with the most arrays first.
    tables: Vec<(Listed<S>, OnceLock<Table<S>>)>,
    access: Access,
    cache: Arc<Cache<S::Item>>,
}

impl<S: Schema> TableSet<S> {
    /// The tables of this game in a folder and the folders in it, by target. `cache`: bytes of
    /// decoded blocks to keep.
    ///
    /// # Errors
    /// If a folder can't be read, or a table of this game is of no use.
    pub fn open_folder(path: &Path, cache: usize) -> Result<Vec<TableSet<S>>, StoreError> {
        let (sets, damaged) = TableSet::find(path, Access::default(), cache)?;
        damaged.into_iter().next().map_or(Ok(sets), Err)
    }

    /// The same, with the errors of tables of this game that are of no use. Files that aren't
    /// tables at all are left out, as are those of other games.
    ///
    /// # Errors
    /// If a folder can't be read.
    pub fn find(
        path: &Path,
        access: Access,
        cache: usize,
    ) -> Result<(Vec<TableSet<S>>, Vec<StoreError>), StoreError> {
        let folder = Folder::open(path)?;
        Ok((TableSet::all(&folder, access, cache), folder.damaged))
    }

    /// The tables of a folder that was looked through, by target.
    #[must_use]
    pub fn all(folder: &Folder<S>, access: Access, cache: usize) -> Vec<TableSet<S>> {
        let cache = Cache::new(cache);
        let set = |target: S::Target| {
            let tables = folder.of(target.clone()).map(|listed| (listed.clone(), OnceLock::new()));
            TableSet::new(target.clone(), S::index(&target), tables.collect(), access, cache.clone())
        };
        folder.targets().into_iter().map(set).collect()
    }

    /// Tables of one target that are open already.
    #[must_use]
    pub fn of_open(
        target: S::Target,
        index: S::Index,
        tables: Vec<(Listed<S>, Table<S>)>,
        cache: Arc<Cache<S::Item>>,
    ) -> TableSet<S> {
        let tables = tables.into_iter().map(|(listed, table)| (listed, OnceLock::from(table))).collect();
        TableSet::new(target, index, tables, Access::default(), cache)
    }

    fn new(
        target: S::Target,
        index: S::Index,
        mut tables: Vec<(Listed<S>, OnceLock<Table<S>>)>,
        access: Access,
        cache: Arc<Cache<S::Item>>,
    ) -> TableSet<S> {
        tables.sort_by_key(|(listed, _)| (listed.slice(), Reverse(listed.arrays)));
        TableSet { target, index, tables, access, cache }
    }

    /// What they are about.
    #[must_use]
    pub fn target(&self) -> &S::Target {
        &self.target
    }

    /// What finds positions in them.
    #[must_use]
    pub fn index(&self) -> &S::Index {
        &self.index
    }

    /// The tables, by slice.
    pub fn listed(&self) -> impl Iterator<Item = &Listed<S>> {
        self.tables.iter().map(|(listed, _)| listed)
    }

    /// The tables of a slice, the one with the most arrays first.
    ///
    /// # Errors
    /// If one is damaged, or can't be read.
    pub fn tables(&self, slice: S::Slice) -> Result<Vec<&Table<S>>, StoreError> {
        let first = self.tables.partition_point(|(listed, _)| listed.slice() < slice);
        let of_slice = self.tables[first..].iter().take_while(|(listed, _)| listed.slice() == slice);
        let open = |(listed, cell): &'_ (Listed<S>, OnceLock<Table<S>>)| {
            if cell.get().is_none() {
                // Another thread may have been faster; its table is equivalent.
                let _ = cell.set(listed.open(self.access, self.cache.clone())?);
            }
            Ok(())
        };
        of_slice.clone().try_for_each(open)?;
        Ok(of_slice.filter_map(|(_, cell)| cell.get()).collect())
    }

    /// The table of a slice with the most arrays, if there is any.
    ///
    /// # Errors
    /// If it is damaged, or can't be read.
    pub fn table(&self, slice: S::Slice) -> Result<Option<&Table<S>>, StoreError> {
        Ok(self.tables(slice)?.first().copied())
    }
}

/// What can be looked up in the tables of a game.
pub trait Probe: Schema {
    /// A position.
    type Position;
    /// What is found.
    type Value;

    /// What the tables of a set say of a position.
    ///
    /// # Errors
    /// If the table that holds it is damaged, or can't be read.
    fn look_up(set: &TableSet<Self>, position: &Self::Position) -> Result<Self::Value, StoreError>;
}

impl<S: Probe> TableSet<S> {
    /// What the tables say of a position.
    ///
    /// # Errors
    /// If the table that holds it is damaged, or can't be read.
    pub fn look_up(&self, position: &S::Position) -> Result<S::Value, StoreError> {
        S::look_up(self, position)
    }
}

impl<S: Schema> fmt::Debug for TableSet<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<&Path> = self.listed().map(|listed| &*listed.path).collect();
        f.debug_struct("TableSet")
            .field("target", &self.target)
            .field("tables", &paths)
            .finish_non_exhaustive()
    }
}
