//! A finished table: opened cheaply, read by any number of threads, checked byte by byte on demand.

use super::cache::Cache;
use super::error::{ErrorKind, TableError};
use super::header::{HEADER_BYTES, Header, IndexRecord, Record, checksum, directory_from, index_from};
use super::manifest::{ArrayKey, section_of};
use super::storage;
use super::storage::{Access, Storage};
use crate::codec::{CodecError, Coded, Predictor, check, decode, longest_payload};
use crate::values::{BlockId, Entry, Source};
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use twox_hash::XxHash3_128;

/// An open table. Its header, directory and block index have been checked; a block is checked whenever it is read.
pub struct Table {
    path: PathBuf,
    storage: Box<dyn Storage>,
    header: Header,
    records: Vec<Record>,
    places: Vec<IndexRecord>,
    predictor: Option<Predictor>,
    cache: Arc<Cache>,
    /// The number of this table in the cache.
    id: u64,
}

/// Reads and checks the header of a file.
pub(super) fn read_header(path: &Path, storage: &dyn Storage) -> Result<Header, TableError> {
    let size = storage.size();
    if size < HEADER_BYTES as u64 {
        let kind = if size == 0 { ErrorKind::Unfinished } else { ErrorKind::NotATable };
        return Err(TableError::new(path, kind));
    }
    let bytes = read(path, storage, 0, HEADER_BYTES as u64)?;
    let bytes = bytes[..].try_into().expect("as many bytes as were asked for");
    Header::from_bytes(bytes, size).map_err(|kind| TableError::new(path, kind))
}

fn read<'a>(path: &Path, from: &'a dyn Storage, at: u64, len: u64) -> Result<Cow<'a, [u8]>, TableError> {
    from.read(at, len as usize).map_err(|e| TableError::io(path, "read", e))
}

impl Table {
    /// Opens a file. Blocks that are decoded by [`Table::block`] go into the cache.
    ///
    /// # Errors
    /// If it can't be read, or isn't a finished table that this program knows.
    pub fn open(path: &Path, access: Access, cache: Arc<Cache>) -> Result<Table, TableError> {
        let storage = storage::open(path, access).map_err(|e| TableError::io(path, "open", e))?;
        Table::new(path, storage, cache)
    }

    /// Opens what lies elsewhere; `path` names it in errors.
    ///
    /// # Errors
    /// As for [`Table::open`].
    pub fn new(path: &Path, storage: Box<dyn Storage>, cache: Arc<Cache>) -> Result<Table, TableError> {
        static TABLES: AtomicU64 = AtomicU64::new(0);
        let header = read_header(path, &*storage)?;
        let error = |kind| TableError::new(path, kind);
        let part = |part: super::header::FilePart| read(path, &*storage, part.offset, part.bytes);
        let records = directory_from(&part(header.directory)?, &header).map_err(error)?;
        let places = index_from(&part(header.index)?, &header).map_err(error)?;
        let id = TABLES.fetch_add(1, Ordering::Relaxed);
        let predictor = header.filter.predictor(&header.target, header.slice);
        Ok(Table { path: path.to_owned(), storage, header, records, places, predictor, cache, id })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the table is.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Its arrays, in order.
    #[must_use]
    pub fn arrays(&self) -> &[Record] {
        &self.records
    }

    /// The number of the array with this key.
    #[must_use]
    pub fn array(&self, key: &ArrayKey) -> Option<u32> {
        self.records.binary_search_by(|r| r.array.key.cmp(key)).ok().map(|at| at as u32)
    }

    /// The number in the file of a block.
    ///
    /// # Errors
    /// If there is no such block.
    fn number(&self, id: BlockId) -> Result<u64, TableError> {
        let record = self.records.get(id.array as usize).filter(|r| id.block < r.array.grid.blocks());
        let first = record.map(|r| r.first_block);
        first
            .map(|first| first + id.block)
            .ok_or_else(|| self.error(ErrorKind::NoSuchBlock(self.header.blocks)).of_block(id.block))
    }

    /// The array that a block of the file belongs to, and its number there.
    fn place(&self, number: u64) -> (&Record, u64) {
        let record = &self.records[self.records.partition_point(|r| r.first_block <= number) - 1];
        (record, number - record.first_block)
    }

    /// Entries of a block of the file.
    fn len(&self, number: u64) -> usize {
        let (record, block) = self.place(number);
        record.array.grid.len(block)
    }

    /// The checked payload of a block of the file.
    fn payload(&self, number: u64, entries: usize) -> Result<Cow<'_, [u8]>, TableError> {
        let place = self.places[number as usize];
        let end =
            self.places.get(number as usize + 1).map_or(self.header.directory.offset, |next| next.offset);
        let error = |kind| self.error(kind).of_block(number);
        let len = end - place.offset;
        if len > longest_payload(entries) as u64 {
            return Err(error(ErrorKind::Inconsistent("the payload is too long for its block")));
        }
        let payload = read(&self.path, &*self.storage, place.offset, len).map_err(|e| e.of_block(number))?;
        if checksum(&payload) != place.checksum {
            return Err(error(ErrorKind::Damaged("block")));
        }
        Ok(payload)
    }

    fn decode(&self, number: u64, into: &mut [Entry]) -> Result<(), TableError> {
        let payload = self.payload(number, into.len())?;
        let error = |e| self.error(ErrorKind::Codec(e)).of_block(number);
        if decode(&payload, into).map_err(error)? == Coded::Rest {
            let predictor = self.predictor.as_ref().ok_or_else(|| error(CodecError::Tag(payload[0])))?;
            let (Record { array, .. }, block) = self.place(number);
            predictor.exchange(section_of(array.key), &array.grid.ranges(block), into);
        }
        check(into).map_err(error)
    }

    /// The entries of a block, from the cache if they are there.
    ///
    /// # Errors
    /// If there is no such block, or it can't be read, or is damaged.
    pub fn block(&self, id: BlockId) -> Result<Arc<[Entry]>, TableError> {
        let number = self.number(id)?;
        if let Some(block) = self.cache.get((self.id, number)) {
            return Ok(block);
        }
        let mut block: Arc<[Entry]> = std::iter::repeat_n(Entry::default(), self.len(number)).collect();
        self.decode(number, Arc::get_mut(&mut block).expect("nobody else has it yet"))?;
        self.cache.put((self.id, number), &block);
        Ok(block)
    }

    /// One entry, through the cache.
    ///
    /// # Errors
    /// As for [`Table::block`]; if the index is outside the array there is no such block.
    pub fn entry(&self, array: u32, index: [u32; 4]) -> Result<Entry, TableError> {
        let grid = self.records.get(array as usize).map(|r| r.array.grid);
        let inside = grid.filter(|g| index.iter().zip(g.extents).all(|(&i, n)| i < n));
        let Some(grid) = inside else {
            return Err(self.error(ErrorKind::NoSuchBlock(self.header.blocks)));
        };
        let (block, place) = grid.locate(index);
        Ok(self.block(BlockId { array, block })?[place])
    }

    /// Reads every byte and compares all checksums and the hash of the file. `progress` is given the number of bytes read
    /// so far.
    ///
    /// # Errors
    /// The first part that is damaged: the block, if it is one.
    pub fn verify_hash(&self, progress: &mut dyn FnMut(u64)) -> Result<(), TableError> {
        let mut hasher = XxHash3_128::new();
        let mut done = HEADER_BYTES as u64;
        let mut hash = |bytes: &[u8]| {
            hasher.write(bytes);
            done += bytes.len() as u64;
            progress(done);
        };
        for number in 0..self.header.blocks {
            hash(&self.payload(number, self.len(number))?);
        }
        for (part, what) in [(self.header.directory, "directory"), (self.header.index, "block index")] {
            let bytes = read(&self.path, &*self.storage, part.offset, part.bytes)?;
            if checksum(&bytes) != part.checksum {
                return Err(self.error(ErrorKind::Damaged(what)));
            }
            hash(&bytes);
        }
        if hasher.finish_128() != self.header.hash {
            return Err(self.error(ErrorKind::Damaged("file")));
        }
        Ok(())
    }

    fn error(&self, kind: ErrorKind) -> TableError {
        TableError::new(&self.path, kind)
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("path", &self.path)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.cache.forget(self.id);
    }
}

impl Source for Table {
    type Error = TableError;

    /// Past the cache: a solver reads each block once or twice.
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), TableError> {
        let number = self.number(id)?;
        if into.len() != self.len(number) {
            return Err(self
                .error(ErrorKind::WrongBlock("read with a wrong number of entries"))
                .of_block(number));
        }
        self.decode(number, into)
    }
}
