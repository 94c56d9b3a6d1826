//! Writes tables. The writer encodes blocks of entries, and the container format stores the
//! payloads in order.

use super::blocks::BlockCodec;
use super::header::{Header, counts_of, schema};
use super::manifest::{ArrayInfo, Manifest};
use super::schema::TableError;
use crate::codec::Codec;
use pentago_core::values::{BlockId, BoxError, Entry, Sink, SinkNeeds, SolvedBlock, WdlCounts};
use pentago_store::{PROGRAM, RawArrayInfo, RawManifest, RawSettings, RawWriter, Reason};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The settings for writing a table.
pub struct Settings {
    /// The codec that encodes the blocks.
    pub codec: Codec,
    /// The settings that tables of all games share.
    pub file: RawSettings,
}

impl Settings {
    /// Returns the default settings: 256 MiB for payloads that wait in memory.
    pub fn new(codec: Codec) -> Settings {
        Settings { codec, file: RawSettings::new(PROGRAM) }
    }
}

/// A writer for an unfinished table or shard.
pub struct Writer {
    path: PathBuf,
    manifest: Manifest,
    /// The index range of the file's blocks. Indices count the blocks of the whole table.
    range: Range<u64>,
    /// The index of the first array that has blocks in the file.
    first_array: u32,
    blocks: BlockCodec,
    file: RawWriter,
}

impl Writer {
    /// Begins a table. If an unfinished table has the same path, manifest and settings, resumes
    /// this table: its blocks are checked and kept.
    ///
    /// # Errors
    /// If there is a finished table or another unfinished table at the path, if the manifest is
    /// impossible, or if the operating system reports an error.
    pub fn begin(path: &Path, manifest: Manifest, settings: Settings) -> Result<Writer, TableError> {
        Writer::begin_shard(path, manifest, 0..u64::MAX, settings)
    }

    /// Begins or resumes a shard, which contains the blocks whose index is in `range`. The indices
    /// count all blocks of the whole table, and `range` must not be empty. The writer identifies a
    /// block by its array and block indices in the whole table.
    ///
    /// # Errors
    /// As for [`Writer::begin`].
    pub fn begin_shard(
        path: &Path,
        manifest: Manifest,
        range: Range<u64>,
        settings: Settings,
    ) -> Result<Writer, TableError> {
        let Settings { codec, file } = settings;
        let whole = |array: &ArrayInfo| RawArrayInfo::whole(&array.key, array.grid);
        let mut content = RawManifest {
            schema: schema(codec),
            target: manifest.target.to_bytes().to_vec(),
            slice: manifest.slice.into(),
            arrays: manifest.arrays.iter().map(whole).collect(),
        };
        let checked = content.check().and_then(|()| manifest.check());
        checked.map_err(|reason| TableError::new(path, reason))?;
        let (first_blocks, _) = content.first_blocks();
        for (array, first) in content.arrays.iter_mut().zip(&first_blocks) {
            let in_array = |number: u64| number.saturating_sub(*first).min(array.blocks.end);
            array.blocks = in_array(range.start)..in_array(range.end);
        }
        let first_array = content.arrays.iter().take_while(|array| array.blocks.is_empty()).count() as u32;
        content.arrays.retain(|array| !array.blocks.is_empty());
        let file = RawWriter::begin(path, content, file)?;
        let blocks = BlockCodec::new(codec, &manifest.target, manifest.slice);
        let range = range.start..range.end.min(manifest.first_blocks().1);
        Ok(Writer { path: path.to_owned(), manifest, range, first_array, blocks, file })
    }

    /// Returns the number of blocks that precede the first missing block of the file.
    pub fn done(&self) -> u64 {
        self.file.done()
    }

    /// Returns the range from the first missing block to the end of the file's blocks. Blocks
    /// within the range may be written already.
    pub fn missing(&self) -> Range<BlockId> {
        self.manifest.block(self.range.start + self.done())..self.manifest.block(self.range.end)
    }

    /// Returns the number of blocks that the finished file will have.
    pub fn blocks(&self) -> u64 {
        self.file.blocks()
    }

    /// Sets [`RawSettings::waiting`], the limit on payloads that wait in memory, in bytes. Payloads
    /// that already wait in memory are not moved.
    pub fn let_wait(&self, bytes: usize) {
        self.file.let_wait(bytes);
    }

    /// Writes a block. Counts its wins, draws and losses with
    /// [`Target::count_block`](super::Target::count_block).
    ///
    /// # Errors
    /// As for [`Writer::put_counted`].
    pub fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), TableError> {
        let array = self.manifest.arrays.get(id.array as usize);
        let array = array.filter(|a| id.block < a.grid.blocks() && entries.len() == a.grid.len(id.block));
        // If there is no such block, pass default counts: `put_counted` returns the error.
        let counts = array.map(|array| self.manifest.target.count_block(array, id.block, entries));
        self.put_counted(id, entries, counts.unwrap_or_default())
    }

    /// Writes a block, whose wins, draws and losses are given in `counts`. Ignores a block that an
    /// earlier run has written ([`Writer::done`]).
    ///
    /// # Errors
    /// If the table has no such block, if a position is both won and lost, or if the operating
    /// system reports an error.
    pub fn put_counted(&self, id: BlockId, entries: &[Entry], counts: WdlCounts) -> Result<(), TableError> {
        self.put_block(&SolvedBlock { id, entries, counts, open: None, kept: None })
    }

    /// Writes a block from the solver, which may include the open bits of the block.
    ///
    /// # Errors
    /// As for [`Writer::put_counted`].
    pub fn put_block(&self, block: &SolvedBlock) -> Result<(), TableError> {
        let &SolvedBlock { id, entries, counts, open, .. } = block;
        // If the array precedes the first array of the file, use the index `u32::MAX`. No file has
        // such an array, so the next call returns an error.
        let in_file = id.array.checked_sub(self.first_array).unwrap_or(u32::MAX);
        let number = self.file.number(in_file, id.block)?;
        let array = &self.manifest.arrays[id.array as usize];
        if entries.len() != array.grid.len(id.block) {
            let reason = Reason::WrongBlock("written with a wrong number of entries");
            return Err(TableError::new(&self.path, reason).of_block(id.block));
        }
        if self.file.has(number) {
            return Ok(());
        }
        let payload = self.blocks.encode(array, id.block, entries, open).map_err(|_| {
            let reason = Reason::WrongBlock("written with a position that is won and lost");
            TableError::new(&self.path, reason).of_block(id.block)
        })?;
        let WdlCounts { wins, draws, losses } = counts;
        self.file.put(in_file, id.block, payload, &[wins, draws, losses])
    }

    /// Passes all written blocks to the operating system, so that the blocks survive the end of
    /// this process.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn flush(&self) -> Result<(), TableError> {
        self.file.flush()
    }

    /// Flushes all written blocks to the disk, so that the blocks survive a power failure.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn sync(&self) -> Result<(), TableError> {
        self.file.sync()
    }

    /// Completes the file, and renames it to its final name. First checks that the wins, draws and
    /// losses add up to the number of positions.
    ///
    /// # Errors
    /// If blocks are missing, if the counts are wrong, or if the operating system reports an error.
    /// The unfinished table stays, and can be resumed.
    pub fn finish(self) -> Result<Header, TableError> {
        let error = |reason| TableError::new(&self.path, reason);
        if self.file.done() == self.file.blocks() {
            let counts = self.file.counts();
            let sums = counts.iter().map(|counts| counts_of(counts));
            let arrays = self.manifest.arrays.iter().skip(self.first_array as usize).copied();
            let part = Manifest { arrays: arrays.take(counts.len()).collect(), ..self.manifest };
            let whole = self.range == (0..self.manifest.first_blocks().1);
            part.check_counts(sums, !whole).map_err(error)?;
        }
        Header::of(&self.file.finish()?).map_err(error)
    }
}

impl Sink for Writer {
    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), BoxError> {
        Ok(Writer::put(self, id, entries)?)
    }

    fn put_solved(&self, block: SolvedBlock) -> Result<(), BoxError> {
        Ok(self.put_block(&block)?)
    }

    fn needs(&self) -> SinkNeeds {
        SinkNeeds { counts_alone: false, open_bits: self.blocks.wants_open_bits() }
    }
}
