//! The shards that the ranks have: which slices are finished, and where their files are.

use crate::remote::{Desk, RemoteFile};
use anyhow::bail;
use pentago::shards::{GameBuild, Table, read_shard};
use pentago::{Error, ErrorKind};
use pentago_store::{Access, Cache, ShardName, Storage, StoreError, storage};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A finished file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shelved {
    pub slice: u8,
    /// Of how many shards it is one; 0 if it is a whole table.
    pub of: u32,
    /// Which one, from 0.
    pub number: u32,
    pub path: PathBuf,
    pub bytes: u64,
    /// The hash of the file: its lower half, its upper half.
    pub hash: [u64; 2],
    /// The rank that has it. In a folder that all see, that doesn't matter.
    pub owner: u32,
}

/// The two halves of a hash.
pub fn halves(hash: u128) -> [u64; 2] {
    [hash as u64, (hash >> 64) as u64]
}

/// The finished files of a build in the folder of its tables.
///
/// # Errors
/// If a file is damaged, or can't be read.
pub fn look(build: &GameBuild, folder: &Path, owner: u32) -> anyhow::Result<Vec<Shelved>> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return Ok(found);
    }
    let error = |error| StoreError::io(folder, "look through", error);
    let paths = fs::read_dir(folder).map_err(error)?.map(|entry| Ok(entry.map_err(error)?.path()));
    let paths = paths.collect::<Result<Vec<PathBuf>, StoreError>>()?;
    for slice in build.slices() {
        let whole = build.shard_name(Path::new(""), slice, 0, 1).whole;
        let whole = folder.join(whole.file_name().unwrap_or_default());
        for path in &paths {
            let (of, number) = match ShardName::parse(path) {
                Some(name) if name.whole == whole => (name.of, name.number),
                None if *path == whole => (0, 0),
                _ => continue,
            };
            let (header, _) = read_shard(path)?;
            let path = path.clone();
            let (bytes, hash) = (header.file_bytes, halves(header.hash));
            found.push(Shelved { slice, of, number, path, bytes, hash, owner });
        }
    }
    Ok(found)
}

/// The slices that are to be built, in order, and the files of the slice before the first of them.
///
/// # Errors
/// If two ranks have different files for the same shard.
pub fn start(build: &GameBuild, shelf: &[Shelved]) -> anyhow::Result<(Vec<u8>, Vec<Shelved>)> {
    let mut missing = Vec::new();
    for slice in build.slices().into_iter().rev() {
        let of_slice = || shelf.iter().filter(|file| file.slice == slice);
        let mut partitions: Vec<u32> = of_slice().map(|file| file.of).collect();
        partitions.sort_unstable();
        partitions.dedup();
        for of in partitions {
            let mut files: Vec<Shelved> = of_slice().filter(|file| file.of == of).cloned().collect();
            files.sort_by_key(|file| (file.number, file.owner));
            for pair in files.windows(2) {
                if pair[0].number == pair[1].number && pair[0].hash != pair[1].hash {
                    disagree(&pair[0].path, [pair[0].owner, pair[1].owner])?;
                }
            }
            files.dedup_by_key(|file| file.number);
            let there = match of {
                0 => true,
                _ => {
                    let shares = build.shares(slice, of);
                    let some = (0..of).filter(|&number| !shares.range(number).is_empty());
                    some.eq(files.iter().map(|file| file.number))
                }
            };
            if there {
                missing.reverse();
                return Ok((missing, files));
            }
        }
        missing.push(slice);
    }
    missing.reverse();
    Ok((missing, Vec::new()))
}

/// Two ranks have different files under the same name.
///
/// # Errors
/// Always.
pub fn disagree(path: &Path, [one, other]: [u32; 2]) -> anyhow::Result<()> {
    let path = path.display();
    let text = format!(
        "rank {one} and rank {other} see different files {path}: none of them is used; \
         delete both, and run the same command again"
    );
    Err(Error::new(ErrorKind::Missing, text).into())
}

/// Where a rank reads files.
pub struct Reach {
    pub desk: Arc<Desk>,
    pub rank: u32,
    /// Whether files of other ranks have to be asked for.
    pub local: bool,
}

impl Reach {
    fn is_here(&self, file: &Shelved) -> bool {
        !self.local || file.owner == self.rank
    }

    /// Lets other ranks read the files of a table that are here.
    ///
    /// # Errors
    /// If one can't be opened.
    pub fn lend(&self, files: &[Shelved]) -> anyhow::Result<()> {
        let mut lent: HashMap<u64, Arc<dyn Storage>> = HashMap::new();
        for file in files.iter().filter(|file| self.local && file.owner == self.rank) {
            let opened = storage::open(&file.path, Access::Map);
            lent.insert(id(file), opened.map_err(|e| StoreError::io(&file.path, "open", e))?);
        }
        self.desk.lend(lent);
        Ok(())
    }

    /// Opens the table that files of one slice are together; None if there are none.
    ///
    /// # Errors
    /// If one is damaged, missing or not the one that was announced.
    pub fn open(&self, build: &GameBuild, files: &[Shelved]) -> anyhow::Result<Option<Table>> {
        let Some(first) = files.first() else { return Ok(None) };
        let open = |file: &Shelved| -> anyhow::Result<(PathBuf, Arc<dyn Storage>)> {
            let storage = if self.is_here(file) {
                storage::open(&file.path, Access::Map).map_err(|e| StoreError::io(&file.path, "open", e))?
            } else {
                Arc::new(RemoteFile::new(self.desk.clone(), file.owner, id(file), file.bytes))
            };
            Ok((file.path.clone(), storage))
        };
        let shards = files.iter().map(open).collect::<anyhow::Result<Vec<_>>>()?;
        let table = Table::of_shards(shards, Cache::new(0))?;
        for (hash, file) in table.hashes().zip(files) {
            if halves(hash) != file.hash {
                disagree(&file.path, [file.owner, self.rank])?;
            }
        }
        let (needed, _) = build.sections(first.slice);
        let all = build.target().sections();
        if let Some(lacking) = needed.iter().find(|&&section| table.array(&all.key(section)).is_none()) {
            let (path, slice) = (first.path.display(), first.slice);
            bail!(Error::new(
                ErrorKind::Missing,
                format!(
                    "slice {slice} ({path}) lacks section {lacking}: a shard is missing or was cut short"
                )
            ));
        }
        Ok(Some(table))
    }
}

/// The number under which other ranks ask for a file.
fn id(file: &Shelved) -> u64 {
    u64::from(file.slice) << 32 | u64::from(file.number)
}
