//! A folder of tables: what is there, how files are named, and who builds in it.

use super::cache::Cache;
use super::error::{ErrorKind, TableError};
use super::header::Header;
use super::manifest::{ArrayKey, Domain, Target};
use super::reader::{Table, read_header};
use super::storage;
use super::storage::Access;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use twox_hash::XxHash3_64;

/// What the name of every table ends in.
pub const EXTENSION: &str = "pentago";

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
        let mut folder = Folder::default();
        folder.add(path, 1)?;
        folder.tables.sort_by(|a, b| {
            (a.header.target, a.header.slice, &a.path).cmp(&(b.header.target, b.header.slice, &b.path))
        });
        folder.unfinished.sort();
        folder.counted.sort();
        Ok(folder)
    }

    fn add_below(&mut self, path: &Path, depth: u32) -> Result<(), TableError> {
        if depth > 0 { self.add(path, depth - 1) } else { Ok(()) }
    }

    fn add(&mut self, path: &Path, depth: u32) -> Result<(), TableError> {
        let error = |e| TableError::io(path, "look through", e);
        for entry in fs::read_dir(path).map_err(error)? {
            let path = entry.map_err(error)?.path();
            let extension = path.extension().and_then(|e| e.to_str());
            match extension {
                _ if path.is_dir() => self.add_below(&path, depth)?,
                Some("tsv") if path.to_str().is_some_and(|p| p.ends_with(COUNTED)) => self.counted.push(path),
                Some(EXTENSION) => {
                    let header = storage::open(&path, Access::Read)
                        .map_err(|e| TableError::io(&path, "open", e))
                        .and_then(|storage| read_header(&path, &*storage));
                    match header {
                        Ok(header) => self.tables.push(Listed { path, header }),
                        Err(error) => self.damaged.push(error),
                    }
                }
                Some("part" | "journal" | "waiting")
                    if path
                        .file_stem()
                        .is_some_and(|stem| Path::new(stem).extension() == Some(EXTENSION.as_ref())) =>
                {
                    self.unfinished.push(path);
                }
                _ => {}
            }
        }
        Ok(())
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
    /// The name of the folder for its tables: of a whole game its rules (`pentago`, `mini`, `pentago_dir=cw_last=stop`), of a root
    /// `root-` and 16 digits that depend on rules and board.
    #[must_use]
    pub fn folder_name(&self) -> String {
        match self.domain {
            Domain::Game => self.rules.to_string().replace([':', ','], "_"),
            Domain::Root(_) => format!("root-{:016x}", XxHash3_64::oneshot(&self.key())),
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

/// The right to build in a folder: held as long as this value lives, and given up by the system when the process ends, however it ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Makes the folder if need be, and takes the lock, a file `.lock` in it. It holds the number of the process, and when the lock
    /// was taken in seconds of Unix time. The file stays; it is the lock on it that counts.
    ///
    /// # Errors
    /// If somebody else builds there, with the number of the process and since when; or what the system says.
    pub fn take(folder: &Path) -> Result<Lock, TableError> {
        fs::create_dir_all(folder).map_err(|e| TableError::io(folder, "create", e))?;
        let path = folder.join(".lock");
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.map_err(|e| TableError::io(&path, "create", e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                let mut text = String::new();
                // What the owner wrote is only for the message.
                let _ = (&file).take(100).read_to_string(&mut text);
                let mut numbers = text.split_whitespace().map_while(|n| n.parse::<u64>().ok());
                let owner = match (numbers.next(), numbers.next()) {
                    (Some(process), Some(since)) => {
                        format!("process {process}, for {} s", seconds().saturating_sub(since))
                    }
                    _ => "unknown process".to_owned(),
                };
                return Err(TableError::new(folder, ErrorKind::Locked(owner)));
            }
            Err(fs::TryLockError::Error(e)) => return Err(TableError::io(&path, "lock", e)),
        }
        let text = format!("{} {}\n", std::process::id(), seconds());
        let written = file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0)));
        let written = written.and_then(|_| file.write_all(text.as_bytes()));
        written.map_err(|e| TableError::io(&path, "write", e))?;
        Ok(Lock { _file: file })
    }
}

/// Unix time.
fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}
