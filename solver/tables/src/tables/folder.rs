//! The names of tables, and the lists of counts beside them.

use super::manifest::{ArrayKey, Domain, Target};
use super::schema::{Cache, Folder, Listed, TableError};
use pentago_store::{Access, EXTENSION};
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// The suffix of the name of a list of counts.
const COUNTED: &str = ".counts.tsv";

/// Returns the lists of counts of a game: of slices whose values aren't kept. The rules of a list
/// follow from the name of its folder.
pub fn counted(folder: &Folder, target: Target) -> impl Iterator<Item = &Path> {
    let name = target.folder_name();
    let of_target = move |path: &&PathBuf| {
        path.to_str().is_some_and(|path| path.ends_with(COUNTED))
            && path.parent().and_then(Path::file_name) == Some(name.as_ref())
    };
    folder.others.iter().filter(of_target).map(PathBuf::as_path)
}

/// Returns a table of a target and slice that has all arrays in `keys`, or `None` if there is none.
///
/// # Errors
/// If a table can't be read.
pub fn holding<'f>(
    folder: &'f Folder,
    target: Target,
    slice: u8,
    keys: &[ArrayKey],
) -> Result<Option<&'f Listed>, TableError> {
    let enough = |listed: &&Listed| listed.slice() == slice && listed.arrays >= keys.len();
    for listed in folder.of(target).filter(enough) {
        let table = listed.open(Access::default(), Cache::new(0))?;
        if keys.iter().all(|key| table.array(key).is_some()) {
            return Ok(Some(listed));
        }
    }
    Ok(None)
}

impl Target {
    /// Returns the name of the folder for the tables of the target. For a whole game, the name is
    /// the rules (`pentago`, `mini`, `pentago_dir=cw_last=stop`). For a root, the name is `root-`
    /// and a hash of rules and board in 16 hexadecimal digits.
    #[must_use]
    pub fn folder_name(&self) -> String {
        match self.domain {
            Domain::Game => self.rules.to_string().replace([':', ','], "_"),
            Domain::Root(_) => format!("root-{:016x}", XxHash3_64::oneshot(&self.to_bytes())),
        }
    }

    /// Returns the path of the table of a slice, below a folder of tables.
    #[must_use]
    pub fn path(&self, folder: &Path, slice: u8) -> PathBuf {
        folder.join(self.folder_name()).join(format!("slice-{slice:02}.{EXTENSION}"))
    }

    /// Returns the path of a table of a slice with only the sections in `keys`.
    #[must_use]
    pub fn path_of(&self, folder: &Path, slice: u8, keys: &[ArrayKey]) -> PathBuf {
        let hash = XxHash3_64::oneshot(keys.as_flattened());
        folder.join(self.folder_name()).join(format!("slice-{slice:02}-{hash:016x}.{EXTENSION}"))
    }

    /// Returns the path of the list of counts of a slice whose values aren't kept.
    #[must_use]
    pub fn counts_path(&self, folder: &Path, slice: u8) -> PathBuf {
        folder.join(self.folder_name()).join(format!("slice-{slice:02}{COUNTED}"))
    }
}
