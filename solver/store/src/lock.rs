//! The lock that allows one builder per folder, and the removal of files that killed builders left
//! behind.

use crate::durable;
use crate::error::{Reason, StoreError};
use crate::storage::create;
use crate::writer::working_files;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The maximum size in bytes of the file `.lock`, and of the list of file names that the command
/// `build` writes beside it.
pub const LOCK_BYTES: u64 = 1024;

/// The exclusive right to build in a folder. The right ends when this value is dropped. If the
/// process is killed, the system releases the lock.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Creates the folder if necessary and locks the file `.lock` in it. The file holds the process
    /// identifier and the time of locking, in seconds of Unix time. The file is never deleted, so
    /// its existence doesn't mean that the folder is locked.
    ///
    /// After locking, removes the files that a killed builder left beside finished tables.
    ///
    /// # Errors
    /// If another process holds the lock: the error names that process and the number of seconds
    /// since the lock was acquired. Also if the system fails.
    pub fn take(folder: &Path) -> Result<Lock, StoreError> {
        fs::create_dir_all(folder).map_err(|e| StoreError::io(folder, "create", e))?;
        let path = folder.join(".lock");
        let file = create(&path, false);
        let mut file = file.map_err(|e| StoreError::io(&path, "create", e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                let mut text = String::new();
                // The text in the file is used only in the error message, so ignore a failed read.
                let _ = (&file).take(100).read_to_string(&mut text);
                let mut numbers = text.split_whitespace().map_while(|n| n.parse::<u64>().ok());
                let owner = match (numbers.next(), numbers.next()) {
                    (Some(process), Some(since)) => {
                        format!("process {process}, for {} s", seconds().saturating_sub(since))
                    }
                    _ => "unknown process".to_owned(),
                };
                return Err(StoreError::new(folder, Reason::Locked(owner)));
            }
            Err(fs::TryLockError::Error(e)) => return Err(StoreError::io(&path, "lock", e)),
        }
        let text = format!("{} {}\n", std::process::id(), seconds());
        let written = file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0)));
        let written = written.and_then(|_| file.write_all(text.as_bytes()));
        written.map_err(|e| StoreError::io(&path, "write", e))?;
        let lock = Lock { _file: file };
        lock.clean(folder)?;
        Ok(lock)
    }

    /// Removes files that killed builders left in another folder, which this lock must also
    /// protect. The removed files are temporary files of interrupted replacements, and the journals
    /// and waiting blocks of finished tables. A builder leaves a journal if it is killed after
    /// renaming the finished table.
    ///
    /// # Errors
    /// If an operation of the system fails.
    pub fn clean(&self, folder: &Path) -> Result<(), StoreError> {
        clean(folder)
    }
}

fn clean(folder: &Path) -> Result<(), StoreError> {
    let error = |e| StoreError::io(folder, "look through", e);
    for entry in fs::read_dir(folder).map_err(error)? {
        let path = entry.map_err(error)?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let of_finished = || {
            let table = [".journal", ".waiting"].iter().find_map(|suffix| name.strip_suffix(suffix))?;
            let table = folder.join(table);
            let [part, ..] = working_files(&table);
            Some(table.is_file() && !part.exists())
        };
        if durable::is_leftover(name) || of_finished() == Some(true) {
            fs::remove_file(&path).map_err(|e| StoreError::io(&path, "remove", e))?;
        }
    }
    Ok(())
}

/// Returns the Unix time in seconds.
fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StoreErrorKind;

    #[test]
    fn one_builder_at_a_time() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let place = folder.path().join("new");
        let lock = Lock::take(&place).expect("free");
        let error = Lock::take(&place).expect_err("taken");
        assert_eq!(error.kind(), StoreErrorKind::Busy);
        assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
        drop(lock);
        Lock::take(&place).expect("free again");
    }

    #[test]
    fn what_killed_builders_left_is_removed() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let files = [
            // A finished table whose builder was killed before it removed the journal.
            "a.pentago",
            "a.pentago.journal",
            "a.pentago.waiting",
            // The files of an unfinished table.
            "b.pentago.journal",
            "b.pentago.part",
            "b.pentago.waiting",
            // A finished table, and the files of an unfinished table with the same name.
            "c.pentago",
            "c.pentago.journal",
            "c.pentago.part",
            // The temporary file of an interrupted replacement.
            ".x1y2.new",
            // Files of other programs.
            "notes.journal",
            "x.new",
        ];
        for file in files {
            fs::write(folder.path().join(file), "").expect("written");
        }
        let _lock = Lock::take(folder.path()).expect("free");
        let names = fs::read_dir(folder.path())
            .expect("listed")
            .map(|entry| entry.expect("listed").file_name().into_string().expect("a name of ours"));
        let mut names: Vec<String> = names.collect();
        names.sort();
        let gone = ["a.pentago.journal", "a.pentago.waiting", ".x1y2.new"];
        let mut expected: Vec<&str> = files.into_iter().filter(|f| !gone.contains(f)).collect();
        expected.push(".lock");
        expected.sort_unstable();
        assert_eq!(names, expected);
    }
}
