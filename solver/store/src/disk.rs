//! A disk cache for parts of remote tables, which persists between runs of a program.
//!
//! Each part is one file. The file name is the part's byte range in its table; the folder name is
//! the table's hash. Cached parts are verified by checksums like parts that a host sends, and a
//! damaged part is requested again. An unreadable or read-only cache folder is therefore harmless:
//! the parts are then requested from the hosts.

use crate::storage::open_file;
use pentago_base::lock;
use std::fs;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

/// The divisor of the limit: each time a process has written a 16th of the limit, the process
/// measures the cache folder again.
const UNSEEN: u64 = 16;

/// A folder of cached parts of tables.
#[derive(Debug)]
pub(crate) struct DiskCache {
    folder: PathBuf,
    /// The maximum size of all files in bytes.
    limit: u64,
    /// The number of bytes that may be written before the folder is measured again.
    room: Mutex<u64>,
}

/// The cache folder of this process, if one was set.
static FOLDER: OnceLock<Arc<DiskCache>> = OnceLock::new();

/// Sets the folder in which this process caches the bytes that hosts send, and the maximum size of
/// the folder in bytes. Returns `false`, without an effect, if a folder was set before.
pub fn keep_in(folder: &Path, bytes: u64) -> bool {
    FOLDER.set(Arc::new(DiskCache::new(folder, bytes))).is_ok()
}

/// Returns the cache folder of this process, or `None` if no folder was set. Without the feature
/// `http`, as in a browser page, there is no disk, so the result is always `None`.
pub(crate) fn folder() -> Option<Arc<DiskCache>> {
    FOLDER.get().filter(|_| cfg!(feature = "http")).cloned()
}

/// Returns the name of the file that caches this byte range of a table.
fn name(part: &Range<u64>) -> String {
    format!("{}-{}", part.start, part.end)
}

impl DiskCache {
    pub fn new(folder: &Path, limit: u64) -> DiskCache {
        DiskCache { folder: folder.to_owned(), limit, room: Mutex::new(0) }
    }

    /// Returns the folder that contains the cached parts of the table with this hash.
    fn of_table(&self, hash: u128) -> PathBuf {
        self.folder.join(format!("{hash:032x}"))
    }

    /// Returns a part of the table with this hash, or `None` if the part isn't cached.
    pub fn get(&self, hash: u128, part: &Range<u64>) -> Option<Vec<u8>> {
        let mut file = open_file(&self.of_table(hash).join(name(part))).ok()?;
        let len = part.end - part.start;
        let mut bytes = Vec::new();
        // Read one byte more than expected, to detect a file that is too long.
        Read::take(&mut file, len + 1).read_to_end(&mut bytes).ok()?;
        // Parts are evicted in the order of their modification times, so each read updates the
        // time.
        let _ = file.set_modified(SystemTime::now());
        (bytes.len() as u64 == len).then_some(bytes)
    }

    /// Caches a part if the part is at most a 16th of the limit and the folder has room. Ignores
    /// errors, because the cache is optional.
    pub fn put(&self, hash: u128, part: &Range<u64>, bytes: &[u8]) {
        let len = bytes.len() as u64;
        if len > self.limit / UNSEEN {
            return;
        }
        {
            let mut room = lock(&self.room);
            if *room < len {
                *room = self.make_room();
            }
            let Some(left) = room.checked_sub(len) else { return };
            *room = left;
        }
        let _ = self.write(&self.of_table(hash), &name(part), bytes);
    }

    /// Writes a file under a temporary name, then renames the file. After a power failure the file
    /// may be too short or contain wrong bytes. Readers detect such a file by its length or by the
    /// checksum.
    fn write(&self, folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(".").suffix(".new").tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.persist(folder.join(name))?;
        Ok(())
    }

    /// Removes the cached parts that overlap a byte range.
    pub fn forget(&self, hash: u128, part: &Range<u64>) {
        for file in files(&self.of_table(hash)) {
            let overlaps = |name: &str| {
                let (start, end) = name.split_once('-')?;
                Some(start.parse::<u64>().ok()? < part.end && part.start < end.parse().ok()?)
            };
            if file.file_name().and_then(|name| overlaps(name.to_str()?)) == Some(true) {
                let _ = fs::remove_file(file);
            }
        }
    }

    /// Removes the least recently used parts until the folder takes at most three quarters of the
    /// limit. Returns the number of bytes that may be written before the next call.
    fn make_room(&self) -> u64 {
        let of_table = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit())
        };
        let tables: Vec<PathBuf> = files(&self.folder).filter(of_table).collect();
        let about = |path: PathBuf| {
            let about = fs::symlink_metadata(&path).ok()?;
            Some((about.modified().ok()?, about.len(), path))
        };
        let mut found: Vec<_> = tables.iter().flat_map(|table| files(table)).filter_map(about).collect();
        found.sort();
        let mut sum: u64 = found.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in found {
            if sum <= self.limit - self.limit / 4 {
                break;
            }
            if fs::remove_file(path).is_ok() {
                sum -= bytes;
            }
        }
        // Remove the empty folders. `remove_dir` fails for all other folders and leaves them
        // unchanged.
        tables.iter().for_each(|table| drop(fs::remove_dir(table)));
        self.limit.saturating_sub(sum).min(self.limit / UNSEEN)
    }
}

/// Lists the entries of a folder. An unreadable folder counts as empty.
fn files(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_kept_than_may_be() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("not ours"), [0; 5000]).expect("written");
        let cache = DiskCache::new(folder.path(), 16_000);
        let part = |n: u64| 1000 * n..1000 * n + 900;
        for n in 0..100 {
            cache.put(u128::from(n % 3), &part(n), &[n as u8; 900]);
            assert_eq!(cache.get(u128::from(n % 3), &part(n)), Some(vec![n as u8; 900]));
            let sum: u64 = (0..3)
                .flat_map(|hash| files(&cache.of_table(hash)))
                .map(|path| fs::metadata(path).expect("there").len())
                .sum();
            assert!(sum <= 16_000, "{sum}");
        }
        let kept = (0..100).filter(|&n| cache.get(u128::from(n % 3), &part(n)).is_some()).count();
        assert!((10..=17).contains(&kept), "{kept}");
        // Another table, and another range of the same table, are not cached.
        assert_eq!((cache.get(7, &part(99)), cache.get(0, &(0..99_900))), (None, None));
        // A part that is larger than a 16th of the limit isn't cached.
        cache.put(0, &(0..1001), &[1; 1001]);
        assert_eq!(cache.get(0, &(0..1001)), None);
        cache.forget(0, &(99_100..99_101));
        assert_eq!(cache.get(0, &part(99)), None);
        assert!(folder.path().join("not ours").exists());
    }

    #[test]
    fn a_folder_that_cannot_be_written_keeps_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        fs::write(&file, "").expect("written");
        let cache = DiskCache::new(&file, 1 << 20);
        cache.put(0, &(0..3), b"abc");
        assert_eq!(cache.get(0, &(0..3)), None);
        // A truncated file is not returned.
        let cache = DiskCache::new(folder.path(), 1 << 20);
        cache.put(0, &(0..3), b"abc");
        fs::write(cache.of_table(0).join("0-3"), "ab").expect("written");
        assert_eq!(cache.get(0, &(0..3)), None);
    }
}
