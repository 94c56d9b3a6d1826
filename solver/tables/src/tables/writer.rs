//! The writer of a table: encodes blocks of entries; the container stores the payloads in order.

use super::blocks::BlockCodec;
use super::header::{Header, counts_of, schema};
use super::manifest::{ArrayInfo, Manifest};
use super::schema::TableError;
use crate::codec::Codec;
use pentago_core::values::{BlockId, BoxError, Entry, Sink, SinkNeeds, SolvedBlock, WdlCounts};
use pentago_store::{PROGRAM, RawArrayInfo, RawManifest, RawSettings, RawWriter, Reason};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The settings of a writer.
pub struct Settings {
    /// The codec of the blocks.
    pub codec: Codec,
    /// The settings that tables of all games share.
    pub file: RawSettings,
}

impl Settings {
    /// Returns settings with 256 MiB for waiting blocks, and without a limit of the file size.
    #[must_use]
    pub fn new(codec: impl Into<Codec>) -> Settings {
        Settings { codec: codec.into(), file: RawSettings::new(PROGRAM) }
    }
}

/// An unfinished table, which takes blocks.
pub struct Writer {
    path: PathBuf,
    manifest: Manifest,
    /// The blocks of the file, numbered over all arrays of the table in order.
    range: Range<u64>,
    /// The first array with blocks in the file.
    first_array: u32,
    blocks: BlockCodec,
    file: RawWriter,
}

impl Writer {
    /// Begins a table. Resumes an unfinished table with the same path, content and settings: its
    /// blocks are checked and kept.
    ///
    /// # Errors
    /// If the path has a finished table or a table with other content, if the content is
    /// impossible, or an error of the operating system.
    pub fn begin(path: &Path, manifest: Manifest, settings: Settings) -> Result<Writer, TableError> {
        let blocks = manifest.first_blocks().1;
        Writer::begin_shard(path, manifest, 0..blocks, settings)
    }

    /// Begins or resumes a shard: the blocks of the table in `range`, numbered over all arrays in
    /// order. `range` must not be empty. The writer takes blocks with the array and block numbers
    /// that they have in the table.
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
        manifest.check().map_err(|e| TableError::new(path, e))?;
        let (first_blocks, _) = manifest.first_blocks();
        let part = |(array, &first): (&ArrayInfo, &u64)| {
            let whole = RawArrayInfo::whole(&array.key, array.grid);
            let in_array = |number: u64| number.saturating_sub(first).min(whole.blocks.end);
            let blocks = in_array(range.start)..in_array(range.end);
            (!blocks.is_empty()).then_some(RawArrayInfo { blocks, ..whole })
        };
        let parts: Vec<Option<_>> = manifest.arrays.iter().zip(&first_blocks).map(part).collect();
        let first_array = parts.iter().take_while(|part| part.is_none()).count() as u32;
        let content = RawManifest {
            schema: schema(codec),
            target: manifest.target.to_bytes().to_vec(),
            slice: manifest.slice.into(),
            arrays: parts.into_iter().flatten().collect(),
        };
        let file = RawWriter::begin(path, content, file)?;
        let blocks = BlockCodec::new(codec, &manifest.target, manifest.slice);
        Ok(Writer { path: path.to_owned(), manifest, range, first_array, blocks, file })
    }

    /// Returns the number of blocks that are written, from the first block on without a gap.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.file.done()
    }

    /// Returns the range of missing blocks, from the first missing block to the block after the
    /// last block of the file.
    #[must_use]
    pub fn missing(&self) -> Range<BlockId> {
        self.manifest.block(self.range.start + self.done())..self.manifest.block(self.range.end)
    }

    /// Returns the number of a block in the file.
    fn number(&self, id: BlockId) -> Result<u64, TableError> {
        // A block of an array before the first has no number either.
        self.file.number(self.array(id), id.block)
    }

    /// Returns the number of a block's array in the file.
    fn array(&self, id: BlockId) -> u32 {
        id.array.checked_sub(self.first_array).unwrap_or(u32::MAX)
    }

    /// Returns the number of blocks of the file.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.file.blocks()
    }

    /// Returns the number of blocks that wait for an earlier block.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.file.waiting()
    }

    /// Sets the limit of waiting encoded blocks in bytes, in place of [`RawSettings::waiting`].
    /// Blocks that wait already stay in memory.
    pub fn let_wait(&self, bytes: usize) {
        self.file.let_wait(bytes);
    }

    /// Counts the values of a block with [`Target::count_block`](super::Target::count_block), and
    /// takes its entries.
    ///
    /// # Errors
    /// As for [`Writer::put_counted`].
    pub fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), TableError> {
        let array = self.manifest.arrays.get(id.array as usize);
        let array = array.filter(|a| id.block < a.grid.blocks() && entries.len() == a.grid.len(id.block));
        // `put_counted` refuses anything that isn't a block of the table.
        let counts = array.map(|array| self.manifest.target.count_block(array, id.block, entries));
        self.put_counted(id, entries, counts.unwrap_or_default())
    }

    /// Takes the entries of a block with its counts. Ignores a block that an earlier run has
    /// written ([`Writer::done`]).
    ///
    /// # Errors
    /// If the table has no such block, if a position is both won and lost, or an error of the
    /// operating system.
    pub fn put_counted(&self, id: BlockId, entries: &[Entry], counts: WdlCounts) -> Result<(), TableError> {
        self.put_block(&SolvedBlock { id, entries, counts, open: None, kept: None })
    }

    /// Takes a solved block, which may have its open bits.
    ///
    /// # Errors
    /// As for [`Writer::put_counted`].
    pub fn put_block(&self, block: &SolvedBlock) -> Result<(), TableError> {
        let &SolvedBlock { id, entries, counts, open, .. } = block;
        let number = self.number(id)?;
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
        self.file.put(self.array(id), id.block, payload, &[wins, draws, losses])
    }

    /// Passes the blocks that are written in order to the operating system, so that they survive
    /// the end of this process.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn flush(&self) -> Result<(), TableError> {
        self.file.flush()
    }

    /// Flushes the blocks that are written in order to the disk, so that they survive a power
    /// failure.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn sync(&self) -> Result<(), TableError> {
        self.file.sync()
    }

    /// Checks that the counts cover all positions, completes the file, and renames it to its final
    /// name.
    ///
    /// # Errors
    /// If blocks are missing, or an error of the operating system. The unfinished table stays, and
    /// can be resumed.
    pub fn finish(self) -> Result<Header, TableError> {
        let error = |reason| TableError::new(&self.path, reason);
        if self.file.done() == self.file.blocks() {
            let counts = self.file.counts();
            let sums = counts.iter().map(|counts| counts_of(counts));
            let arrays = self.manifest.arrays.iter().skip(self.first_array as usize).copied();
            let part = Manifest { arrays: arrays.take(counts.len()).collect(), ..self.manifest };
            let whole = self.range == (0..self.manifest.first_blocks().1);
            let checked = if whole { part.check_counts(sums) } else { part.check_parts(sums) };
            checked.map_err(|e| error(e.into()))?;
        }
        Header::of(&self.file.finish()?).map_err(error)
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("path", &self.path).finish_non_exhaustive()
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
