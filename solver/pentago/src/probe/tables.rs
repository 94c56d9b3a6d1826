//! The tables of a folder, by target, and the places of boards in them.

use crate::answer::{Missing, Origin};
use crate::index::{Root, Section, Sections};
use crate::rules::{Board, Position, Rules};
use crate::symmetry::{Element, Rotation};
use crate::tables::{Access, ArrayKey, Cache, Domain, Folder, Listed, Table, TableError, Target};
use crate::values::{Entry, Wdl};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// An open folder of tables. It may be used by any number of threads at the same time.
#[derive(Debug)]
pub struct Tables {
    path: PathBuf,
    pub(super) families: Vec<TableSet>,
    folder: Folder,
}

/// The tables of one target, with their index.
#[derive(Debug)]
pub struct TableSet {
    target: Target,
    index: Index,
    /// By slice, those with the most sections first; each is opened on first use.
    slices: Vec<(Listed, OnceLock<Table>)>,
    access: Access,
    cache: Arc<Cache>,
    /// What is said of its values: [`Origin::Table`], or [`Origin::Published`].
    origin: Origin,
}

/// The index of boards.
#[derive(Debug)]
enum Index {
    Root(Root),
    Game(&'static Sections),
}

impl Index {
    fn of(target: Target) -> Index {
        match target.domain {
            Domain::Root(board) => Index::Root(Root::new(target.rules, board)),
            Domain::Game => Index::Game(Sections::of(target.rules.shape, target.rules.dir)),
        }
    }
}

/// The place of a board's value in the table of its slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The array.
    pub key: ArrayKey,
    /// The entry.
    pub index: [u32; 4],
    /// The turns that take the entry's board to the image of the board under `symmetry`.
    pub rotation: Rotation,
    /// The symmetry of the board, 0..8, that is applied first.
    pub symmetry: u8,
}

impl Location {
    /// The element that takes the entry's board to the board itself.
    #[must_use]
    pub fn to_board(&self) -> Element {
        Element::whole_board(self.symmetry).inverse().after(Element::quadrants(self.rotation))
    }
}

/// The result of probing the tables for a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Its value for the side to move.
    Value(Wdl),
    /// The tables don't hold it.
    Missing(Missing),
}

impl Tables {
    /// Opens all tables in a folder and its subfolders. `cache`: bytes of decoded blocks to keep.
    ///
    /// # Errors
    /// If a folder can't be read. Damaged tables are listed.
    pub fn open(path: &Path, access: Access, cache: usize) -> Result<Tables, TableError> {
        let folder = Folder::open(path)?;
        let cache = Cache::new(cache);
        let family = |target: Target| {
            let mut slices: Vec<(Listed, OnceLock<Table>)> =
                folder.of(target).map(|listed| (listed.clone(), OnceLock::new())).collect();
            slices.sort_by_key(|(Listed { header, .. }, _)| (header.slice, Reverse(header.arrays)));
            let index = Index::of(target);
            TableSet { target, index, slices, access, cache: cache.clone(), origin: Origin::Table }
        };
        let families = folder.targets().into_iter().map(family).collect();
        Ok(Tables { path: path.to_owned(), families, folder })
    }

    /// No tables at all.
    #[must_use]
    pub fn none() -> Tables {
        Tables { path: PathBuf::new(), families: Vec::new(), folder: Folder::default() }
    }

    /// The folder; empty if there is none.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The files found in it.
    #[must_use]
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The targets.
    #[must_use]
    pub fn families(&self) -> &[TableSet] {
        &self.families
    }

    /// Files that have the name of a table but can't be read as one.
    #[must_use]
    pub fn damaged(&self) -> &[TableError] {
        &self.folder.damaged
    }

    /// Unfinished tables and the files that belong to them.
    #[must_use]
    pub fn unfinished(&self) -> &[PathBuf] {
        &self.folder.unfinished
    }

    /// Probes the tables for a position under these rules.
    ///
    /// # Errors
    /// If the table that holds it is damaged, or can't be read.
    pub fn look_up(&self, rules: &Rules, position: &Position) -> Result<Lookup, TableError> {
        Ok(match self.find(rules, position)? {
            Ok((value, _)) => Lookup::Value(value),
            Err(missing) => Lookup::Missing(missing),
        })
    }

    /// The same, with where the value comes from.
    pub(crate) fn find(
        &self,
        rules: &Rules,
        position: &Position,
    ) -> Result<Result<(Wdl, Origin), Missing>, TableError> {
        if position.pending() {
            return Ok(Err(Missing::Pending));
        }
        let mut missing = Missing::Rules(*rules);
        for family in self.families.iter().filter(|family| family.target.rules == *rules) {
            match family.look_up(position.board())? {
                Lookup::Value(value) => return Ok(Ok((value, family.origin.clone()))),
                // What the openings lack matters only where there is nothing else.
                Lookup::Missing(_)
                    if family.origin == Origin::Published && !matches!(missing, Missing::Rules(_)) => {}
                Lookup::Missing(more) if more.weight() > missing.weight() => missing = more,
                Lookup::Missing(_) => {}
            }
        }
        Ok(Err(missing))
    }
}

impl TableSet {
    /// Tables of one target that are open already, by slice.
    #[cfg(feature = "openings")]
    pub(super) fn of_open(
        target: Target,
        tables: Vec<(Listed, Table)>,
        cache: Arc<Cache>,
        origin: Origin,
    ) -> TableSet {
        let slices = tables.into_iter().map(|(listed, table)| (listed, OnceLock::from(table))).collect();
        TableSet { target, index: Index::of(target), slices, access: Access::default(), cache, origin }
    }

    /// What is said of its values: [`Origin::Table`], or [`Origin::Published`].
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The target.
    #[must_use]
    pub fn target(&self) -> Target {
        self.target
    }

    /// Its tables, by slice.
    pub fn listed(&self) -> impl Iterator<Item = &Listed> {
        self.slices.iter().map(|(listed, _)| listed)
    }

    /// The tables of a slice, the one with the most sections first; there can be several only in a
    /// complete game.
    ///
    /// # Errors
    /// If one is damaged, or can't be read.
    pub fn tables(&self, slice: u8) -> Result<Vec<&Table>, TableError> {
        let first = self.slices.partition_point(|(listed, _)| listed.header.slice < slice);
        let of_slice = self.slices[first..].iter().take_while(|(listed, _)| listed.header.slice == slice);
        let open = |(listed, cell): &'_ (Listed, OnceLock<Table>)| {
            if cell.get().is_none() {
                // Another thread may have been faster; its table is equivalent.
                let _ = cell.set(listed.open(self.access, self.cache.clone())?);
            }
            Ok(())
        };
        of_slice.clone().try_for_each(open)?;
        Ok(of_slice.filter_map(|(_, cell)| cell.get()).collect())
    }

    /// The table of a slice with the most sections, if there is any.
    ///
    /// # Errors
    /// If it is damaged, or can't be read.
    pub fn table(&self, slice: u8) -> Result<Option<&Table>, TableError> {
        Ok(self.tables(slice)?.first().copied())
    }

    /// The place of a board, if it belongs to the target.
    #[must_use]
    pub fn locate(&self, board: Board) -> Option<Location> {
        match &self.index {
            Index::Root(root) => {
                let at = root.locate(board)?;
                let (rotation, symmetry) = (at.rotation, at.symmetry);
                Some(Location {
                    key: [0; 8],
                    index: [0, 0, 0, u32::try_from(at.rank).ok()?],
                    rotation,
                    symmetry,
                })
            }
            Index::Game(sections) => {
                let (section, by) = sections.standardise(Section::of(board));
                let (index, rotation) = sections.place(by.apply(sections.shape(), board));
                Some(Location { key: sections.key(section), index, rotation, symmetry: by.global() })
            }
        }
    }

    /// The board of an entry, turned by `rotation`. The index must be one of the array in the table
    /// of the slice.
    #[must_use]
    pub fn board(&self, slice: u8, key: ArrayKey, index: [u32; 4], rotation: Rotation) -> Board {
        match &self.index {
            Index::Root(root) => root.board(usize::from(slice), u64::from(index[3]), rotation),
            Index::Game(sections) => {
                let section = sections.of_key(key).expect("the key of a section");
                sections.board(section, index, rotation)
            }
        }
    }

    /// The entry with a board's value, and its place; or the reason why there is none.
    ///
    /// # Errors
    /// If the table is damaged, or can't be read.
    pub fn entry(&self, board: Board) -> Result<Result<(Entry, Location), Missing>, TableError> {
        let Some(place) = self.locate(board) else { return Ok(Err(Missing::Elsewhere)) };
        let tables = self.tables(board.marbles() as u8)?;
        if tables.is_empty() {
            let slice = |listed: Option<&(Listed, _)>| listed.map_or(0, |(l, _)| l.header.slice);
            let (first, last) = (slice(self.slices.first()), slice(self.slices.last()));
            return Ok(Err(Missing::Slice { marbles: board.marbles(), first, last }));
        }
        for table in tables {
            if let Some(array) = table.array(&place.key) {
                return Ok(Ok((table.entry(array, place.index)?, place)));
            }
        }
        Ok(Err(Missing::Section(Section::of(board))))
    }

    /// Probes the tables for a board.
    ///
    /// # Errors
    /// If the table is damaged, or can't be read.
    pub fn look_up(&self, board: Board) -> Result<Lookup, TableError> {
        Ok(match self.entry(board)? {
            Ok((entry, place)) => Lookup::Value(entry.get(place.rotation)),
            Err(missing) => Lookup::Missing(missing),
        })
    }
}
