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
    /// Returns settings with 256 MiB for waiting blocks and no limit on the size of the file.
    #[must_use]
    pub fn new(codec: Codec) -> Settings {
        Settings { codec, file: RawSettings::new(PROGRAM) }
    }
}

/// An unfinished table, which takes blocks.
pub struct Writer {
    path: PathBuf,
    manifest: Manifest,
    /// The range of the file's blocks among the blocks of the whole table.
    range: Range<u64>,
    /// The index of the first array with blocks in the file.
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
        Writer::begin_shard(path, manifest, 0..u64::MAX, settings)
    }

    /// Begins or resumes a shard: `range` selects blocks among all blocks of the table, and must
    /// not be empty. The writer accepts blocks under their array and block indices in the whole
    /// table.
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

    /// Returns the number of blocks of the file.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.file.blocks()
    }

    /// Changes [`RawSettings::waiting`], the limit on waiting payloads in memory, to a number of
    /// bytes. Payloads in memory stay there.
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
        // The file has no array `u32::MAX`.
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

    /// Passes all written blocks to the operating system, so that they survive the end of this
    /// process.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn flush(&self) -> Result<(), TableError> {
        self.file.flush()
    }

    /// Flushes all written blocks to the disk, so that they survive a power failure.
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
