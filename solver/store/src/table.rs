//! A finished table without knowledge of its game: cheap to open, readable by any number of
//! threads, verified on demand.

use crate::bytes::checksum;
use crate::directory::{self, RawRecord};
use crate::error::{Reason, StoreError};
use crate::header::{FilePart, RawHeader};
use crate::index::PageTable;
use crate::layout::{EXTENSION, HEADER_BYTES};
use crate::manifest::MAX_PAYLOAD_BYTES;
use crate::storage::{self, Access, Storage};
use pentago_base::lock;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use twox_hash::XxHash3_128;

/// An open table in one file. The header, target, directory and page table have been checked. A
/// page of the block index is checked on first use, and a payload on every read.
#[derive(Debug)]
pub struct RawTable {
    path: PathBuf,
    storage: Arc<dyn Storage>,
    header: RawHeader,
    records: Vec<RawRecord>,
    pages: PageTable,
    /// One bit per index page, set after the page was verified. Used only for tables in memory.
    checked: Vec<AtomicU64>,
    /// The most recently read index pages, which have been verified. Used only for tables that are
    /// not in memory.
    recent: Mutex<VecDeque<(usize, Arc<[u8]>)>>,
}

/// The maximum number of cached index pages, of 16 kB each. Tables in memory have no such cache.
const RECENT_PAGES: usize = 16;

/// The maximum size, in bytes, of the blocks that one read verifies together. Tables in memory are
/// verified block by block instead. Large reads save round trips to a host.
const STRETCH: u64 = 4 << 20;

const TOO_LONG: Reason = Reason::Inconsistent("the payload is too long for its block");

/// Reads and checks the header and the target of a file.
pub(crate) fn read_header(path: &Path, storage: &dyn Storage) -> Result<RawHeader, StoreError> {
    let size = storage.size();
    let first = read(path, storage, 0, size.min(HEADER_BYTES as u64))?;
    let error = |reason| StoreError::new(path, reason);
    let (mut header, target) = RawHeader::from_bytes(&first, size).map_err(|reason| match reason {
        Reason::Unfinished if path.extension() == Some(EXTENSION.as_ref()) => error(Reason::Emptied),
        reason => error(reason),
    })?;
    let bytes = read(path, storage, target.offset, target.bytes)?;
    if checksum(&bytes) != target.checksum {
        return Err(error(Reason::Damaged("target")));
    }
    header.target = bytes.into_owned();
    Ok(header)
}

fn read<'a>(path: &Path, from: &'a dyn Storage, at: u64, len: u64) -> Result<Cow<'a, [u8]>, StoreError> {
    let error = |e| StoreError::io(path, "read", e);
    let len = usize::try_from(len).map_err(|_| error(std::io::ErrorKind::OutOfMemory.into()))?;
    from.read(at, len).map_err(error)
}

/// Reads a range. If `is_right` rejects the bytes and a second read could return different bytes,
/// reads the range once more.
fn checked<'a>(
    path: &Path,
    from: &'a dyn Storage,
    at: u64,
    len: u64,
    is_right: impl Fn(&[u8]) -> bool,
) -> Result<Cow<'a, [u8]>, StoreError> {
    let bytes = read(path, from, at, len)?;
    if is_right(&bytes) {
        return Ok(bytes);
    }
    match from.read_again(at, bytes.len()) {
        None => Ok(bytes),
        Some(again) => again.map(Cow::Owned).map_err(|e| StoreError::io(path, "read", e)),
    }
}

impl RawTable {
    /// Opens a table file. Opening a table of 10^8 blocks takes some milliseconds and a few
    /// megabytes of memory.
    ///
    /// # Errors
    /// If the file can't be read, or isn't a finished table that this program supports.
    pub fn open(path: &Path, access: Access) -> Result<RawTable, StoreError> {
        let storage = storage::open(path, access).map_err(|e| StoreError::io(path, "open", e))?;
        RawTable::new(path, storage)
    }

    /// Opens a table in any storage. Error messages name the table by `path`.
    ///
    /// # Errors
    /// The same errors as [`RawTable::open`].
    pub fn new(path: &Path, storage: Arc<dyn Storage>) -> Result<RawTable, StoreError> {
        let header = read_header(path, &*storage)?;
        let error = |reason| StoreError::new(path, reason);
        let part = |part: FilePart| {
            checked(path, &*storage, part.offset, part.bytes, |bytes| checksum(bytes) == part.checksum)
        };
        let records = directory::from_bytes(&part(header.directory)?, &header).map_err(error)?;
        let pages = PageTable::from_bytes(&part(header.pages)?, &header).map_err(error)?;
        let words = if storage.is_memory() { pages.len().div_ceil(64) } else { 0 };
        let checked = (0..words).map(|_| AtomicU64::new(0)).collect();
        let recent = Mutex::default();
        Ok(RawTable { path: path.to_owned(), storage, header, records, pages, checked, recent })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the header of the table.
    pub fn header(&self) -> &RawHeader {
        &self.header
    }

    /// Returns the arrays, sorted by their keys.
    pub fn arrays(&self) -> &[RawRecord] {
        &self.records
    }

    /// Returns the index of an array's block among all blocks of the file.
    ///
    /// # Errors
    /// If the table doesn't contain the block.
    pub fn number(&self, array: u32, block: u64) -> Result<u64, StoreError> {
        let record = self.records.get(array as usize).filter(|r| r.array.blocks.contains(&block));
        let number = record.map(|r| r.first_block + (block - r.array.blocks.start));
        number.ok_or_else(|| self.error(Reason::NoSuchBlock(self.header.blocks)).of_block(block))
    }

    /// Returns the byte range of an array's payloads in the file.
    ///
    /// # Errors
    /// If the table doesn't contain the array, or the block index can't be read or is damaged.
    pub fn payloads(&self, array: u32) -> Result<Range<u64>, StoreError> {
        let blocks = self.records.get(array as usize).map_or(0..0, |record| record.array.blocks.clone());
        let first = self.place(self.number(array, blocks.start)?)?;
        let last = self.place(self.number(array, blocks.end.saturating_sub(1))?)?;
        Ok(first.offset..last.offset + last.bytes)
    }

    /// Returns the byte range of a payload, after checking the index page that contains the
    /// payload's record.
    fn place(&self, number: u64) -> Result<FilePart, StoreError> {
        let page = PageTable::page_of(number);
        let error = |e: StoreError| e.of_block(number);
        if !self.storage.is_memory() {
            let bytes = self.page(page).map_err(error)?;
            return Ok(self.pages.place(number, &bytes));
        }
        let (offset, len) = self.pages.range(page);
        let bytes = read(&self.path, &*self.storage, offset, len as u64).map_err(error)?;
        let (word, bit) = (self.checked.get(page / 64), 1 << (page % 64));
        if word.is_none_or(|word| word.load(Ordering::Relaxed) & bit == 0) {
            self.pages.check(page, &bytes).map_err(|reason| error(self.error(reason)))?;
            if let Some(word) = word {
                word.fetch_or(bit, Ordering::Relaxed);
            }
        }
        Ok(self.pages.place(number, &bytes))
    }

    /// Returns a checked page of the block index, from the recent pages or from the storage. Used
    /// only for tables that are not in memory.
    fn page(&self, page: usize) -> Result<Arc<[u8]>, StoreError> {
        let recent = || lock(&self.recent);
        if let Some((_, bytes)) = recent().iter().find(|(known, _)| *known == page) {
            return Ok(bytes.clone());
        }
        let (offset, len) = self.pages.range(page);
        let is_right = |bytes: &[u8]| self.pages.check(page, bytes).is_ok();
        let bytes = checked(&self.path, &*self.storage, offset, len as u64, is_right)?;
        self.pages.check(page, &bytes).map_err(|reason| self.error(reason))?;
        let bytes: Arc<[u8]> = bytes[..].into();
        let mut recent = recent();
        recent.truncate(RECENT_PAGES - 1);
        recent.push_front((page, bytes.clone()));
        Ok(bytes)
    }

    /// Announces that the payload of a block will be read soon.
    ///
    /// # Errors
    /// If the table doesn't contain the block, or the index page of the block can't be read or is
    /// damaged.
    pub fn ahead(&self, array: u32, block: u64) -> Result<(), StoreError> {
        if !self.storage.is_memory() {
            let place = self.place(self.number(array, block)?)?;
            self.storage.ahead(place.offset, place.bytes as usize);
        }
        Ok(())
    }

    /// Returns the payload of a block after verifying its checksum. `longest` is the maximum size
    /// of the payload in bytes, which the schema defines.
    ///
    /// # Errors
    /// If the table doesn't contain the block, or the block can't be read, is damaged or exceeds
    /// `longest`.
    pub fn payload(&self, array: u32, block: u64, longest: u64) -> Result<Cow<'_, [u8]>, StoreError> {
        let number = self.number(array, block)?;
        let place = self.place(number)?;
        let error = |reason| self.error(reason).of_block(number);
        if place.bytes > longest.min(MAX_PAYLOAD_BYTES) {
            return Err(error(TOO_LONG));
        }
        let is_right = |bytes: &[u8]| checksum(bytes) == place.checksum;
        let payload = checked(&self.path, &*self.storage, place.offset, place.bytes, is_right);
        let payload = payload.map_err(|e| e.of_block(number))?;
        if checksum(&payload) != place.checksum {
            return Err(error(Reason::Damaged("block")));
        }
        Ok(payload)
    }

    /// Returns the byte ranges of block `number` and of the following blocks that one read verifies
    /// together.
    fn stretch(&self, number: u64) -> Result<Vec<FilePart>, StoreError> {
        // Verify tables in memory block by block, so that each block stays in the CPU's cache.
        let most = if self.storage.is_memory() { 0 } else { STRETCH };
        let (mut places, mut bytes) = (Vec::new(), 0);
        for number in number..self.header.blocks {
            let place = self.place(number)?;
            if place.bytes > MAX_PAYLOAD_BYTES {
                return Err(self.error(TOO_LONG).of_block(number));
            }
            bytes += place.bytes;
            if bytes > most && !places.is_empty() {
                break;
            }
            places.push(place);
        }
        Ok(places)
    }

    /// Reads consecutive payloads and verifies their checksums. `number` is the index of the first
    /// block.
    fn payloads_of(&self, number: u64, places: &[FilePart]) -> Result<Cow<'_, [u8]>, StoreError> {
        let io_error = |e| StoreError::io(&self.path, "read", e).of_block(number);
        let (start, len) = (places[0].offset, places.iter().map(|place| place.bytes).sum::<u64>());
        let len = usize::try_from(len).map_err(|_| io_error(std::io::ErrorKind::OutOfMemory.into()))?;
        let read = || self.storage.read_through(start, len).map_err(io_error);
        let wrong = |bytes: &[u8]| {
            let at = |place: &FilePart| (place.offset - start) as usize;
            places.iter().position(|p| checksum(&bytes[at(p)..][..p.bytes as usize]) != p.checksum)
        };
        let mut bytes = read()?;
        if wrong(&bytes).is_some() {
            bytes = read()?;
        }
        match wrong(&bytes) {
            None => Ok(bytes),
            Some(at) => Err(self.error(Reason::Damaged("block")).of_block(number + at as u64)),
        }
    }

    /// Reads every byte, and verifies all checksums and the hash of the file. `progress` receives
    /// the number of bytes read so far, and cancels by returning `Break`.
    ///
    /// # Errors
    /// The error names the first damaged part, and the block if this part is a block. After a
    /// cancellation, the error is [`Reason::Cancelled`].
    pub fn verify_hash(&self, progress: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Result<(), StoreError> {
        let mut hasher = XxHash3_128::new();
        let mut done = HEADER_BYTES as u64;
        let mut hash = |bytes: &[u8]| {
            hasher.write(bytes);
            done += bytes.len() as u64;
            match progress(done) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(self.error(Reason::Cancelled)),
            }
        };
        // The header of a table on a host comes from the list of the host, so compare the header
        // with the file.
        let head = HEADER_BYTES + self.header.target.len();
        let differs = || Ok(self.storage.read_through(0, head)? != self.storage.read(0, head)?);
        let differs = || differs().map_err(|e| StoreError::io(&self.path, "read", e));
        if differs()? && differs()? {
            return Err(self.error(Reason::Damaged("header")));
        }
        hash(&self.header.target)?;
        let mut number = 0;
        while number < self.header.blocks {
            let places = self.stretch(number)?;
            hash(&self.payloads_of(number, &places)?)?;
            number += places.len() as u64;
        }
        let part = |part: FilePart, what| {
            let bytes = read(&self.path, &*self.storage, part.offset, part.bytes)?;
            if checksum(&bytes) == part.checksum { Ok(bytes) } else { Err(self.error(Reason::Damaged(what))) }
        };
        hash(&part(self.header.directory, "directory")?)?;
        for page in 0..self.pages.len() {
            let (offset, len) = self.pages.range(page);
            let bytes = read(&self.path, &*self.storage, offset, len as u64)?;
            self.pages.check(page, &bytes).map_err(|reason| self.error(reason))?;
            hash(&bytes)?;
        }
        hash(&part(self.header.pages, "page table")?)?;
        if hasher.finish_128() == self.header.hash {
            Ok(())
        } else {
            Err(self.error(Reason::Damaged("file")))
        }
    }

    /// Creates an error that names this table.
    pub fn error(&self, reason: Reason) -> StoreError {
        StoreError::new(&self.path, reason)
    }
}
