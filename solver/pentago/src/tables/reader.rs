//! A finished table: opened cheaply, read by any number of threads, checked byte by byte on demand.

use super::TableError;
use super::blocks::BlockCodec;
use super::header::{Header, Record, records_of};
use super::manifest::ArrayKey;
use crate::codec::{CodecError, longest_payload};
use crate::values::{BlockId, Entry, Source};
use pentago_store::{Access, Reason, Storage};
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Decoded blocks, shared by all tables and threads of a process.
pub type Cache = pentago_store::Cache<Entry>;

/// An open table. Its header and directory have been checked; a block is checked whenever it is
/// read.
pub struct Table {
    file: pentago_store::RawTable,
    header: Header,
    records: Vec<Record>,
    blocks: BlockCodec,
    cache: Arc<Cache>,
    /// The number of this table in the cache.
    id: u64,
}

impl Table {
    /// Opens a file. Blocks that are decoded by [`Table::block`] go into the cache.
    ///
    /// # Errors
    /// If it can't be read, or isn't a finished table that this program knows.
    pub fn open(path: &Path, access: Access, cache: Arc<Cache>) -> Result<Table, TableError> {
        Table::of(pentago_store::RawTable::open(path, access)?, cache)
    }

    /// Opens what lies elsewhere; `path` names it in errors.
    ///
    /// # Errors
    /// As for [`Table::open`].
    pub fn new(path: &Path, storage: Box<dyn Storage>, cache: Arc<Cache>) -> Result<Table, TableError> {
        Table::of(pentago_store::RawTable::new(path, storage)?, cache)
    }

    fn of(file: pentago_store::RawTable, cache: Arc<Cache>) -> Result<Table, TableError> {
        let header = Header::of(file.header()).map_err(|reason| file.error(reason))?;
        let records = records_of(&header, file.arrays()).map_err(|reason| file.error(reason))?;
        let blocks = BlockCodec::new(header.codec, header.filter, &header.target, header.slice);
        Ok(Table { file, header, records, blocks, cache, id: Cache::number() })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// What the table is.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The table as the container knows it.
    pub(crate) fn raw(&self) -> &pentago_store::RawTable {
        &self.file
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

    fn decode(&self, id: BlockId, into: &mut [Entry]) -> Result<(), TableError> {
        let payload = self.file.payload(id.array, id.block, longest_payload(into.len()) as u64)?;
        let error = |e: CodecError| self.error_of(id, Reason::Payload(Box::new(e)));
        let array = &self.records[id.array as usize].array;
        self.blocks.decode(array, id.block, &payload, into).map_err(error)
    }

    /// An error of a block that there is.
    fn error_of(&self, id: BlockId, reason: Reason) -> TableError {
        let number = self.file.number(id.array, id.block).unwrap_or(id.block);
        self.file.error(reason).of_block(number)
    }

    /// Entries of a block that there is.
    fn len(&self, id: BlockId) -> usize {
        self.records[id.array as usize].array.grid.len(id.block)
    }

    /// The entries of a block, from the cache if they are there.
    ///
    /// # Errors
    /// If there is no such block, or it can't be read, or is damaged.
    pub fn block(&self, id: BlockId) -> Result<Arc<[Entry]>, TableError> {
        let number = self.file.number(id.array, id.block)?;
        if let Some(block) = self.cache.get(self.id, number) {
            return Ok(block);
        }
        let mut block: Arc<[Entry]> = std::iter::repeat_n(Entry::default(), self.len(id)).collect();
        self.decode(id, Arc::get_mut(&mut block).expect("nobody else has it yet"))?;
        self.cache.put(self.id, number, &block);
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
            return Err(self.file.error(Reason::NoSuchBlock(self.header.blocks)));
        };
        let (block, place) = grid.locate(index);
        Ok(self.block(BlockId { array, block })?[place])
    }

    /// Reads every byte and compares all checksums and the hash of the file. `progress` is told the
    /// number of bytes read so far, and can stop it.
    ///
    /// # Errors
    /// The first part that is damaged: the block, if it is one; or [`Reason::Cancelled`].
    pub fn verify_hash(&self, progress: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Result<(), TableError> {
        self.file.verify_hash(progress)
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("path", &self.path())
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
        self.file.number(id.array, id.block)?;
        if into.len() != self.len(id) {
            let what = "read with a wrong number of entries";
            return Err(self.error_of(id, Reason::WrongBlock(what)));
        }
        self.decode(id, into)
    }
}
