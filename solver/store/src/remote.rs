//! Tables on a web host, read by HTTP range requests.
//!
//! Bytes from a host are checked like bytes from a file. Every part has a checksum, and a damaged
//! part is requested once more. A host that sends anything other than the published tables
//! therefore causes an error, never a wrong value. Only the named host is contacted: a redirect is
//! an error that names the target of the redirect.
//!
//! The list of the folder contains the headers of all tables. Opening a table fetches its end:
//! directory, index and page table in one request if they are small, otherwise without the index.
//! Each look-up of a position then fetches one page of the index and one block. All fetched bytes
//! are cached in memory, and on disk if a cache folder was set; both caches have size limits.

use crate::cache::Cache;
use crate::disk::{self, DiskCache};
use crate::error::StoreError;
use crate::fetch::Fetch;
use crate::folder::{FolderScan, TableFile};
use crate::header::RawHeader;
use crate::listing::{LISTING, ListedFile, parse};
use crate::storage::{Storage, range};
use crate::table::read_header;
use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The maximum size, in bytes, of the end of a table (directory, index and page table) that is
/// fetched in one request.
const SMALL_END: u64 = 1 << 20;

/// The size of the memory cache in bytes.
const KEPT: usize = 64 << 20;

/// The maximum size of a list of tables in bytes.
const LONGEST_LISTING: u64 = 16 << 20;

/// A file on a host.
pub(crate) struct RemoteFile {
    host: Arc<dyn Fetch>,
    /// The fetched bytes of all files of this host, keyed by file and offset.
    kept: Arc<Cache<u8>>,
    disk: Option<Arc<DiskCache>>,
    address: String,
    size: u64,
    /// The hash that the header contains: the hash of all bytes after the header.
    hash: u128,
    /// The bytes of the header and of the target.
    head: Vec<u8>,
    /// The byte ranges at the end of the file that are fetched when the table is opened.
    parts: Vec<Range<u64>>,
    end: OnceLock<Vec<(u64, Vec<u8>)>>,
    /// The identifier of this file in the memory cache.
    number: u64,
}

/// The client that this process uses for hosts, if a client was set.
static FETCH: OnceLock<Arc<dyn Fetch>> = OnceLock::new();

/// Sets the client that fetches bytes from hosts, for the whole process. Returns `false`, without
/// an effect, if a client was set before.
pub fn fetch_with(fetch: Arc<dyn Fetch>) -> bool {
    FETCH.set(fetch).is_ok()
}

/// Returns the client for the tables at an address.
///
/// # Errors
/// If this program was built without an HTTP client and no other client was set.
pub(crate) fn fetch(address: &Path) -> Result<Arc<dyn Fetch>, StoreError> {
    if let Some(fetch) = FETCH.get() {
        return Ok(fetch.clone());
    }
    #[cfg(feature = "http")]
    {
        let http = crate::http::HttpClient::new(crate::http::RetryPolicy::USUAL);
        Ok(Arc::new(http.map_err(|error| StoreError::io(address, "read", error))?))
    }
    #[cfg(not(feature = "http"))]
    {
        let text = "this program was built without support for remote tables (feature `http`)";
        Err(StoreError::io(address, "read", io::Error::new(io::ErrorKind::Unsupported, text)))
    }
}

/// Returns the tables of a folder on a host.
///
/// # Errors
/// If the host can't be reached, or the folder has no valid list.
pub(crate) fn scan(address: &Path) -> Result<FolderScan, StoreError> {
    scan_with(address, fetch(address)?, disk::folder())
}

/// Returns the tables of a folder on a host, fetched by a given client and cached on a given disk.
pub(crate) fn scan_with(
    address: &Path,
    host: Arc<dyn Fetch>,
    disk: Option<Arc<DiskCache>>,
) -> Result<FolderScan, StoreError> {
    let base = address.to_str().unwrap_or_default().trim_end_matches('/');
    let kept = Cache::new(KEPT);
    let listing = format!("{base}/{LISTING}");
    let error = |e| StoreError::io(&crate::shown(Path::new(&listing)), "read", e);
    let bytes = host.whole(&listing, LONGEST_LISTING).map_err(error)?;
    let text = String::from_utf8(bytes).map_err(|e| error(io::Error::new(io::ErrorKind::InvalidData, e)))?;
    let mut scan = FolderScan::default();
    for listed in parse(&text).map_err(error)? {
        let address = format!("{base}/{}", listed.address());
        let ListedFile { path, bytes, head } = listed;
        let path = crate::shown(Path::new(&format!("{base}/{path}")));
        let mut file = RemoteFile {
            host: host.clone(),
            kept: kept.clone(),
            disk: disk.clone(),
            address,
            size: bytes,
            hash: 0,
            head,
            parts: Vec::new(),
            end: OnceLock::new(),
            number: Cache::<u8>::number(),
        };
        match read_header(&path, &file) {
            Ok(header) => {
                file.hash = header.hash;
                file.parts = end_of(&header);
                scan.tables.push(TableFile { path, header, storage: Some(Arc::new(file)) });
            }
            Err(error) => scan.unreadable.push(error),
        }
    }
    scan.tables.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(scan)
}

/// Returns the byte ranges to fetch when a table is opened: the whole end of the file, or only the
/// directory and the page table if the index is large.
fn end_of(header: &RawHeader) -> Vec<Range<u64>> {
    let start = header.directory.offset;
    if header.file_bytes - start <= SMALL_END {
        return std::iter::once(start..header.file_bytes).collect();
    }
    [header.directory, header.pages].map(|part| part.offset..part.offset + part.bytes).to_vec()
}

impl RemoteFile {
    /// Requests several parts of the file from the host concurrently.
    fn ask(&self, parts: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let sent = self.host.parts(&self.address, self.size, parts)?;
        let fits = |(part, bytes): (&Range<u64>, &Vec<u8>)| bytes.len() as u64 == part.end - part.start;
        if sent.len() == parts.len() && parts.iter().zip(&sent).all(fits) {
            Ok(sent)
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }

    /// Returns several parts of the file. A part comes from the disk cache if `again` is `false`
    /// and the cache contains the part. All other parts come from the host.
    fn fetch(&self, parts: &[Range<u64>], again: bool) -> io::Result<Vec<Vec<u8>>> {
        if parts.iter().any(|part| usize::try_from(part.end - part.start).is_err()) {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let from_disk =
            |part| self.disk.as_ref().filter(|_| !again).and_then(|disk| disk.get(self.hash, part));
        let mut found: Vec<Option<Vec<u8>>> = parts.iter().map(from_disk).collect();
        let lacks = parts.iter().zip(&found).filter(|(_, found)| found.is_none());
        let missing: Vec<Range<u64>> = lacks.map(|(part, _)| part.clone()).collect();
        if !missing.is_empty() {
            let sent = self.ask(&missing)?;
            if let Some(disk) = &self.disk {
                for (part, bytes) in missing.iter().zip(&sent) {
                    if again {
                        disk.forget(self.hash, part);
                    }
                    disk.put(self.hash, part, bytes);
                }
            }
            let mut sent = sent.into_iter();
            found.iter_mut().filter(|found| found.is_none()).for_each(|found| *found = sent.next());
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// Fetches `len` bytes of the file from offset `at`, and stores the bytes in the memory cache.
    fn load(&self, at: u64, len: usize, again: bool) -> io::Result<Vec<u8>> {
        range(self.size, at, len)?;
        if len == 0 {
            return Ok(Vec::new());
        }
        let part = at..at + len as u64;
        let bytes = self.fetch(std::slice::from_ref(&part), again)?.pop().unwrap_or_default();
        self.kept.put(self.number, at, &bytes[..].into());
        Ok(bytes)
    }

    /// Returns the parts at the end of the file. The first call fetches these parts concurrently.
    fn end(&self) -> io::Result<&[(u64, Vec<u8>)]> {
        if let Some(end) = self.end.get() {
            return Ok(end);
        }
        let bytes = self.fetch(&self.parts, false)?;
        let end = self.parts.iter().map(|part| part.start).zip(bytes).collect();
        Ok(self.end.get_or_init(|| end))
    }
}

impl Storage for RemoteFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        range(self.size, at, len)?;
        // On 32-bit systems, an offset in the file may exceed `usize`, so compare offsets as 64-bit
        // numbers.
        if let Ok(within) = range(self.head.len() as u64, at, len) {
            return Ok(Cow::Borrowed(&self.head[within]));
        }
        if self.parts.iter().any(|part| part.contains(&at)) {
            let within = |(offset, bytes): &'_ (u64, Vec<u8>)| {
                let from = usize::try_from(at.checked_sub(*offset)?).ok()?;
                (from.checked_add(len)? <= bytes.len()).then_some(from)
            };
            let part = self.end()?.iter().find_map(|part| Some((&part.1, within(part)?)));
            if let Some((bytes, from)) = part {
                return Ok(Cow::Borrowed(&bytes[from..from + len]));
            }
        }
        if let Some(bytes) = self.kept.get(self.number, at).filter(|bytes| bytes.len() == len) {
            return Ok(Cow::Owned(bytes.to_vec()));
        }
        self.load(at, len, false).map(Cow::Owned)
    }

    fn read_through(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        range(self.size, at, len)?;
        let part = at..at + len as u64;
        let bytes = if len == 0 { None } else { self.ask(std::slice::from_ref(&part))?.pop() };
        Ok(Cow::Owned(bytes.unwrap_or_default()))
    }

    fn read_again(&self, at: u64, len: usize) -> Option<io::Result<Vec<u8>>> {
        Some(self.load(at, len, true))
    }
}

impl std::fmt::Debug for RemoteFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteFile").field("address", &self.address).finish_non_exhaustive()
    }
}
