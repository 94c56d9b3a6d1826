//! A table in the making: blocks come in any order from any thread, the file is the same byte for byte.
//!
//! The file is `NAME.part` until it is finished. Payloads are appended in the order of the blocks; one that comes before its turn waits. A
//! journal beside it says which blocks are there, so that a writer that was killed at any moment, or ran out of disk, goes
//! on behind the last good block. Finishing adds directory, index and header, gets everything onto the disk, and gives
//! the file its name.

use super::error::{ErrorKind, TableError};
use super::header::{FilePart, Filter, HEADER_BYTES, Header, IndexRecord, Record, checksum};
use super::journal::Found;
use super::manifest::{BadManifest, Domain, Manifest, section_of};
use super::reorder::{Encoded, ReorderBuffer};
use super::{header, journal};
use crate::codec::{Level, Predictor, encode, encode_either};
use crate::values::{BlockId, Entry, Sink, WdlCounts};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use twox_hash::XxHash3_128;

/// Counts the positions of a block.
pub type Count = Box<dyn Fn(BlockId, &[Entry]) -> WdlCounts + Send + Sync>;

/// How a table is written.
pub struct Settings {
    /// What is done to the values of a block first, where it makes them smaller.
    pub filter: Filter,
    /// How small the blocks are made.
    pub level: Level,
    /// How the positions of a block are counted, by whoever is faster at it than [`Target::count_block`]; the results must be the same.
    pub count: Option<Count>,
    /// Bytes of encoded blocks that may wait in memory for their turn; more wait in a file `NAME.waiting`.
    pub waiting: usize,
    /// The most bytes that the file may have.
    pub limit: Option<u64>,
    /// The name and version of the program, for the header: at most 32 bytes without control characters.
    pub program: String,
}

impl Settings {
    /// At most 256 MiB wait, and the disk is the limit.
    #[must_use]
    pub fn new(level: Level) -> Settings {
        Settings {
            filter: Filter::Planes,
            level,
            count: None,
            waiting: 256 << 20,
            limit: None,
            program: concat!("pentago ", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

/// An unfinished table that takes blocks.
pub struct Writer {
    path: PathBuf,
    manifest: Manifest,
    settings: Settings,
    predictor: Option<Predictor>,
    first_blocks: Vec<u64>,
    blocks: u64,
    state: Mutex<WriterState>,
}

/// The files, and what is in them.
struct WriterState {
    part: BufWriter<File>,
    journal: BufWriter<File>,
    places: Vec<IndexRecord>,
    /// Of each array.
    counts: Vec<WdlCounts>,
    /// Where the next payload goes.
    end: u64,
    /// Of all bytes behind the header.
    hasher: XxHash3_128,
    waiting: ReorderBuffer,
    failed: bool,
}

/// `path` with `suffix` appended to its name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// The unfinished table, its journal, and the blocks that wait.
pub(super) fn working_files(path: &Path) -> [PathBuf; 3] {
    [".part", ".journal", ".waiting"].map(|suffix| beside(path, suffix))
}

impl Writer {
    /// Begins a table, or goes on with the one that was begun under this name with the same content and settings: then
    /// the blocks that it has are checked and kept.
    ///
    /// # Errors
    /// If there is such a table already, finished or with other content; if the content is impossible; or what the system says.
    pub fn begin(path: &Path, manifest: Manifest, settings: Settings) -> Result<Writer, TableError> {
        manifest.check().map_err(|e| TableError::new(path, e))?;
        if settings.filter == Filter::Residual && manifest.target.domain != Domain::Game {
            return Err(TableError::new(path, BadManifest("a filter for complete games below a root")));
        }
        if settings.program.len() > header::PROGRAM_BYTES || settings.program.contains(char::is_control) {
            return Err(TableError::new(path, BadManifest("the program's name is too long, or isn't text")));
        }
        let [part_path, journal_path, waiting_path] = working_files(path);
        if path.try_exists().map_err(|e| TableError::io(path, "look for", e))? {
            // All that can be left of a finished one.
            let _ = fs::remove_file(&journal_path);
            return Err(TableError::new(path, ErrorKind::Exists));
        }
        let (first_blocks, blocks) = manifest.first_blocks();
        let identity = identity(&manifest, &settings);
        let open = |path: &Path| {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false).open(path)
        };
        let on = |path: &Path, action| {
            let path = path.to_owned();
            move |e| TableError::io(&path, action, e)
        };
        let mut part = open(&part_path).map_err(on(&part_path, "create"))?;
        let mut journal = open(&journal_path).map_err(on(&journal_path, "create"))?;

        let mut hasher = XxHash3_128::new();
        let lens = manifest.arrays.iter().flat_map(|a| (0..a.grid.blocks()).map(|block| a.grid.len(block)));
        let found = journal::read(&mut journal, &mut part, identity, lens, |payload| hasher.write(payload));
        let kept = match found.map_err(on(&part_path, "read"))? {
            Found::Blocks(blocks) => blocks,
            Found::Nothing => Vec::new(),
            Found::Foreign => return Err(TableError::new(&part_path, ErrorKind::Foreign)),
        };
        let mut state = WriterState {
            part: BufWriter::with_capacity(1 << 20, part),
            journal: BufWriter::with_capacity(1 << 14, journal),
            places: Vec::with_capacity(kept.len()),
            counts: vec![WdlCounts::default(); manifest.arrays.len()],
            end: HEADER_BYTES as u64,
            hasher,
            waiting: ReorderBuffer::new(settings.waiting, waiting_path),
            failed: false,
        };
        for (number, (place, len, counts)) in (0..).zip(kept) {
            state.counts[array_of(&first_blocks, number)] += counts;
            state.places.push(place);
            state.end += len;
        }
        state.start(identity).map_err(on(&part_path, "write"))?;
        Ok(Writer {
            path: path.to_owned(),
            predictor: settings.filter.predictor(&manifest.target, manifest.slice),
            manifest,
            settings,
            first_blocks,
            blocks,
            state: Mutex::new(state),
        })
    }

    /// The blocks from the first that are written, in their order: those of array 0, then of array 1...
    #[must_use]
    pub fn done(&self) -> u64 {
        self.lock().places.len() as u64
    }

    /// Blocks of the table.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Blocks that have come before their turn.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Bytes of the file so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.lock().end
    }

    /// Gets what is written in order to the operating system, so that it outlives this process.
    ///
    /// # Errors
    /// What the system says.
    pub fn flush(&self) -> Result<(), TableError> {
        let mut state = self.lock();
        let flushed = state.part.flush().and_then(|()| state.journal.flush());
        flushed.map_err(|e| self.stop(&mut state, e))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, WriterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self, state: &mut WriterState, error: io::Error) -> TableError {
        state.failed = true;
        let [part, ..] = working_files(&self.path);
        TableError::io(&part, "write", error)
    }

    /// Writes directory, index and header, and gives the finished file its name.
    ///
    /// # Errors
    /// If blocks are missing, or what the system says; the unfinished table stays and can be gone on with.
    pub fn finish(self) -> Result<Header, TableError> {
        let [part_path, journal_path, _] = working_files(&self.path);
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let done = state.places.len() as u64;
        if state.failed {
            return Err(TableError::new(&part_path, ErrorKind::Stopped));
        }
        if done != self.blocks {
            return Err(TableError::new(&part_path, ErrorKind::Incomplete { done, blocks: self.blocks }));
        }
        let records: Vec<Record> = (self.manifest.arrays.iter().zip(&self.first_blocks).zip(&state.counts))
            .map(|((&array, &first_block), &counts)| Record { array, first_block, counts })
            .collect();
        self.manifest
            .check_counts(state.counts.iter().copied())
            .map_err(|e| TableError::new(&part_path, e))?;
        let header = seal(state, &self.manifest, &self.settings, &records);
        let header = header.map_err(|e| TableError::io(&part_path, "finish", e))?;
        fs::rename(&part_path, &self.path).map_err(|e| TableError::io(&self.path, "rename", e))?;
        sync_folder(&self.path).map_err(|e| TableError::io(&self.path, "sync the folder of", e))?;
        fs::remove_file(&journal_path).map_err(|e| TableError::io(&journal_path, "remove", e))?;
        Ok(header)
    }
}

/// Writes what stands behind the blocks, then the header.
fn seal(
    mut state: WriterState,
    manifest: &Manifest,
    settings: &Settings,
    records: &[Record],
) -> io::Result<Header> {
    let mut append = |bytes: &[u8]| -> io::Result<FilePart> {
        state.hasher.write(bytes);
        state.part.write_all(bytes)?;
        let part = FilePart { offset: state.end, bytes: bytes.len() as u64, checksum: checksum(bytes) };
        state.end += part.bytes;
        if settings.limit.is_some_and(|limit| state.end > limit) {
            return Err(io::Error::new(
                io::ErrorKind::QuotaExceeded,
                "the size limit of the table is reached",
            ));
        }
        Ok(part)
    };
    let directory = append(&header::directory_bytes(records))?;
    let index = append(&header::index_bytes(&state.places))?;
    let mut counts = WdlCounts::default();
    records.iter().for_each(|r| counts += r.counts);
    let header = Header {
        blocks: state.places.len() as u64,
        counts,
        directory,
        index,
        file_bytes: state.end,
        hash: state.hasher.finish_128(),
        ..unfinished_header(manifest, settings)
    };
    // The header makes it a table: everything else must be on the disk before.
    state.part.flush()?;
    let mut file = state.part.get_ref();
    file.sync_data()?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header.to_bytes())?;
    file.sync_all()?;
    Ok(header)
}

/// The header as far as it is known before the first block.
fn unfinished_header(manifest: &Manifest, settings: &Settings) -> Header {
    Header {
        target: manifest.target,
        slice: manifest.slice,
        filter: settings.filter,
        level: settings.level,
        arrays: manifest.arrays.len() as u32,
        blocks: 0,
        entries: manifest.entries(),
        counts: WdlCounts::default(),
        file_bytes: 0,
        hash: 0,
        program: settings.program.clone(),
        directory: FilePart::default(),
        index: FilePart::default(),
    }
}

/// What a journal is for: content, level, program version.
fn identity(manifest: &Manifest, settings: &Settings) -> u128 {
    let (first, _) = manifest.first_blocks();
    let record = |(&array, &first_block)| Record { array, first_block, counts: WdlCounts::default() };
    let records: Vec<Record> = manifest.arrays.iter().zip(&first).map(record).collect();
    let mut hasher = XxHash3_128::new();
    hasher.write(&unfinished_header(manifest, settings).to_bytes());
    hasher.write(&header::directory_bytes(&records));
    hasher.finish_128()
}

/// The array that block `number` of the file belongs to.
fn array_of(first_blocks: &[u64], number: u64) -> usize {
    first_blocks.partition_point(|&first| first <= number) - 1
}

/// Gets a new name onto the disk.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Elsewhere folders can't be opened, and needn't be.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

impl WriterState {
    /// Cuts off what lies behind the last good block, and makes a first beginning.
    fn start(&mut self, identity: u128) -> io::Result<()> {
        let records = journal::START_BYTES + self.places.len() * journal::RECORD_BYTES;
        for (file, len) in [(&mut self.part, self.end), (&mut self.journal, records as u64)] {
            let file = file.get_mut();
            if file.metadata()?.len() > len {
                file.set_len(len)?;
            }
        }
        // A header of a table that was finished all but its name is taken back.
        self.part.seek(SeekFrom::Start(0))?;
        self.part.write_all(&[0; HEADER_BYTES])?;
        self.part.seek(SeekFrom::Start(self.end))?;
        self.journal.seek(SeekFrom::Start(0))?;
        self.journal.write_all(&journal::start(identity))?;
        self.journal.seek(SeekFrom::Start(records as u64))?;
        Ok(())
    }

    fn append(&mut self, array: usize, block: &Encoded) -> io::Result<()> {
        let number = self.places.len() as u64;
        self.part.write_all(&block.payload)?;
        self.journal.write_all(&journal::record(number, block))?;
        self.hasher.write(&block.payload);
        self.places.push(IndexRecord { offset: self.end, checksum: block.checksum });
        self.counts[array] += block.counts;
        self.end += block.payload.len() as u64;
        Ok(())
    }
}

impl Sink for Writer {
    type Error = TableError;

    /// Blocks that were there already when a table is gone on with ([`Writer::done`]) may be put again, which does nothing.
    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), TableError> {
        let error = |kind| TableError::new(&self.path, kind).of_block(id.block);
        let grid = self.manifest.arrays.get(id.array as usize).map(|a| a.grid);
        let grid = grid
            .filter(|g| id.block < g.blocks())
            .ok_or_else(|| error(ErrorKind::NoSuchBlock(self.blocks)))?;
        if entries.len() != grid.len(id.block) {
            return Err(error(ErrorKind::WrongBlock("written with a wrong number of entries")));
        }
        let number = self.first_blocks[id.array as usize] + id.block;
        if number < self.done() {
            return Ok(());
        }
        let array = &self.manifest.arrays[id.array as usize];
        let mut payload = Vec::new();
        match &self.predictor {
            None => encode(entries, self.settings.level, &mut payload),
            Some(predictor) => {
                let mut rest = entries.to_vec();
                predictor.exchange(section_of(array.key), &grid.ranges(id.block), &mut rest);
                encode_either(entries, &rest, self.settings.level, &mut payload);
            }
        }
        let checksum = checksum(&payload);
        let counts = match &self.settings.count {
            Some(count) => count(id, entries),
            None => self.manifest.target.count_block(array, id.block, entries),
        };
        let block = Encoded { payload, checksum, counts };

        let mut state = self.lock();
        if state.failed {
            return Err(TableError::new(&self.path, ErrorKind::Stopped));
        }
        let next = state.places.len() as u64;
        if number < next || state.waiting.contains(number) {
            return Err(error(ErrorKind::WrongBlock("written a second time")));
        }
        if number != next {
            return state.waiting.insert(number, block).map_err(|e| self.stop(&mut state, e));
        }
        let mut ready = Some(block);
        while let Some(block) = ready {
            if let Some(limit) =
                self.settings.limit.filter(|&limit| state.end + block.payload.len() as u64 > limit)
            {
                state.failed = true;
                return Err(TableError::new(&self.path, ErrorKind::Limit(limit)));
            }
            let array = array_of(&self.first_blocks, state.places.len() as u64);
            let next = state.places.len() as u64 + 1;
            ready = (state.append(array, &block).and_then(|()| state.waiting.remove(next)))
                .map_err(|e| self.stop(&mut state, e))?;
        }
        Ok(())
    }
}
