//! Temporary files for data that exceeds the memory of a solver. Each file is a named list of
//! opaque units in a scratch folder.
//!
//! A file is written as `NAME.part` and renamed when it is finished. A file consists of the units
//! in order of arrival, an index, and a footer. Only the program that wrote the file reads it,
//! possibly after a restart, and deletes it when the solution is complete. The format is therefore
//! not documented elsewhere, and may change.

use crate::bytes::{checksum, put, take, take_u64};
use crate::error::{Reason, StoreError};
use crate::header::FilePart;
use crate::storage::{open_file, read_exact_at};
use pentago_base::{into_inner, lock};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The extension of finished files.
const EXTENSION: &str = "spill";

/// The magic bytes at the end of a finished file. In the footer, the number of units and the
/// checksum of the index precede these bytes.
const FOOTER: [u8; 8] = *b"spilled1";
const FOOTER_BYTES: u64 = 24;

/// The size of an index record in bytes. A record holds the offset, the length and the checksum of
/// a unit.
const RECORD_BYTES: usize = 24;

/// The maximum number of finished files that are open at the same time, with their indexes in
/// memory.
const OPEN_FILES: usize = 8;

/// A folder of temporary files.
#[derive(Debug)]
pub struct SpillFiles {
    folder: PathBuf,
    /// The maximum size of all files in the folder, in bytes.
    limit: u64,
    bytes: AtomicU64,
    most: AtomicU64,
    writing: Mutex<HashMap<String, Arc<Mutex<SpillWriter>>>>,
    /// At most [`OPEN_FILES`] open files.
    finished: Mutex<HashMap<String, Arc<SpillReader>>>,
    /// The paths of the files that were finished after the last call of [`SpillFiles::sync`].
    unsynced: Mutex<Vec<PathBuf>>,
}

#[derive(Debug)]
struct SpillWriter {
    file: BufWriter<File>,
    end: u64,
    places: Vec<FilePart>,
}

#[derive(Debug)]
struct SpillReader {
    path: PathBuf,
    file: File,
    places: Vec<FilePart>,
}

impl SpillFiles {
    /// Opens a folder, or creates the folder if necessary, and removes unfinished files from the
    /// folder. `limit` is the maximum size of all files in the folder, in bytes.
    ///
    /// # Errors
    /// If an operation of the system fails.
    pub fn open(folder: &Path, limit: u64) -> Result<SpillFiles, StoreError> {
        fs::create_dir_all(folder).map_err(|e| StoreError::io(folder, "create", e))?;
        let mut bytes = 0;
        let look = |e| StoreError::io(folder, "look through", e);
        for entry in fs::read_dir(folder).map_err(look)? {
            let entry = entry.map_err(look)?;
            match entry.path().extension().and_then(|e| e.to_str()) {
                Some("part") => {
                    let remove = fs::remove_file(entry.path());
                    remove.map_err(|e| StoreError::io(&entry.path(), "remove", e))?;
                }
                Some(EXTENSION) => bytes += entry.metadata().map_err(look)?.len(),
                _ => {}
            }
        }
        Ok(SpillFiles {
            folder: folder.to_owned(),
            limit,
            bytes: bytes.into(),
            most: bytes.into(),
            writing: Mutex::default(),
            finished: Mutex::default(),
            unsynced: Mutex::default(),
        })
    }

    /// Returns the folder of the temporary files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the current size of all files in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns the peak size of all files in bytes.
    pub fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    /// Returns the path of a finished file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{EXTENSION}"))
    }

    /// Returns the path of a file that isn't finished.
    fn part(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.part"))
    }

    /// Flushes to disk the files that were finished after the last call, so that all finished files
    /// survive a power failure.
    ///
    /// # Errors
    /// If an operation of the system fails.
    pub fn sync(&self) -> Result<(), StoreError> {
        for path in std::mem::take(&mut *lock(&self.unsynced)) {
            let synced = File::options().append(true).open(&path).and_then(|file| file.sync_data());
            synced.map_err(|e| StoreError::io(&path, "sync", e))?;
        }
        Ok(())
    }

    /// Removes a file if it exists.
    ///
    /// # Errors
    /// If an operation of the system fails.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        lock(&self.finished).remove(name);
        let path = self.path(name);
        let bytes = match fs::metadata(&path) {
            Ok(metadata) => metadata.len(),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(StoreError::io(&path, "look for", e)),
        };
        fs::remove_file(&path).map_err(|e| StoreError::io(&path, "remove", e))?;
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn add(&self, bytes: u64) -> Result<(), StoreError> {
        let now = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.most.fetch_max(now, Ordering::Relaxed);
        if now > self.limit { Err(StoreError::new(&self.folder, Reason::Limit(self.limit))) } else { Ok(()) }
    }

    fn unfinished(&self, name: &str) -> Result<Arc<Mutex<SpillWriter>>, StoreError> {
        let mut writing = lock(&self.writing);
        if let Some(file) = writing.get(name) {
            return Ok(file.clone());
        }
        let path = self.part(name);
        let file = File::create(&path);
        let file = file.map_err(|e| StoreError::io(&path, "create", e))?;
        let file = SpillWriter { file: BufWriter::with_capacity(1 << 20, file), end: 0, places: Vec::new() };
        Ok(writing.entry(name.to_owned()).or_insert_with(|| Arc::new(Mutex::new(file))).clone())
    }

    fn open_finished(&self, name: &str) -> Result<Arc<SpillReader>, StoreError> {
        let mut finished = lock(&self.finished);
        if let Some(file) = finished.get(name) {
            return Ok(file.clone());
        }
        if finished.len() >= OPEN_FILES {
            finished.clear();
        }
        let file = Arc::new(SpillReader::open(self.path(name))?);
        finished.insert(name.to_owned(), file.clone());
        Ok(file)
    }

    /// Adds a unit to a file. Units may be added in any order and from any thread, but each unit
    /// index only once.
    ///
    /// # Errors
    /// If an operation of the system fails, or the size limit is reached.
    pub fn put(&self, name: &str, unit: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let checksum = checksum(bytes);
        let file = self.unfinished(name)?;
        let mut file = lock(&file);
        file.file.write_all(bytes).map_err(|e| StoreError::io(&self.part(name), "write", e))?;
        let place = FilePart { offset: file.end, bytes: bytes.len() as u64, checksum };
        file.end += place.bytes;
        let unit = unit as usize;
        if file.places.len() <= unit {
            file.places.resize(unit + 1, FilePart::default());
        }
        file.places[unit] = place;
        drop(file);
        self.add(bytes.len() as u64)
    }

    /// Finishes a file. All units of the file must have been added before.
    ///
    /// # Errors
    /// If an operation of the system fails, the size limit is reached, or another thread is still
    /// writing the file.
    pub fn finish(&self, name: &str) -> Result<(), StoreError> {
        let (path, part) = (self.path(name), self.part(name));
        self.unfinished(name)?;
        let Some(file) = lock(&self.writing).remove(name).and_then(Arc::into_inner) else {
            return Err(StoreError::new(
                &part,
                Reason::Scratch("the file was finished while another thread was writing to it"),
            ));
        };
        let SpillWriter { mut file, places, .. } = into_inner(file);
        let mut index = Vec::with_capacity(places.len() * RECORD_BYTES + FOOTER_BYTES as usize);
        places.iter().for_each(|place| place.put(&mut index));
        let index_checksum = checksum(&index);
        put(&mut index, &[places.len() as u64, index_checksum]);
        index.extend(FOOTER);
        let written = file.write_all(&index).and_then(|()| file.flush());
        written.map_err(|e| StoreError::io(&part, "write", e))?;
        fs::rename(&part, &path).map_err(|e| StoreError::io(&part, "rename", e))?;
        self.add(index.len() as u64)?;
        lock(&self.unsynced).push(path);
        Ok(())
    }

    /// Reads a unit of a finished file, and replaces the content of `into` by the bytes of the
    /// unit.
    ///
    /// # Errors
    /// If the unit doesn't exist or is damaged.
    pub fn get(&self, name: &str, unit: u64, into: &mut Vec<u8>) -> Result<(), StoreError> {
        self.open_finished(name)?.read(unit, into)
    }

    /// Creates the error for a unit that has the correct checksum but invalid content.
    pub fn damaged(&self, name: &str, unit: u64, what: &'static str) -> StoreError {
        damaged(&self.path(name), what).of_block(unit)
    }
}

/// Creates an error for a damaged temporary file.
fn damaged(path: &Path, what: &'static str) -> StoreError {
    StoreError::new(path, Reason::Scratch(what))
}

impl SpillReader {
    fn open(path: PathBuf) -> Result<SpillReader, StoreError> {
        let error = |e| StoreError::io(&path, "read", e);
        let cut = || damaged(&path, "the file is truncated");
        let file = open_file(&path).map_err(error)?;
        let bytes = file.metadata().map_err(error)?.len();
        let mut footer = [0; FOOTER_BYTES as usize];
        let at = bytes.checked_sub(FOOTER_BYTES).ok_or_else(cut)?;
        read_exact_at(&file, &mut footer, at).map_err(error)?;
        let mut rest = &footer[..];
        let (units, sum, magic) = (take_u64(&mut rest), take_u64(&mut rest), take(&mut rest));
        let index = units.checked_mul(RECORD_BYTES as u64).filter(|_| magic == FOOTER);
        let start = index.and_then(|index| at.checked_sub(index)).ok_or_else(cut)?;
        let mut index = vec![0; (at - start) as usize];
        read_exact_at(&file, &mut index, start).map_err(error)?;
        if checksum(&index) != sum {
            return Err(damaged(&path, "the index has a wrong checksum"));
        }
        let places = index.chunks_exact(RECORD_BYTES).map(|mut record| FilePart::take(&mut record)).collect();
        Ok(SpillReader { path, file, places })
    }

    fn read(&self, unit: u64, into: &mut Vec<u8>) -> Result<(), StoreError> {
        let error = |what| damaged(&self.path, what).of_block(unit);
        let place = self.places.get(unit as usize).filter(|place| place.bytes > 0);
        let place = place.ok_or_else(|| error("the file lacks this unit"))?;
        into.resize(place.bytes as usize, 0);
        read_exact_at(&self.file, into, place.offset).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => error("the file is truncated"),
            _ => StoreError::io(&self.path, "read", e).of_block(unit),
        })?;
        if checksum(into) == place.checksum { Ok(()) } else { Err(error("wrong checksum")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StoreErrorKind;

    fn unit(number: u64, len: usize) -> Vec<u8> {
        (0..len).map(|i| (i as u64 * (number + 3) % 251) as u8).collect()
    }

    const SIZES: [usize; 4] = [1, 100, 3000, 70_000];

    #[test]
    fn units_come_back_also_after_a_restart() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let spill = SpillFiles::open(folder.path(), u64::MAX).expect("opened");
        for (number, &len) in (0..4u32).zip(&SIZES).rev() {
            let number = u64::from(number);
            spill.put("one", number, &unit(number, len)).expect("put");
        }
        assert!(!spill.path("one").exists());
        spill.finish("one").expect("finished");
        spill.sync().expect("synced");
        let again = SpillFiles::open(folder.path(), u64::MAX).expect("opened");
        assert_eq!(again.bytes(), spill.bytes());
        let mut into = vec![7];
        for spill in [&spill, &again] {
            assert!(spill.path("one").exists());
            for (number, &len) in (0..).zip(&SIZES) {
                spill.get("one", number, &mut into).expect("there");
                assert_eq!(into, unit(number, len));
            }
            assert_eq!(spill.get("one", 9, &mut into).expect_err("no such").kind(), StoreErrorKind::Damaged);
            assert_eq!(spill.get("two", 0, &mut into).expect_err("no such").kind(), StoreErrorKind::NotFound);
        }
        again.remove("one").expect("removed");
        again.remove("one").expect("nothing to do");
        assert!(!again.path("one").exists() && again.bytes() == 0);
    }

    #[test]
    fn unfinished_and_damaged_files_are_not_taken_for_good() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let open = || SpillFiles::open(folder.path(), 1 << 30).expect("opened");
        let fill = |spill: &SpillFiles| {
            (0..3).try_for_each(|number| spill.put("one", number, &unit(number, 90))).expect("put");
        };
        fill(&open());
        let spill = open();
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 0);
        fill(&spill);
        spill.finish("one").expect("finished");
        let path = spill.path("one");
        let good = fs::read(&path).expect("read");
        let errors = || {
            let spill = open();
            let mut into = Vec::new();
            let wrong = (0..3).filter(|&number| match spill.get("one", number, &mut into) {
                Ok(()) => {
                    assert_eq!(into, unit(number, 90));
                    false
                }
                Err(error) => {
                    assert!(matches!(error.reason, Reason::Scratch(_)), "{error}");
                    true
                }
            });
            wrong.count()
        };
        for i in 0..good.len() {
            let mut bad = good.clone();
            bad[i] ^= 1 << (i % 8);
            fs::write(&path, &bad).expect("written");
            assert_eq!(errors(), if i < 270 { 1 } else { 3 }, "byte {i}");
            if i % 7 == 0 {
                fs::write(&path, &good[..i]).expect("written");
                assert_eq!(errors(), 3, "cut to {i}");
            }
        }
    }

    #[test]
    fn the_limit_is_kept() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let spill = SpillFiles::open(folder.path(), 1000).expect("opened");
        let error = (0..100).find_map(|number| spill.put("one", number, &unit(number, 99)).err());
        let error = error.expect("no room");
        assert!(
            matches!(error.reason, Reason::Limit(1000)) && error.kind() == StoreErrorKind::Full,
            "{error}"
        );
    }
}
