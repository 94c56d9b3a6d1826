//! Finds the finished shards of all ranks, and opens the tables that consist of these shards.

use crate::remote::{FileExchange, RemoteFile};
use anyhow::bail;
use pentago::shards::{GameBuild, Table, read_shard};
use pentago::{Error, ErrorKind};
use pentago_store::{Access, Cache, ShardName, Storage, StoreError, storage};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of a finished shard, or of a whole table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ShardFile {
    pub slice: u8,
    /// The number of shards into which the slice is divided. 0 if the file is a whole table.
    pub of: u32,
    /// The index of this shard among the shards of the slice, from 0.
    pub number: u32,
    pub path: PathBuf,
    pub bytes: u64,
    /// The lower half, then the upper half of the hash of the file.
    pub hash: [u64; 2],
    /// The rank that found the file. Not used if all ranks share a folder.
    pub owner: u32,
}

/// Returns the lower half of a hash, then its upper half.
pub fn halves(hash: u128) -> [u64; 2] {
    [hash as u64, (hash >> 64) as u64]
}

/// Finds the finished shards and tables of a build in a folder. `owner` is the rank that searches
/// the folder. Returns an empty list if the folder does not exist.
///
/// # Errors
/// If the folder or a file cannot be read, or a file is damaged.
pub fn find(build: &GameBuild, folder: &Path, owner: u32) -> anyhow::Result<Vec<ShardFile>> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return Ok(found);
    }
    let error = |error| StoreError::io(folder, "list", error);
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
            found.push(ShardFile { slice, of, number, path, bytes, hash, owner });
        }
    }
    Ok(found)
}

/// Returns the slices to build, in the order of the build. Also returns the files of the last
/// complete slice in this order. The first of the slices to build is built from these files.
///
/// # Errors
/// If two ranks have different files for the same shard.
pub fn slices_to_build(build: &GameBuild, found: &[ShardFile]) -> anyhow::Result<(Vec<u8>, Vec<ShardFile>)> {
    let mut missing = Vec::new();
    for slice in build.slices().into_iter().rev() {
        let of_slice = || found.iter().filter(|file| file.slice == slice);
        let mut partitions: Vec<u32> = of_slice().map(|file| file.of).collect();
        partitions.sort_unstable();
        partitions.dedup();
        for of in partitions {
            let mut files: Vec<ShardFile> = of_slice().filter(|file| file.of == of).cloned().collect();
            files.sort_by_key(|file| (file.number, file.owner));
            for pair in files.windows(2) {
                if pair[0].number == pair[1].number && pair[0].hash != pair[1].hash {
                    return Err(different_files(&pair[0].path, [pair[0].owner, pair[1].owner]));
                }
            }
            files.dedup_by_key(|file| file.number);
            let complete = match of {
                0 => true,
                _ => {
                    let shares = build.shares(slice, of);
                    let expected = (0..of).filter(|&number| !shares.range(number).is_empty());
                    expected.eq(files.iter().map(|file| file.number))
                }
            };
            if complete {
                missing.reverse();
                return Ok((missing, files));
            }
        }
        missing.push(slice);
    }
    missing.reverse();
    Ok((missing, Vec::new()))
}

/// Returns the error for two ranks that have different files with the same name.
fn different_files(path: &Path, [one, other]: [u32; 2]) -> anyhow::Error {
    let path = path.display();
    let text = format!(
        "rank {one} and rank {other} have different files {path}: neither can be used; \
         delete both, and run the same command again"
    );
    Error::new(ErrorKind::Missing, text).into()
}

/// Gives one rank access to the shards of all ranks.
pub struct ShardAccess {
    pub exchange: Arc<FileExchange>,
    pub rank: u32,
    /// `true` if every rank has a folder of its own. Each rank then reads the files of other ranks
    /// over the network.
    pub local: bool,
}

impl ShardAccess {
    fn is_here(&self, file: &ShardFile) -> bool {
        !self.local || file.owner == self.rank
    }

    /// Opens those of `files` that this rank owns, and lets other ranks read them.
    ///
    /// # Errors
    /// If a file cannot be opened.
    pub fn lend(&self, files: &[ShardFile]) -> anyhow::Result<()> {
        let mut lent: HashMap<u64, Arc<dyn Storage>> = HashMap::new();
        for file in files.iter().filter(|file| self.local && file.owner == self.rank) {
            let opened = storage::open(&file.path, Access::Map);
            lent.insert(file_number(file), opened.map_err(|e| StoreError::io(&file.path, "open", e))?);
        }
        self.exchange.lend(lent);
        Ok(())
    }

    /// Opens the table that consists of `files`, the files of one slice. Returns `None` if there
    /// are no files.
    ///
    /// # Errors
    /// If a file is missing, is damaged, or differs from the file that its owner found.
    pub fn open(&self, build: &GameBuild, files: &[ShardFile]) -> anyhow::Result<Option<Table>> {
        let Some(first) = files.first() else { return Ok(None) };
        let open = |file: &ShardFile| -> anyhow::Result<(PathBuf, Arc<dyn Storage>)> {
            let storage = if self.is_here(file) {
                storage::open(&file.path, Access::Map).map_err(|e| StoreError::io(&file.path, "open", e))?
            } else {
                Arc::new(RemoteFile::new(self.exchange.clone(), file.owner, file_number(file), file.bytes))
            };
            Ok((file.path.clone(), storage))
        };
        let shards = files.iter().map(open).collect::<anyhow::Result<Vec<_>>>()?;
        let table = Table::of_shards(shards, Cache::new(0))?;
        for (hash, file) in table.hashes().zip(files) {
            if halves(hash) != file.hash {
                return Err(different_files(&file.path, [file.owner, self.rank]));
            }
        }
        let (needed, _) = build.sections(first.slice);
        let all = build.target().sections();
        if let Some(lacking) = needed.iter().find(|&&section| table.array(&all.key(section)).is_none()) {
            let (path, slice) = (first.path.display(), first.slice);
            bail!(Error::new(
                ErrorKind::Missing,
                format!("slice {slice} ({path}) lacks section {lacking}: a shard is missing or truncated")
            ));
        }
        Ok(Some(table))
    }
}

/// Returns the number by which requests of other ranks name a file.
fn file_number(file: &ShardFile) -> u64 {
    u64::from(file.slice) << 32 | u64::from(file.number)
}
