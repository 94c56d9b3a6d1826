//! A folder of tables: the files in it and their names.

use super::TableError;
use super::header::Header;
use super::manifest::{ArrayKey, Domain, Target};
use super::reader::{Cache, Table};
use pentago_store::{Access, EXTENSION, GameId, Reason, scan};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use twox_hash::XxHash3_64;

/// What the name of a list of counts ends in.
const COUNTED: &str = ".counts.tsv";

/// A table that was found.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The file; of several shards, the first.
    pub path: PathBuf,
    /// What it is.
    pub header: Header,
    /// The files, if it is in shards.
    pub shards: Vec<PathBuf>,
}

impl Listed {
    /// Opens it.
    ///
    /// # Errors
    /// If it is damaged, or can't be read.
    pub fn open(&self, access: Access, cache: Arc<Cache>) -> Result<Table, TableError> {
        match &self.shards[..] {
            [] => Table::open(&self.path, access, cache),
            shards => Table::open_shards(shards, access, cache),
        }
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

/// What a folder holds: found by the headers of the files alone, whatever their names are. Only
/// which shards belong together is said by their names.
#[derive(Debug, Default)]
pub struct Folder {
    /// The finished tables, by target and slice.
    pub tables: Vec<Listed>,
    /// Files that have the name of a table but can't be read as one.
    pub damaged: Vec<TableError>,
    /// Unfinished tables and what belongs to them.
    pub unfinished: Vec<PathBuf>,
    /// Lists of counts of slices whose values aren't kept, in the folders of their games.
    counted: Vec<PathBuf>,
}

impl Folder {
    /// Looks through a folder and the folders in it.
    ///
    /// # Errors
    /// If a folder can't be read; damaged files are listed.
    pub fn open(path: &Path) -> Result<Folder, TableError> {
        let found = scan(path)?;
        let mut folder = Folder { damaged: found.damaged, unfinished: found.unfinished, ..Folder::default() };
        // Tables of other games are none of ours.
        let mut sets: BTreeMap<(PathBuf, u32), Vec<PathBuf>> = BTreeMap::new();
        for listed in found.tables.into_iter().filter(|t| t.header.schema.game == GameId::PENTAGO) {
            if let Some(name) = ShardName::parse(&listed.path) {
                sets.entry((name.whole, name.of)).or_default().push(listed.path);
                continue;
            }
            match Header::of(&listed.header) {
                Ok(header) => folder.tables.push(Listed { path: listed.path, header, shards: Vec::new() }),
                Err(reason) => folder.damaged.push(TableError::new(&listed.path, reason)),
            }
        }
        for shards in sets.into_values() {
            match Table::open_shards(&shards, Access::Read, Cache::new(0)) {
                Ok(table) => {
                    let (path, header) = (shards[0].clone(), table.header().clone());
                    folder.tables.push(Listed { path, header, shards });
                }
                // Shards of a slice that is being built.
                Err(error) if matches!(error.reason, Reason::Shard) => folder.unfinished.extend(shards),
                Err(error) => folder.damaged.push(error),
            }
        }
        folder.tables.sort_by(|a, b| {
            (a.header.target, a.header.slice, &a.path).cmp(&(b.header.target, b.header.slice, &b.path))
        });
        let counted = |path: &PathBuf| path.to_str().is_some_and(|p| p.ends_with(COUNTED));
        folder.counted = found.others.into_iter().filter(counted).collect();
        Ok(folder)
    }

    /// Lists of counts of a game: tell the rules by the name of their folder.
    pub fn counted(&self, target: Target) -> impl Iterator<Item = &Path> {
        let name = target.folder_name();
        let of_target = move |path: &&PathBuf| path.parent().and_then(Path::file_name) == Some(name.as_ref());
        self.counted.iter().filter(of_target).map(PathBuf::as_path)
    }

    /// The targets that have tables, each once.
    #[must_use]
    pub fn targets(&self) -> Vec<Target> {
        let mut targets: Vec<Target> = self.tables.iter().map(|t| t.header.target).collect();
        targets.dedup();
        targets
    }

    /// The tables of a target, by slice.
    pub fn of(&self, target: Target) -> impl Iterator<Item = &Listed> {
        self.tables.iter().filter(move |t| t.header.target == target)
    }

    /// The table of a target and slice; of a game there may be several, with other sections.
    #[must_use]
    pub fn find(&self, target: Target, slice: u8) -> Option<&Listed> {
        self.of(target).find(|t| t.header.slice == slice)
    }

    /// A table of a target and slice that holds all these arrays.
    ///
    /// # Errors
    /// If a table can't be read.
    pub fn holding(
        &self,
        target: Target,
        slice: u8,
        keys: &[ArrayKey],
    ) -> Result<Option<&Listed>, TableError> {
        let enough = |t: &&Listed| t.header.slice == slice && t.header.arrays as usize >= keys.len();
        for listed in self.of(target).filter(enough) {
            let table = listed.open(Access::default(), Cache::new(0))?;
            if keys.iter().all(|key| table.array(key).is_some()) {
                return Ok(Some(listed));
            }
        }
        Ok(None)
    }
}

impl Target {
    /// The name of the folder for its tables: of a whole game its rules (`pentago`, `mini`,
    /// `pentago_dir=cw_last=stop`), of a root `root-` and 16 digits that depend on rules and board.
    #[must_use]
    pub fn folder_name(&self) -> String {
        match self.domain {
            Domain::Game => self.rules.to_string().replace([':', ','], "_"),
            Domain::Root(_) => format!("root-{:016x}", XxHash3_64::oneshot(&self.to_bytes())),
        }
    }

    /// Where the table of a slice lies under a folder of tables.
    #[must_use]
    pub fn path(&self, folder: &Path, slice: u8) -> PathBuf {
        folder.join(self.folder_name()).join(format!("slice-{slice:02}.{EXTENSION}"))
    }

    /// The same for a table with these sections only.
    #[must_use]
    pub fn path_of(&self, folder: &Path, slice: u8, keys: &[ArrayKey]) -> PathBuf {
        let hash = XxHash3_64::oneshot(keys.as_flattened());
        folder.join(self.folder_name()).join(format!("slice-{slice:02}-{hash:016x}.{EXTENSION}"))
    }

    /// Where the counts of a slice lie whose values aren't kept.
    #[must_use]
    pub fn counts_path(&self, folder: &Path, slice: u8) -> PathBuf {
        folder.join(self.folder_name()).join(format!("slice-{slice:02}{COUNTED}"))
    }
}
