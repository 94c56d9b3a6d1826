//! A finished table: opened cheaply, read by any number of threads, checked byte by byte on demand.

use super::TableError;
use super::blocks::BlockCodec;
use super::files::{Gap, TableFiles};
use super::header::{Header, Record};
use super::manifest::ArrayKey;
use crate::codec::{CodecError, longest_payload};
use crate::values::{BlockId, Entry, Source};
use pentago_store::{Access, Reason, Storage};
use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Decoded blocks, shared by all tables and threads of a process.
pub type Cache = pentago_store::Cache<Entry>;

/// An open table: a file, or shards that are one together. Its header and directory have been
/// checked; a block is checked whenever it is read.
pub struct Table {
    files: TableFiles,
    header: Header,
    records: Vec<Record>,
    gaps: Vec<Gap>,
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

    /// Opens shards as the table that they are together. What they don't hold to the last block is
    /// left out ([`Table::gaps`]).
    ///
    /// # Errors
    /// As for [`Table::open`]; if they aren't shards of one table, or have blocks in common.
    ///
    /// # Panics
    /// If there are none.
    pub fn open_shards(paths: &[PathBuf], access: Access, cache: Arc<Cache>) -> Result<Table, TableError> {
        let open = |path: &PathBuf| pentago_store::RawTable::open(path, access);
        let files = paths.iter().map(open).collect::<Result<Vec<_>, TableError>>()?;
        Table::together(files, cache)
    }

    /// The same for shards that lie elsewhere; the paths name them in errors.
    ///
    /// # Errors
    /// As for [`Table::open_shards`].
    ///
    /// # Panics
    /// If there are none.
    pub fn of_shards(
        shards: Vec<(PathBuf, Box<dyn Storage>)>,
        cache: Arc<Cache>,
    ) -> Result<Table, TableError> {
        let open = |(path, storage): (PathBuf, _)| pentago_store::RawTable::new(&path, storage);
        let files = shards.into_iter().map(open).collect::<Result<Vec<_>, TableError>>()?;
        Table::together(files, cache)
    }

    fn of(file: pentago_store::RawTable, cache: Arc<Cache>) -> Result<Table, TableError> {
        let table = Table::together(vec![file], cache)?;
        if table.gaps.is_empty() { Ok(table) } else { Err(table.files.first().error(Reason::Shard)) }
    }

    fn together(files: Vec<pentago_store::RawTable>, cache: Arc<Cache>) -> Result<Table, TableError> {
        let (files, header, records, gaps) = TableFiles::new(files)?;
        let blocks = BlockCodec::new(header.codec, &header.target, header.slice);
        Ok(Table { files, header, records, gaps, blocks, cache, id: Cache::number() })
    }

    /// The file; of several, the first.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.files.first().path()
    }

    /// The hashes of all files.
    pub fn hashes(&self) -> impl Iterator<Item = u128> {
        self.files.hashes()
    }

    /// All files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.paths()
    }

    /// The arrays of which shards hold some blocks, but not all: they are none of
    /// [`Table::arrays`].
    #[must_use]
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// What the table is.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The table as the container knows it; of several shards, the first.
    pub(crate) fn raw(&self) -> &pentago_store::RawTable {
        self.files.first()
    }

    /// The checked payload of a block.
    ///
    /// # Errors
    /// If there is no such block, or it can't be read, or is damaged.
    pub fn payload(&self, id: BlockId) -> Result<Cow<'_, [u8]>, TableError> {
        self.number(id)?;
        self.files.payload(id, longest_payload(self.len(id)) as u64)
    }

    /// Fills `into` with the entries of a block from its payload, wherever that comes from.
    ///
    /// # Errors
    /// If there is no such block, or it isn't its payload.
    pub fn decode(&self, id: BlockId, payload: &[u8], into: &mut [Entry]) -> Result<(), TableError> {
        self.number(id)?;
        if into.len() != self.len(id) {
            return Err(self.files.error(id, Reason::WrongBlock("read with a wrong number of entries")));
        }
        self.decode_first(id, payload, into)
    }

    /// The same for the first entries, if the codec stops early.
    fn decode_first(&self, id: BlockId, payload: &[u8], into: &mut [Entry]) -> Result<(), TableError> {
        let error = |e: CodecError| self.files.error(id, Reason::Payload(Box::new(e)));
        let array = &self.records[id.array as usize].array;
        self.blocks.decode(array, id.block, payload, into).map_err(error)
    }

    /// The number of a block, counting those of all arrays in order.
    fn number(&self, id: BlockId) -> Result<u64, TableError> {
        let record = self.records.get(id.array as usize).filter(|r| id.block < r.array.grid.blocks());
        let number = record.map(|record| record.first_block + id.block);
        number.ok_or_else(|| self.files.error(id, Reason::NoSuchBlock(self.header.blocks)))
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

    /// Entries of a block that there is.
    fn len(&self, id: BlockId) -> usize {
        self.records[id.array as usize].array.grid.len(id.block)
    }

    /// The entries of a block, from the cache if they are there.
    ///
    /// # Errors
    /// If there is no such block, or it can't be read, or is damaged.
    pub fn block(&self, id: BlockId) -> Result<Arc<[Entry]>, TableError> {
        self.number(id)?;
        self.first(id, self.len(id))
    }

    /// The first entries of a block, at least `count`, from the cache if they are there. Where the
    /// codec stops early, no more are decoded than were asked for; who asks for more later gets all.
    ///
    /// # Errors
    /// As for [`Table::block`].
    ///
    /// # Panics
    /// If the block has fewer.
    pub fn first(&self, id: BlockId, count: usize) -> Result<Arc<[Entry]>, TableError> {
        let number = self.number(id)?;
        let all = self.len(id);
        assert!(count <= all, "the block has fewer entries");
        let known = self.cache.get(self.id, number);
        let is_first = known.is_none();
        if let Some(block) = known.filter(|block| block.len() >= count) {
            return Ok(block);
        }
        let count = if is_first && self.blocks.stops_early() { count } else { all };
        let mut block: Arc<[Entry]> = std::iter::repeat_n(Entry::default(), count).collect();
        let payload = self.payload(id)?;
        self.decode_first(id, &payload, Arc::get_mut(&mut block).expect("nobody else has it yet"))?;
        // Another thread may have got more meanwhile.
        if let Some(longer) = self.cache.get(self.id, number).filter(|known| known.len() > count) {
            return Ok(longer);
        }
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
            return Err(self.files.first().error(Reason::NoSuchBlock(self.header.blocks)));
        };
        let (block, place) = grid.locate(index);
        Ok(self.first(BlockId { array, block }, place + 1)?[place])
    }

    /// Reads every byte and compares all checksums and the hash of the file. `progress` is told the
    /// number of bytes read so far, and can stop it.
    ///
    /// # Errors
    /// The first part that is damaged: the block, if it is one; or [`Reason::Cancelled`].
    pub fn verify_hash(&self, progress: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Result<(), TableError> {
        self.files.verify_hash(progress)
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
        let payload = self.payload(id)?;
        self.decode(id, &payload, into)
    }

    fn ahead(&self, id: BlockId) {
        self.files.ahead(id);
    }
}
