//! A folder of tables: the files in it and their names.

use super::TableError;
use super::header::Header;
use super::manifest::{ArrayKey, Domain, Target};
use super::reader::{Cache, Table};
use pentago_store::{Access, EXTENSION, GameId, scan};
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// What the name of a list of counts ends in.
const COUNTED: &str = ".counts.tsv";

/// A table that was found.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The file.
    pub path: PathBuf,
    /// What it is.
    pub header: Header,
}

/// What a folder holds: found by the headers of the files alone, whatever their names are.
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
        for listed in found.tables.into_iter().filter(|t| t.header.schema.game == GameId::PENTAGO) {
            match Header::of(&listed.header) {
                Ok(header) => folder.tables.push(Listed { path: listed.path, header }),
                Err(reason) => folder.damaged.push(TableError::new(&listed.path, reason)),
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
    ) -> Result<Option<PathBuf>, TableError> {
        let enough = |t: &&Listed| t.header.slice == slice && t.header.arrays as usize >= keys.len();
        for listed in self.of(target).filter(enough) {
            let table = Table::open(&listed.path, Access::default(), Cache::new(0))?;
            if keys.iter().all(|key| table.array(key).is_some()) {
                return Ok(Some(listed.path.clone()));
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
