//! A table in the making: blocks of entries become payloads; the container keeps them in order.

use super::TableError;
use super::header::{Filter, Header, counts_of, schema};
use super::manifest::{BadManifest, Domain, Manifest, section_of};
use crate::codec::{Level, Predictor, encode, encode_either};
use crate::values::{BlockId, Entry, Sink, WdlCounts};
use pentago_store::Reason;
use std::path::{Path, PathBuf};

/// How a table is written.
pub struct Settings {
    /// What is done to the values of a block first, where it makes them smaller.
    pub filter: Filter,
    /// How small the blocks are made.
    pub level: Level,
    /// Bytes of encoded blocks that may wait in memory for their turn; more wait in a file
    /// `NAME.waiting`.
    pub waiting: usize,
    /// The most bytes that the file may have.
    pub limit: Option<u64>,
    /// The name and version of the program, for the header: at most 32 bytes without control
    /// characters.
    pub program: String,
}

impl Settings {
    /// At most 256 MiB wait, and the disk is the limit.
    #[must_use]
    pub fn new(level: Level) -> Settings {
        let program = concat!("pentago ", env!("CARGO_PKG_VERSION"));
        let pentago_store::RawSettings { waiting, limit, program } = pentago_store::RawSettings::new(program);
        Settings { filter: Filter::Planes, level, waiting, limit, program }
    }
}

/// An unfinished table that takes blocks.
pub struct Writer {
    path: PathBuf,
    manifest: Manifest,
    filter: Filter,
    level: Level,
    predictor: Option<Predictor>,
    file: pentago_store::RawWriter,
}

impl Writer {
    /// Begins a table, or continues the one that was begun under this name with the same content
    /// and settings: then the blocks that it has are checked and kept.
    ///
    /// # Errors
    /// If there is such a table already, finished or with other content; if the content is
    /// impossible; or an error of the operating system.
    pub fn begin(path: &Path, manifest: Manifest, settings: Settings) -> Result<Writer, TableError> {
        let Settings { filter, level, waiting, limit, program } = settings;
        manifest.check().map_err(|e| TableError::new(path, e))?;
        if filter == Filter::Residual && manifest.target.domain != Domain::Game {
            return Err(TableError::new(path, BadManifest("a filter for complete games below a root")));
        }
        let array = |array: &super::ArrayInfo| pentago_store::RawArrayInfo::whole(&array.key, array.grid);
        let content = pentago_store::RawManifest {
            schema: schema(filter, level),
            target: manifest.target.to_bytes().to_vec(),
            slice: manifest.slice.into(),
            arrays: manifest.arrays.iter().map(array).collect(),
        };
        let settings = pentago_store::RawSettings { waiting, limit, program };
        let file = pentago_store::RawWriter::begin(path, content, settings)?;
        let predictor = filter.predictor(&manifest.target, manifest.slice);
        Ok(Writer { path: path.to_owned(), manifest, filter, level, predictor, file })
    }

    /// The blocks from the first that are written, in their order: those of array 0, then of array
    /// 1...
    #[must_use]
    pub fn done(&self) -> u64 {
        self.file.done()
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

    /// Bytes of the file so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    /// Gets what is written in order to the operating system, so that it outlives this process.
    ///
    /// # Errors
    /// What the system says.
    pub fn flush(&self) -> Result<(), TableError> {
        self.file.flush()
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
            self.manifest.check_counts(sums).map_err(|e| error(e.into()))?;
        }
        Header::of(&self.file.finish()?).map_err(error)
    }

    /// The payload of a block.
    fn encode(&self, id: BlockId, entries: &[Entry]) -> Vec<u8> {
        let array = &self.manifest.arrays[id.array as usize];
        let mut payload = Vec::new();
        match &self.predictor {
            None => encode(entries, self.level, &mut payload),
            Some(predictor) => {
                let mut rest = entries.to_vec();
                predictor.exchange(section_of(array.key), &array.grid.ranges(id.block), &mut rest);
                encode_either(entries, &rest, self.level, &mut payload);
            }
        }
        payload
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("path", &self.path)
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}

impl Sink for Writer {
    type Error = TableError;

    /// As [`Sink::put_counted`], and counts them:
    /// [`Target::count_block`](super::Target::count_block).
    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), TableError> {
        let array = &self.manifest.arrays[id.array as usize];
        let counts = self.manifest.target.count_block(array, id.block, entries);
        self.put_counted(id, entries, counts)
    }

    /// Blocks that were there already when a table is continued ([`Writer::done`]) may be put
    /// again, which does nothing.
    fn put_counted(&self, id: BlockId, entries: &[Entry], counts: WdlCounts) -> Result<(), TableError> {
        let number = self.file.number(id.array, id.block)?;
        let array = &self.manifest.arrays[id.array as usize];
        if entries.len() != array.grid.len(id.block) {
            let reason = Reason::WrongBlock("written with a wrong number of entries");
            return Err(TableError::new(&self.path, reason).of_block(id.block));
        }
        if self.file.has(number) {
            return Ok(());
        }
        let WdlCounts { wins, draws, losses } = counts;
        self.file.put(id.array, id.block, self.encode(id, entries), &[wins, draws, losses])
    }
}
