//! A finished table: opened cheaply, read by any number of threads.

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use pentago_store::{Access, RawTable, Reason, Storage, StoreError, longest_packed, unpack};

use super::below::Place;
use super::target::{ArrayKey, ENTRY_BYTES, ENTRY_WORDS, Header, ROTATIONS};
use crate::outcome::Value;

/// Decoded blocks, shared by all tables and threads.
pub(super) type Cache = pentago_store::Cache<u64>;

/// An open table. Its header and directory have been checked; a block is checked whenever it is
/// read.
pub struct Table {
    file: RawTable,
    header: Header,
    keys: Vec<ArrayKey>,
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
        let keys = ArrayKey::all(&header.target.rules);
        Ok(Table { file, header, keys, cache: cache.clone(), id: Cache::number() })
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

    /// Its arrays, in order.
    #[must_use]
    pub fn keys(&self) -> &[ArrayKey] {
        &self.keys
    }

    /// Of an array, at how many boards and rotations the answer is yes.
    #[must_use]
    pub fn count(&self, array: usize) -> u64 {
        self.file.arrays().get(array).map_or(0, |record| record.counts[0])
    }

    /// Positions that a side wins, draws and loses: boards at all their rotations.
    #[must_use]
    pub fn wdl(&self, side: u8) -> [u64; 3] {
        let all = 2 * ROTATIONS * self.header.boards;
        // With two sides, the second one wins what the first one loses.
        let stored = if self.header.target.rules.sides().len() == 2 { 0 } else { side };
        let first = 4 * usize::from(stored);
        let wins = self.count(first) + self.count(first + 1);
        let not_lost = (self.count(first + 2) + self.count(first + 3)).min(all);
        let [wins, draws, losses] = [wins, not_lost.saturating_sub(wins), all - not_lost];
        if stored == side { [wins, draws, losses] } else { [losses, draws, wins] }
    }

    /// Entries of a block that there is.
    pub(super) fn block_len(&self, array: u32, block: u64) -> usize {
        self.file.arrays()[array as usize].array.grid.len(block)
    }

    /// Entries of every block but the last of an array.
    pub(super) fn edge(&self) -> u64 {
        self.file.arrays()[0].array.grid.edges[3].into()
    }

    /// Blocks of each array.
    pub(super) fn blocks(&self) -> u64 {
        self.file.arrays()[0].array.grid.blocks()
    }

    /// The entries of a block, 512 words each.
    ///
    /// # Errors
    /// If there is no such block, or it can't be read, or is damaged.
    pub fn block(&self, array: u32, block: u64) -> Result<Arc<[u64]>, StoreError> {
        let number = self.file.number(array, block)?;
        if let Some(words) = self.cache.get(self.id, number) {
            return Ok(words);
        }
        let bytes = self.block_len(array, block) * ENTRY_BYTES;
        let payload = self.file.payload(array, block, longest_packed(bytes))?;
        let content = unpack(&payload, bytes);
        let content = content.map_err(|e| self.file.error(Reason::Payload(Box::new(e))).of_block(number))?;
        let words: Arc<[u64]> =
            content.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        self.cache.put(self.id, number, &words);
        Ok(words)
    }

    /// The entry of a board: a half super of 512 words, with the block that holds it.
    pub(super) fn entry(&self, array: u32, rank: u64) -> Result<Entry, StoreError> {
        let grid = self.file.arrays()[array as usize].array.grid;
        let index = u32::try_from(rank).ok().filter(|&rank| rank < grid.extents[3]);
        let index = index.ok_or_else(|| self.file.error(Reason::NoSuchBlock(self.header.blocks)))?;
        let (block, place) = grid.locate([0, 0, 0, index]);
        Ok(Entry { words: self.block(array, block)?, first: place * ENTRY_WORDS })
    }

    /// The value for each side at a place, in the order of [`crate::Rules::sides`]; with two sides
    /// of both.
    ///
    /// # Errors
    /// If the blocks can't be read, or contradict each other.
    pub fn values(&self, place: &Place) -> Result<Vec<Value>, StoreError> {
        let mut values = Vec::new();
        for four in 0..self.keys.len() / 4 {
            let array = |not_loses: usize| (4 * four + 2 * not_loses + usize::from(place.phase())) as u32;
            let wins = self.entry(array(0), place.rank)?.get(place.bit());
            let not_loses = self.entry(array(1), place.rank)?.get(place.bit());
            values.push(match (wins, not_loses) {
                (true, true) => Value::Win,
                (false, true) => Value::Draw,
                (false, false) => Value::Loss,
                (true, false) => {
                    return Err(self.file.error(Reason::Inconsistent("a position that is won and lost")));
                }
            });
        }
        if self.header.target.rules.sides().len() == 2 {
            values.push(match values[0] {
                Value::Win => Value::Loss,
                Value::Draw => Value::Draw,
                Value::Loss => Value::Win,
            });
        }
        Ok(values)
    }

    /// Reads every byte and compares all checksums and the hash of the file. `progress` is told the
    /// number of bytes read so far, and can stop it.
    ///
    /// # Errors
    /// The first part that is damaged: the block, if it is one; or [`Reason::Stopped`].
    pub fn verify_hash(&self, progress: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Result<(), StoreError> {
        self.file.verify_hash(progress)
    }

    /// An error of this table.
    pub(super) fn error(&self, reason: Reason) -> StoreError {
        self.file.error(reason)
    }
}

/// A half super of a table.
pub(super) struct Entry {
    words: Arc<[u64]>,
    first: usize,
}

impl Entry {
    /// Its 512 words.
    pub fn words(&self) -> &[u64] {
        &self.words[self.first..self.first + ENTRY_WORDS]
    }

    fn get(&self, bit: usize) -> bool {
        self.words()[bit / 64] >> (bit % 64) & 1 != 0
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
