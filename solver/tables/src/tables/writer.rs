//! A table in the making: blocks of entries become payloads; the container keeps them in order.

use super::TableError;
use super::blocks::BlockCodec;
use super::header::{Header, counts_of, schema};
use super::manifest::{ArrayInfo, Manifest};
use crate::codec::Codec;
use pentago_core::values::{BlockId, BoxError, Entry, Sink, SinkNeeds, SolvedBlock, WdlCounts};
use pentago_store::{PROGRAM, RawArrayInfo, RawManifest, RawSettings, RawWriter, Reason};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// How a table is written.
pub struct Settings {
    /// How the blocks are encoded.
    pub codec: Codec,
    /// What holds for tables of all games.
    pub file: RawSettings,
}

impl Settings {
    /// At most 256 MiB wait, and the disk is the limit.
    #[must_use]
    pub fn new(codec: impl Into<Codec>) -> Settings {
        Settings { codec: codec.into(), file: RawSettings::new(PROGRAM) }
    }
}

/// An unfinished table that takes blocks.
pub struct Writer {
    path: PathBuf,
    manifest: Manifest,
    /// The blocks that the file is to hold, counting those of all arrays in order.
    range: Range<u64>,
    /// The first array of which it holds blocks.
    first_array: u32,
    blocks: BlockCodec,
    file: RawWriter,
}

impl Writer {
    /// Begins a table, or continues the one that was begun under this name with the same content
    /// and settings: then the blocks that it has are checked and kept.
    ///
    /// # Errors
    /// If there is such a table already, finished or with other content; if the content is
    /// impossible; or an error of the operating system.
    pub fn begin(path: &Path, manifest: Manifest, settings: Settings) -> Result<Writer, TableError> {
        let blocks = manifest.first_blocks().1;
        Writer::begin_shard(path, manifest, 0..blocks, settings)
    }

    /// The same for a shard of that table: the blocks with these numbers, counting those of all
    /// arrays in order. There must be some. It takes them under the numbers that they have in the
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

    /// The blocks from the first that are written, in their order: those of array 0, then of array
    /// 1...
    #[must_use]
    pub fn done(&self) -> u64 {
        self.file.done()
    }

    /// The blocks that are still to be put, under the numbers that they have in the table: the
    /// first, and the one behind the last.
    #[must_use]
    pub fn missing(&self) -> Range<BlockId> {
        self.manifest.block(self.range.start + self.done())..self.manifest.block(self.range.end)
    }

    /// The number of a block in the file.
    fn number(&self, id: BlockId) -> Result<u64, TableError> {
        // What comes before the first array has no number either.
        self.file.number(self.array(id), id.block)
    }

    /// The number of a block's array in the file.
    fn array(&self, id: BlockId) -> u32 {
        id.array.checked_sub(self.first_array).unwrap_or(u32::MAX)
    }

    /// Blocks of the table.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.file.blocks()
    }

    /// Blocks that have come before their turn.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.file.waiting()
    }

    /// So many bytes of encoded blocks may wait in memory from now on, instead of
    /// [`RawSettings::waiting`]. What waits there already stays.
    pub fn let_wait(&self, bytes: usize) {
        self.file.let_wait(bytes);
    }

    /// Counts the boards of a block, as [`Target::count_block`](super::Target::count_block) does, and takes
    /// its entries.
    ///
    /// # Errors
    /// As for [`Writer::put_counted`].
    pub fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), TableError> {
        let array = self.manifest.arrays.get(id.array as usize);
        let array = array.filter(|a| id.block < a.grid.blocks() && entries.len() == a.grid.len(id.block));
        // What isn't a block of the table is refused there.
        let counts = array.map(|array| self.manifest.target.count_block(array, id.block, entries));
        self.put_counted(id, entries, counts.unwrap_or_default())
    }

    /// Takes the entries of a block whose boards were counted. Blocks that were there already when a
    /// table is continued ([`Writer::done`]) may be put again, which does nothing.
    ///
    /// # Errors
    /// If it isn't a block of the table, a position in it is both won and lost, or an error of the
    /// operating system.
    pub fn put_counted(&self, id: BlockId, entries: &[Entry], counts: WdlCounts) -> Result<(), TableError> {
        self.put_block(&SolvedBlock { id, entries, counts, open: None, kept: None })
    }

    /// The same of a block whose open bits may be known.
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

    /// Gets what is written in order to the operating system, so that it outlives this process.
    ///
    /// # Errors
    /// What the system says.
    pub fn flush(&self) -> Result<(), TableError> {
        self.file.flush()
    }

    /// Gets what is written in order onto the disk, so that it outlives a power failure.
    ///
    /// # Errors
    /// What the system says.
    pub fn sync(&self) -> Result<(), TableError> {
        self.file.sync()
    }

    /// Checks that all positions were counted, completes the file and gives it its name.
    ///
    /// # Errors
    /// If blocks are missing, or an error of the operating system; the unfinished table stays and
    /// can be continued.
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
