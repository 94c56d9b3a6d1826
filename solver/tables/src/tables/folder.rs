//! Names the folders and the files of tables, and the files that contain counts.

use super::manifest::{ArrayKey, Domain, Target};
use super::{Table, TableError, Tablebase};
use pentago_store::EXTENSION;
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// The end of the name of a file with counts.
const COUNTED: &str = ".counts.tsv";

/// Returns the files in `others` that contain counts of a target's slices. A slice whose values
/// aren't kept has such a file instead of a table. The name of the folder identifies the target.
pub fn counted(others: &[PathBuf], target: Target) -> impl Iterator<Item = &Path> {
    let name = target.folder_name();
    let of_target = move |path: &&PathBuf| {
        path.to_str().is_some_and(|path| path.ends_with(COUNTED))
            && path.parent().and_then(Path::file_name) == Some(name.as_ref())
    };
    others.iter().filter(of_target).map(PathBuf::as_path)
}

/// Returns a table of a slice that contains all arrays with the keys `keys`. Returns `None` if
/// there is no such table.
///
/// # Errors
/// If a table can't be read.
pub fn holding<'t>(
    tablebase: &'t Tablebase,
    slice: u8,
    keys: &[ArrayKey],
) -> Result<Option<&'t Table>, TableError> {
    for (number, (header, file)) in tablebase.headers().zip(tablebase.files()).enumerate() {
        if header.slice == slice && file.header.arrays as usize >= keys.len() {
            let table = tablebase.nth(number)?;
            if table.is_some_and(|table| keys.iter().all(|key| table.array(key).is_some())) {
                return Ok(table);
            }
        }
    }
    Ok(None)
}

impl Target {
    /// Returns the name of the folder with the target's tables. For a whole game, the name is
    /// derived from the rules (`pentago`, `mini`, `pentago_dir=cw_last=stop`). For a root, the name
    /// is `root-` and a hash of the rules and the board in 16 hexadecimal digits.
    pub fn folder_name(&self) -> String {
        match self.domain {
            Domain::Game => self.rules.to_string().replace([':', ','], "_"),
            Domain::Root(_) => format!("root-{:016x}", XxHash3_64::oneshot(&self.to_bytes())),
        }
    }

    /// Returns the path of the table for a slice. `folder` is the folder that contains the folders
    /// of all targets.
    pub fn path(&self, folder: &Path, slice: u8) -> PathBuf {
        folder.join(self.folder_name()).join(format!("slice-{slice:02}.{EXTENSION}"))
    }

    /// Returns the path of a table that contains only the sections of a slice whose keys are in
    /// `keys`.
    pub fn path_of(&self, folder: &Path, slice: u8, keys: &[ArrayKey]) -> PathBuf {
        let hash = XxHash3_64::oneshot(keys.as_flattened());
        folder.join(self.folder_name()).join(format!("slice-{slice:02}-{hash:016x}.{EXTENSION}"))
    }

    /// Returns the path of the file with counts for a slice whose values aren't kept.
    pub fn counts_path(&self, folder: &Path, slice: u8) -> PathBuf {
        folder.join(self.folder_name()).join(format!("slice-{slice:02}{COUNTED}"))
    }
}
