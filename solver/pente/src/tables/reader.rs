//! A finished table: opened cheaply, read by any number of threads.

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use pentago_store::{Access, RawTable, Reason, Storage, StoreError, longest_packed, unpack};

use super::target::Header;
use crate::table::SliceId;

/// Decoded blocks, shared by all tables and threads.
pub(super) type Cache = pentago_store::Cache<u8>;

/// An open table. Its header and directory have been checked; a block is checked whenever it is
/// read.
pub struct Table {
    file: RawTable,
    header: Header,
    cache: Arc<Cache>,
    /// The number of this table in the cache.
    id: u64,
}

impl Table {
    /// Opens a file. Blocks that are decoded are kept within the bytes of the cache.
    ///
    /// # Errors
    /// If it can't be read, or isn't a finished table that this program knows.
    pub fn open(path: &Path, access: Access, cache: &Arc<Cache>) -> Result<Table, StoreError> {
        Table::of(RawTable::open(path, access)?, cache)
    }

    /// Opens what lies elsewhere, and keeps decoded blocks within so many bytes; `path` names it in
    /// errors.
    ///
    /// # Errors
    /// As for [`Table::open`].
    pub fn new(path: &Path, storage: Box<dyn Storage>, cache: usize) -> Result<Table, StoreError> {
        Table::of(RawTable::new(path, storage)?, &Cache::new(cache))
    }

    fn of(file: RawTable, cache: &Arc<Cache>) -> Result<Table, StoreError> {
        let header = Header::of(file.header()).map_err(|reason| file.error(reason))?;
        header.check(file.arrays()).map_err(|reason| file.error(reason))?;
        Ok(Table { file, header, cache: cache.clone(), id: Cache::number() })
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

    /// Its slices, in the order of its arrays.
    #[must_use]
    pub fn slices(&self) -> Vec<SliceId> {
        self.header.layer.slices(&self.header.rules)
    }

    /// The number of the array of a slice.
    #[must_use]
    pub fn array(&self, id: SliceId) -> Option<u32> {
        self.slices().iter().position(|&known| known == id).map(|at| at as u32)
    }

    /// Positions of an array.
    #[must_use]
    pub fn positions(&self, array: u32) -> u64 {
        self.file.arrays().get(array as usize).map_or(0, |record| record.array.grid.entries())
    }

    /// Blocks of an array.
    #[must_use]
    pub fn blocks(&self, array: u32) -> u64 {
        self.file.arrays().get(array as usize).map_or(0, |record| record.array.grid.blocks())
    }

    /// Positions of an array that are won, drawn and lost.
    #[must_use]
    pub fn wdl(&self, array: u32) -> [u64; 3] {
        let counts = self.file.arrays().get(array as usize).map(|record| &record.counts[..]);
        [0, 1, 2].map(|i| counts.and_then(|c| c.get(i)).copied().unwrap_or(0))
    }

    /// A block: the codes of its positions, four in a byte from the lowest bits on.
    ///
    /// # Errors
    /// If there is no such block, or it can't be read, or is damaged.
    pub fn block(&self, array: u32, block: u64) -> Result<Arc<[u8]>, StoreError> {
        let number = self.file.number(array, block)?;
        if let Some(bytes) = self.cache.get(self.id, number) {
            return Ok(bytes);
        }
        let len = self.file.arrays()[array as usize].array.grid.len(block);
        let payload = self.file.payload(array, block, longest_packed(len.div_ceil(4)))?;
        let error = |reason| self.file.error(reason).of_block(number);
        let bytes = unpack(&payload, len.div_ceil(4)).map_err(|e| error(Reason::Payload(Box::new(e))))?;
        if len % 4 != 0 && bytes[len / 4] >> (2 * (len % 4)) != 0 {
            return Err(error(Reason::Inconsistent("codes behind the last position")));
        }
        let bytes: Arc<[u8]> = bytes.into();
        self.cache.put(self.id, number, &bytes);
        Ok(bytes)
    }

    /// The code at a place of an array: 1 lost, 2 drawn, 3 won for the side to move; 0 where no
    /// game leads.
    ///
    /// # Errors
    /// If there is no such place, or its block can't be read, or is damaged.
    pub fn code(&self, array: u32, place: u64) -> Result<u8, StoreError> {
        let missing = || self.file.error(Reason::NoSuchBlock(self.header.blocks));
        let grid = self.file.arrays().get(array as usize).ok_or_else(missing)?.array.grid;
        let index = u32::try_from(place).ok().filter(|&index| index < grid.extents[3]);
        let (block, at) = grid.locate([0, 0, 0, index.ok_or_else(missing)?]);
        Ok(self.block(array, block)?[at / 4] >> (2 * (at % 4)) & 3)
    }

    /// All codes of an array, four in a byte.
    ///
    /// # Errors
    /// As for [`Table::block`].
    pub fn codes(&self, array: u32) -> Result<Vec<u8>, StoreError> {
        let mut bytes = Vec::with_capacity(self.positions(array).div_ceil(4) as usize);
        let edge = self.file.arrays().get(array as usize).map_or(4, |record| record.array.grid.edges[3]);
        if edge % 4 == 0 {
            for block in 0..self.blocks(array) {
                bytes.extend_from_slice(&self.block(array, block)?);
            }
            return Ok(bytes);
        }
        // Blocks of another writer that don't end with whole bytes.
        bytes.resize(bytes.capacity(), 0);
        for place in 0..self.positions(array) {
            bytes[(place / 4) as usize] |= self.code(array, place)? << (2 * (place % 4));
        }
        Ok(bytes)
    }

    /// Reads every byte and compares all checksums and the hash of the file. `progress` is told the
    /// number of bytes read so far, and can stop it.
    ///
    /// # Errors
    /// The first part that is damaged: the block, if it is one; or [`Reason::Cancelled`].
    pub fn verify_hash(&self, progress: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Result<(), StoreError> {
        self.file.verify_hash(progress)
    }

    /// An error of this table.
    pub(super) fn error(&self, reason: Reason) -> StoreError {
        self.file.error(reason)
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
