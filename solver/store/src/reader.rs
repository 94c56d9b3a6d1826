//! A finished table of a game: cheap to open, readable by any number of threads, verified on
//! demand.

use crate::cache::Cache;
use crate::error::{Reason, StoreError};
use crate::header::RawHeader;
use crate::schema::Schema;
use crate::shards::{Gap, Shards};
use crate::storage::{Access, Storage};
use crate::table::RawTable;
use pentago_base::{BlockId, Grid};
use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An open table, in one file or in several shards. The header and the directory have been checked.
/// Each block is checked when it is read.
pub struct Table<S: Schema> {
    shards: Shards,
    header: S::Header,
    schema: S,
    records: Vec<S::Record>,
    cache: Arc<Cache<S::Item>>,
    /// The identifier of this table in the cache.
    id: u64,
}

impl<S: Schema> Table<S> {
    /// Opens a table in a single file. Decoded blocks are stored in the cache.
    ///
    /// # Errors
    /// If the file can't be read, or isn't a finished table that this program supports.
    pub fn open(path: &Path, access: Access, cache: Arc<Cache<S::Item>>) -> Result<Table<S>, StoreError> {
        Table::of(RawTable::open(path, access)?, cache)
    }

    /// Opens a table in any storage. Error messages name the table by `path`.
    ///
    /// # Errors
    /// The same errors as [`Table::open`].
    pub fn new(
        path: &Path,
        storage: Arc<dyn Storage>,
        cache: Arc<Cache<S::Item>>,
    ) -> Result<Table<S>, StoreError> {
        Table::of(RawTable::new(path, storage)?, cache)
    }

    /// Opens several shards as one table. An array is left out if no shard contains some block of
    /// the array. [`Table::gaps`] lists the omitted arrays.
    ///
    /// # Errors
    /// The same errors as [`Table::open`]. Also an error if the files aren't shards of one table,
    /// or if two files contain the same block.
    ///
    /// # Panics
    /// If `paths` is empty.
    pub fn open_shards(
        paths: &[PathBuf],
        access: Access,
        cache: Arc<Cache<S::Item>>,
    ) -> Result<Table<S>, StoreError> {
        let open = |path: &PathBuf| RawTable::open(path, access);
        Table::together(paths.iter().map(open).collect::<Result<_, StoreError>>()?, cache)
    }

    /// Opens shards in any storage as one table. Error messages name the shards by these paths.
    ///
    /// # Errors
    /// The same errors as [`Table::open_shards`].
    ///
    /// # Panics
    /// If `shards` is empty.
    pub fn of_shards(
        shards: Vec<(PathBuf, Arc<dyn Storage>)>,
        cache: Arc<Cache<S::Item>>,
    ) -> Result<Table<S>, StoreError> {
        let open = |(path, storage): (PathBuf, _)| RawTable::new(&path, storage);
        Table::together(shards.into_iter().map(open).collect::<Result<_, StoreError>>()?, cache)
    }

    fn of(file: RawTable, cache: Arc<Cache<S::Item>>) -> Result<Table<S>, StoreError> {
        let table = Table::together(vec![file], cache)?;
        if table.gaps().is_empty() { Ok(table) } else { Err(table.error(Reason::Shard)) }
    }

    fn together(files: Vec<RawTable>, cache: Arc<Cache<S::Item>>) -> Result<Table<S>, StoreError> {
        files.iter().try_for_each(|file| read_parts::<S>(file).map(|_| ()))?;
        let shards = Shards::join(files)?;
        let error = |reason| shards.files[0].error(reason);
        let header = S::header(&shards.header).map_err(error)?;
        let records = S::records(&header, &shards.records, false).map_err(error)?;
        let schema = S::of(&header);
        Ok(Table { shards, header, schema, records, cache, id: Cache::<S::Item>::number() })
    }

    /// Returns the path of the file, or of the first of several shards.
    pub fn path(&self) -> &Path {
        self.raw().path()
    }

    /// Returns the hash of each file of the table.
    pub fn hashes(&self) -> impl Iterator<Item = u128> {
        self.shards.files.iter().map(|file| file.header().hash)
    }

    /// Returns the path of each file of the table.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.shards.files.iter().map(RawTable::path)
    }

    /// Returns the arrays with blocks that no shard contains. [`Table::arrays`] doesn't include
    /// these arrays.
    pub fn gaps(&self) -> &[Gap] {
        &self.shards.gaps
    }

    /// Returns the decoded header of the table.
    pub fn header(&self) -> &S::Header {
        &self.header
    }

    /// Returns the untyped table of the file, or of the first of several shards.
    pub fn raw(&self) -> &RawTable {
        &self.shards.files[0]
    }

    /// Returns the untyped header of the table, or of all shards together.
    pub(crate) fn raw_header(&self) -> &RawHeader {
        &self.shards.header
    }

    /// Returns the arrays, sorted by their keys.
    pub fn arrays(&self) -> &[S::Record] {
        &self.records
    }

    /// Returns the index of the array with this key, or `None` if no array has this key.
    pub fn array(&self, key: &[u8]) -> Option<u32> {
        self.shards.records.binary_search_by(|r| (*r.array.key).cmp(key)).ok().map(|at| at as u32)
    }

    /// Returns the grid of an array, or `None` if there is no such array.
    pub fn grid(&self, array: u32) -> Option<Grid> {
        self.shards.records.get(array as usize).map(|record| record.array.grid)
    }

    /// Finds the entry with index `number` among the entries of all arrays. Returns the index of
    /// the array and the index of the entry in that array, or `None` if `number` is too large.
    pub fn locate(&self, number: u64) -> Option<(u32, u64)> {
        let mut place = number;
        for (array, record) in (0..).zip(&self.shards.records) {
            match place.checked_sub(record.array.grid.entries()) {
                Some(rest) => place = rest,
                None => return Some((array, place)),
            }
        }
        None
    }

    /// Returns the numbers of positions that are a win, a draw and a loss for the side to move.
    pub fn wdl(&self) -> [u64; 3] {
        S::wdl(&self.header, &self.records)
    }

    /// Returns the payload of a block after verifying its checksum.
    ///
    /// # Errors
    /// If the table doesn't contain the block, or the block can't be read or is damaged.
    pub fn payload(&self, id: BlockId) -> Result<Cow<'_, [u8]>, StoreError> {
        let (file, array) = self.shards.find(id).ok_or_else(|| self.no_such_block(id))?;
        file.payload(array, id.block, S::longest_payload(self.len(id)))
    }

    /// Prefetches the payload of a block. Ignores errors, because the later read reports them.
    pub fn ahead(&self, id: BlockId) {
        if let Some((file, array)) = self.shards.find(id) {
            let _ = file.ahead(array, id.block);
        }
    }

    /// Decodes a payload to the items of a block, and stores the items in `into`. The payload need
    /// not come from this table's file.
    ///
    /// # Errors
    /// If the table doesn't contain the block, or `payload` isn't the payload of this block.
    pub fn decode(&self, id: BlockId, payload: &[u8], into: &mut [S::Item]) -> Result<(), StoreError> {
        self.number(id)?;
        if into.len() != S::items(self.len(id)) {
            let wrong = Reason::WrongBlock("read with a wrong number of entries");
            return Err(self.shards.error(id, wrong));
        }
        self.decode_first(id, payload, into)
    }

    /// Decodes a block. If `into` is too short for the block and the codec supports partial
    /// decoding, decodes only the first entries.
    fn decode_first(&self, id: BlockId, payload: &[u8], into: &mut [S::Item]) -> Result<(), StoreError> {
        let decoded = self.schema.decode(&self.records[id.array as usize], id.block, payload, into);
        decoded.map_err(|reason| self.shards.error(id, reason))
    }

    /// Returns the index of a block among all blocks of the joined table.
    fn number(&self, id: BlockId) -> Result<u64, StoreError> {
        let record = self.shards.records.get(id.array as usize);
        let record = record.filter(|record| record.array.blocks.contains(&id.block));
        record.map(|record| record.first_block + id.block).ok_or_else(|| self.no_such_block(id))
    }

    fn no_such_block(&self, id: BlockId) -> StoreError {
        self.shards.error(id, Reason::NoSuchBlock(self.raw_header().blocks))
    }

    /// Returns the number of entries in an existing block.
    fn len(&self, id: BlockId) -> usize {
        self.shards.records[id.array as usize].array.grid.len(id.block)
    }

    /// Returns the items of a block, from the cache if possible.
    ///
    /// # Errors
    /// If the table doesn't contain the block, or the block can't be read or is damaged.
    pub fn block(&self, id: BlockId) -> Result<Arc<[S::Item]>, StoreError> {
        self.number(id)?;
        self.first(id, self.len(id))
    }

    /// Returns the items of at least the first `count` entries of a block, from the cache if
    /// possible. If the schema allows partial decoding, the first request decodes only `count`
    /// entries, and a later request for more entries decodes the whole block.
    ///
    /// # Errors
    /// The same errors as [`Table::block`].
    ///
    /// # Panics
    /// If the block has fewer than `count` entries.
    pub fn first(&self, id: BlockId, count: usize) -> Result<Arc<[S::Item]>, StoreError> {
        let number = self.number(id)?;
        let all = self.len(id);
        assert!(count <= all, "the block has fewer entries");
        let known = self.cache.get(self.id, number);
        let is_first = known.is_none();
        if let Some(items) = known.filter(|items| items.len() >= S::items(count)) {
            return Ok(items);
        }
        let count = S::items(if is_first && self.schema.stops_early() { count } else { all });
        let mut items: Arc<[S::Item]> = std::iter::repeat_n(S::Item::default(), count).collect();
        let payload = self.payload(id)?;
        let into = Arc::get_mut(&mut items).expect("nobody else has it yet");
        self.decode_first(id, &payload, into)?;
        // If another thread has cached more entries of this block in the meantime, return those
        // entries.
        if let Some(longer) = self.cache.get(self.id, number).filter(|known| known.len() > count) {
            return Ok(longer);
        }
        self.cache.put(self.id, number, &items);
        Ok(items)
    }

    /// Returns one entry. Reads the entry's block from the cache if possible.
    ///
    /// # Errors
    /// The same errors as [`Table::block`]. If the index is outside of the array, the error is
    /// [`Reason::NoSuchBlock`].
    pub fn entry(&self, array: u32, index: [u32; 4]) -> Result<S::Entry, StoreError> {
        let inside = self.grid(array).filter(|g| index.iter().zip(g.extents).all(|(&i, n)| i < n));
        let Some(grid) = inside else {
            return Err(self.error(Reason::NoSuchBlock(self.raw_header().blocks)));
        };
        let (block, place) = grid.locate(index);
        Ok(S::entry(&self.first(BlockId { array, block }, place + 1)?, place))
    }

    /// Returns entry number `place`, counted from 0, of an array that is a list.
    ///
    /// # Errors
    /// The same errors as [`Table::entry`].
    pub fn entry_of_list(&self, array: u32, place: u64) -> Result<S::Entry, StoreError> {
        self.entry(array, [0, 0, 0, u32::try_from(place).unwrap_or(u32::MAX)])
    }

    /// Reads every byte, and verifies all checksums and the hashes of all files. `progress`
    /// receives the number of bytes read so far, and cancels by returning `Break`.
    ///
    /// # Errors
    /// The error names the first damaged part, and the block if this part is a block. After a
    /// cancellation, the error is [`Reason::Cancelled`].
    pub fn verify_hash(&self, progress: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Result<(), StoreError> {
        let mut before = 0;
        for file in &self.shards.files {
            file.verify_hash(&mut |bytes| progress(before + bytes))?;
            before += file.header().file_bytes;
        }
        Ok(())
    }

    /// Returns the size of all files in bytes.
    pub fn file_bytes(&self) -> u64 {
        self.raw_header().file_bytes
    }

    /// Creates an error that names this table.
    pub fn error(&self, reason: Reason) -> StoreError {
        self.raw().error(reason)
    }
}

/// Reads the header and the directory records of one file. The file may be a shard, whose arrays
/// may lack blocks.
///
/// # Errors
/// If the file can't be read, or isn't a finished table that this program supports.
pub fn read_shard<S: Schema>(path: &Path) -> Result<(S::Header, Vec<S::Record>), StoreError> {
    read_parts::<S>(&RawTable::open(path, Access::Read)?)
}

fn read_parts<S: Schema>(file: &RawTable) -> Result<(S::Header, Vec<S::Record>), StoreError> {
    let error = |reason| file.error(reason);
    let header = S::header(file.header()).map_err(error)?;
    let parts = S::records(&header, file.arrays(), true).map_err(error)?;
    Ok((header, parts))
}

impl<S: Schema> fmt::Debug for Table<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("path", &self.path())
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

impl<S: Schema> Drop for Table<S> {
    fn drop(&mut self) {
        self.cache.forget(self.id);
    }
}
