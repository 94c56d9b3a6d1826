//! A shelf on disk: the half slices that a root's solution puts by, compressed, one file each.
//!
//! A file is written as `NAME.part` and gets its name when it is finished: its units' codes in the order in which they came, then
//! an index, then a footer. It is read by the program that wrote it, or by the same one started again, and
//! is gone when the solution is complete: so its format isn't documented elsewhere, and may change.

use super::error::{ErrorKind, TableError};
use super::storage::read_exact_at;
use crate::codec::repeats::{Decoder, Encoder, MAX_LINES};
use crate::kernel::Pack;
use crate::solve::rooted::{HalfSlice, SpillError, SpillStore};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use twox_hash::XxHash3_64;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The zstd level: half slices are read once or twice.
const LEVEL: i32 = 1;

/// What a file ends in once it is finished.
const EXTENSION: &str = "half";

const FOOTER: [u8; 8] = *b"halves 1";

/// Where the code of a unit is; all numbers as they lie in this machine's memory.
#[derive(Clone, Copy, Debug, Default, IntoBytes, FromBytes, Immutable)]
#[repr(C)]
struct SpillPlace {
    offset: u64,
    /// 0: there is no such unit.
    bytes: u64,
    checksum: u64,
}

/// A folder of half slices.
pub struct SpillFiles {
    folder: PathBuf,
    /// The most bytes that may lie in the folder.
    limit: u64,
    bytes: AtomicU64,
    most: AtomicU64,
    writing: Mutex<HashMap<HalfSlice, Arc<Mutex<Unfinished>>>>,
    finished: Mutex<HashMap<HalfSlice, Arc<Finished>>>,
}

struct Unfinished {
    file: BufWriter<File>,
    end: u64,
    places: Vec<SpillPlace>,
}

struct Finished {
    path: PathBuf,
    file: File,
    bytes: u64,
    places: Vec<SpillPlace>,
}

/// A thread's codec.
struct SpillCodec {
    encoder: Encoder,
    decoder: Decoder,
    code: Vec<u8>,
}

thread_local! {
    static CODEC: RefCell<Option<SpillCodec>> = const { RefCell::new(None) };
}

fn with_codec<T>(work: impl FnOnce(&mut SpillCodec) -> io::Result<T>) -> io::Result<T> {
    CODEC.with_borrow_mut(|codec| {
        if codec.is_none() {
            *codec = Some(SpillCodec {
                encoder: Encoder::new(LEVEL)?,
                decoder: Decoder::new()?,
                code: Vec::new(),
            });
        }
        work(codec.as_mut().expect("just made"))
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SpillFiles {
    /// The half slices in `folder`, which is made if need be; what was not finished there is removed. At most `limit` bytes may lie
    /// in it.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(folder: &Path, limit: u64) -> Result<SpillFiles, TableError> {
        fs::create_dir_all(folder).map_err(|e| TableError::io(folder, "create", e))?;
        let mut bytes = 0;
        let look = |e| TableError::io(folder, "look through", e);
        for entry in fs::read_dir(folder).map_err(look)? {
            let entry = entry.map_err(look)?;
            match entry.path().extension().and_then(|e| e.to_str()) {
                Some("part") => {
                    fs::remove_file(entry.path()).map_err(|e| TableError::io(&entry.path(), "remove", e))?;
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
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Bytes in the folder now.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The most bytes that were in the folder at one time.
    pub fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    fn path(&self, of: HalfSlice) -> PathBuf {
        let HalfSlice { parity, chain, group, plies } = of;
        let [a, b] = group.state;
        self.folder.join(format!("{parity}{chain}-{}-{a:x}-{b:x}-{plies:02}.{EXTENSION}", group.top))
    }

    /// Whether a finished half slice is there.
    pub fn holds(&self, of: HalfSlice) -> bool {
        self.path(of).exists()
    }

    /// Gets the finished half slices onto the disk, so that they outlive a power failure.
    ///
    /// # Errors
    /// What the system says.
    pub fn sync(&self) -> Result<(), TableError> {
        for file in lock(&self.finished).values() {
            file.file.sync_data().map_err(|e| TableError::io(&file.path, "sync", e))?;
        }
        Ok(())
    }

    /// Removes a half slice, if it is there.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove(&self, of: HalfSlice) -> Result<(), TableError> {
        lock(&self.finished).remove(&of);
        let path = self.path(of);
        let bytes = match fs::metadata(&path) {
            Ok(metadata) => metadata.len(),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(TableError::io(&path, "look for", e)),
        };
        fs::remove_file(&path).map_err(|e| TableError::io(&path, "remove", e))?;
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn add(&self, bytes: u64) -> Result<(), TableError> {
        let now = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.most.fetch_max(now, Ordering::Relaxed);
        if now > self.limit {
            return Err(TableError::new(&self.folder, ErrorKind::Limit(self.limit)));
        }
        Ok(())
    }

    fn unfinished(&self, of: HalfSlice) -> Result<Arc<Mutex<Unfinished>>, TableError> {
        let mut writing = lock(&self.writing);
        if let Some(file) = writing.get(&of) {
            return Ok(file.clone());
        }
        let path = part(&self.path(of));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.map_err(|e| TableError::io(&path, "create", e))?;
        let file = Unfinished { file: BufWriter::with_capacity(1 << 20, file), end: 0, places: Vec::new() };
        Ok(writing.entry(of).or_insert_with(|| Arc::new(Mutex::new(file))).clone())
    }

    fn open_finished(&self, of: HalfSlice) -> Result<Arc<Finished>, TableError> {
        let mut finished = lock(&self.finished);
        if let Some(file) = finished.get(&of) {
            return Ok(file.clone());
        }
        let path = self.path(of);
        let file = Arc::new(Finished::open(path)?);
        finished.insert(of, file.clone());
        Ok(file)
    }
}

/// The name of a file that isn't finished.
fn part(path: &Path) -> PathBuf {
    path.with_extension("part")
}

/// A file of the scratch folder that can't be what was written there.
fn damaged(path: &Path, what: &'static str) -> TableError {
    TableError::new(path, ErrorKind::Scratch(what))
}

impl Finished {
    fn open(path: PathBuf) -> Result<Finished, TableError> {
        let error = |e| TableError::io(&path, "read", e);
        let file = File::open(&path).map_err(error)?;
        let bytes = file.metadata().map_err(error)?.len();
        // Footer: units, checksum of the index, magic.
        let mut footer = [0u64; 3];
        let at = bytes.checked_sub(24).ok_or_else(|| damaged(&path, "it is truncated"))?;
        read_exact_at(&file, footer.as_mut_bytes(), at).map_err(error)?;
        let [units, checksum, magic] = footer;
        let index = units.checked_mul(size_of::<SpillPlace>() as u64).and_then(|index| at.checked_sub(index));
        let index = index.filter(|_| magic.as_bytes() == FOOTER);
        let index = index.ok_or_else(|| damaged(&path, "it is truncated"))?;
        let mut places = vec![SpillPlace::default(); units as usize];
        read_exact_at(&file, places.as_mut_bytes(), index).map_err(error)?;
        if XxHash3_64::oneshot(places.as_bytes()) != checksum {
            return Err(damaged(&path, "its index has a wrong checksum"));
        }
        Ok(Finished { path, file, bytes, places })
    }

    fn read(&self, unit: u64, into: &mut [Pack]) -> Result<(), TableError> {
        let error = |what| damaged(&self.path, what).of_block(unit);
        let place = self.places.get(unit as usize).filter(|place| place.bytes > 0);
        let place = place.ok_or_else(|| error("it lacks this unit"))?;
        if place.offset.checked_add(place.bytes).is_none_or(|end| end > self.bytes) {
            return Err(error("it is truncated"));
        }
        let read = with_codec(|codec| {
            codec.code.resize(place.bytes as usize, 0);
            read_exact_at(&self.file, &mut codec.code, place.offset)?;
            if XxHash3_64::oneshot(&codec.code) != place.checksum {
                return Ok(Err("wrong checksum"));
            }
            let mut rest = &codec.code[..];
            for lines in into.chunks_mut(MAX_LINES) {
                let (head, tail) = rest.split_at_checked(8).ok_or(io::ErrorKind::InvalidData)?;
                let bytes = u64::from_le_bytes(head.try_into().expect("eight bytes")) as usize;
                let (code, more) = tail.split_at_checked(bytes).ok_or(io::ErrorKind::InvalidData)?;
                if codec.decoder.decode(code, lines).is_err() {
                    return Ok(Err("it can't be decoded"));
                }
                rest = more;
            }
            Ok(Ok(()))
        });
        match read {
            Ok(Ok(())) => Ok(()),
            Ok(Err(what)) => Err(error(what)),
            Err(e) => Err(TableError::io(&self.path, "read", e).of_block(unit)),
        }
    }
}

impl SpillStore for SpillFiles {
    fn put(&self, of: HalfSlice, unit: u64, lines: &[Pack]) -> Result<(), SpillError> {
        let file = self.unfinished(of)?;
        let path = || part(&self.path(of));
        with_codec(|codec| {
            codec.code.clear();
            for lines in lines.chunks(MAX_LINES) {
                let start = codec.code.len();
                codec.code.extend_from_slice(&[0; 8]);
                codec.encoder.encode(lines, &mut codec.code)?;
                let bytes = (codec.code.len() - start - 8) as u64;
                codec.code[start..start + 8].copy_from_slice(&bytes.to_le_bytes());
            }
            let bytes = codec.code.len() as u64;
            let checksum = XxHash3_64::oneshot(&codec.code);
            let mut file = lock(&file);
            file.file.write_all(&codec.code)?;
            let place = SpillPlace { offset: file.end, bytes, checksum };
            file.end += bytes;
            let unit = unit as usize;
            if file.places.len() <= unit {
                file.places.resize(unit + 1, SpillPlace::default());
            }
            file.places[unit] = place;
            Ok(bytes)
        })
        .map_err(|e| TableError::io(&path(), "write", e))
        .and_then(|bytes| self.add(bytes))?;
        Ok(())
    }

    fn get(&self, of: HalfSlice, unit: u64, into: &mut [Pack]) -> Result<(), SpillError> {
        Ok(self.open_finished(of)?.read(unit, into)?)
    }

    fn finish(&self, of: HalfSlice) -> Result<(), SpillError> {
        let path = self.path(of);
        let part = part(&path);
        self.unfinished(of)?;
        let Some(file) = lock(&self.writing).remove(&of).and_then(Arc::into_inner) else {
            return Err("a half slice is finished while it is being written".into());
        };
        let Unfinished { mut file, end, places } = file.into_inner().unwrap_or_else(PoisonError::into_inner);
        let footer =
            [places.len() as u64, XxHash3_64::oneshot(places.as_bytes()), u64::from_ne_bytes(FOOTER)];
        let more = (places.as_bytes().len() + 24) as u64;
        let write = file
            .write_all(places.as_bytes())
            .and_then(|()| file.write_all(footer.as_bytes()))
            .and_then(|()| file.into_inner().map_err(io::IntoInnerError::into_error));
        let file = write.map_err(|e| TableError::io(&part, "write", e))?;
        fs::rename(&part, &path).map_err(|e| TableError::io(&part, "rename", e))?;
        self.add(more)?;
        lock(&self.finished).insert(of, Arc::new(Finished { path, file, bytes: end + more, places }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::rooted::layout::BoardGroup;
    use crate::supers::Half;

    fn lines(seed: u64, len: usize) -> Vec<Pack> {
        let half = |i: u64| Half([i * seed % 11, (i * i) % 7]);
        (0..len as u64).map(|i| Pack([half(4 * i), half(4 * i + 1), half(i), half(5)])).collect()
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pentago-scratch-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    const OF: HalfSlice =
        HalfSlice { parity: 1, chain: 0, group: BoardGroup { top: 2, state: [1 << 8, 0] }, plies: 7 };

    #[test]
    fn units_come_back_also_after_a_restart() {
        let folder = folder("back");
        let scratch = SpillFiles::open(&folder, u64::MAX).unwrap();
        let sizes = [1, 100, 3000, MAX_LINES + 5];
        for (unit, &len) in sizes.iter().enumerate().rev() {
            scratch.put(OF, unit as u64, &lines(unit as u64 + 3, len)).unwrap();
        }
        assert!(!scratch.holds(OF));
        scratch.finish(OF).unwrap();
        scratch.sync().unwrap();
        let again = SpillFiles::open(&folder, u64::MAX).unwrap();
        assert_eq!(again.bytes(), scratch.bytes());
        for spill in [&scratch, &again] {
            assert!(spill.holds(OF));
            for (unit, &len) in sizes.iter().enumerate() {
                let mut into = vec![Pack::default(); len];
                spill.get(OF, unit as u64, &mut into).unwrap();
                assert!(into.iter().zip(lines(unit as u64 + 3, len)).all(|(a, b)| a.0 == b.0));
            }
            assert!(spill.get(OF, 9, &mut []).is_err());
        }
        again.remove(OF).unwrap();
        again.remove(OF).unwrap();
        assert!(!again.holds(OF) && again.bytes() == 0);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn unfinished_and_damaged_files_are_not_taken_for_good() {
        let folder = folder("damaged");
        let scratch = SpillFiles::open(&folder, 1 << 30).unwrap();
        for unit in 0..3 {
            scratch.put(OF, unit, &lines(5, 50)).unwrap();
        }
        drop(scratch);
        let scratch = SpillFiles::open(&folder, 1 << 30).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        for unit in 0..3 {
            scratch.put(OF, unit, &lines(5, 50)).unwrap();
        }
        scratch.finish(OF).unwrap();
        let path = scratch.path(OF);
        let good = fs::read(&path).unwrap();
        let check = || {
            let scratch = SpillFiles::open(&folder, 1 << 30).unwrap();
            (0..3u64).all(|unit| {
                let mut into = vec![Pack::default(); 50];
                match scratch.get(OF, unit, &mut into) {
                    Ok(()) => into.iter().zip(lines(5, 50)).all(|(a, b)| a.0 == b.0),
                    Err(error) => error.downcast_ref::<TableError>().is_some(),
                }
            })
        };
        for i in 0..good.len() {
            let mut bad = good.clone();
            bad[i] ^= 1 << (i % 8);
            fs::write(&path, &bad).unwrap();
            assert!(check(), "byte {i}");
            if i % 7 == 0 {
                fs::write(&path, &good[..i]).unwrap();
                assert!(check(), "cut to {i}");
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_limit_is_kept() {
        let folder = folder("limit");
        let scratch = SpillFiles::open(&folder, 1000).unwrap();
        let error = (0..100).find_map(|unit| scratch.put(OF, unit, &lines(unit + 2, 500)).err()).unwrap();
        let error = error.downcast::<TableError>().unwrap();
        assert!(matches!(error.kind, ErrorKind::Limit(1000)), "{error}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
