//! Writes a table. Blocks may arrive in any order and from any thread. The resulting file is always
//! the same.
//!
//! The file is named `NAME.part` until it is finished. Payloads are appended in the order of the
//! blocks, so a block that arrives early must wait. A journal records the written blocks, so a
//! writer that was killed or ran out of disk space resumes after the last good block. Finishing
//! appends the directory, the block index, the page table and the header, flushes everything to
//! disk, and renames the file. The memory use grows by only 16 bytes per index page of 1,024
//! blocks.

use crate::bytes::checksum;
use crate::directory;
use crate::durable;
use crate::error::{Reason, StoreError};
use crate::header::{FilePart, RawHeader, is_program};
use crate::index;
use crate::journal;
use crate::layout::{HEADER_BYTES, PAGE_BLOCKS};
use crate::manifest::{MAX_PAYLOAD_BYTES, RawArrayInfo, RawManifest};
use crate::reorder::{EncodedBlock, ReorderBuffer};
use crate::storage::{create, open_file, other_kind};
use pentago_base::{Control, into_inner, lock, try_lock};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use twox_hash::XxHash3_128;

/// The settings of a writer.
#[derive(Clone, Debug)]
pub struct RawSettings {
    /// The maximum size of the payloads that wait in memory, in bytes. Further payloads wait in the
    /// file `NAME.waiting`.
    pub waiting: usize,
    /// The name and version of the program for the header: at most 32 bytes, and no control
    /// characters.
    pub program: String,
    /// Cancels the check of existing blocks when a table is resumed. The control also counts the
    /// entries of the existing blocks as work of an earlier run.
    pub control: Control,
}

impl RawSettings {
    /// Returns the default settings: at most 256 MiB of payloads wait in memory.
    pub fn new(program: &str) -> RawSettings {
        let (program, control) = (program.to_owned(), Control::new());
        RawSettings { waiting: 256 << 20, program, control }
    }
}

/// An unfinished table that accepts blocks.
pub struct RawWriter {
    path: PathBuf,
    /// The description of the table's content.
    pub manifest: RawManifest,
    /// The header as it is before the first block is written: the offsets, sizes, sums and hashes
    /// are 0.
    header: RawHeader,
    first_blocks: Vec<u64>,
    blocks: u64,
    identity: u128,
    /// The number of blocks that the file already contained when the table was resumed.
    resumed: u64,
    order: Mutex<WriteQueue>,
    /// A thread that needs both locks acquires `output` before `order`. Only one thread at a time
    /// writes. Other threads leave their blocks in `order`.
    output: Mutex<OutputFiles>,
    /// The number of written blocks, readable without a lock.
    done: AtomicU64,
}

/// The blocks that aren't written yet.
struct WriteQueue {
    /// The index of the first block that is neither written nor being written.
    next: u64,
    /// Block `next`, if it has arrived.
    head: Option<EncodedBlock>,
    /// The blocks after `next` that have arrived.
    waiting: ReorderBuffer,
    /// The first error of an output file, after which nothing more is written.
    failure: Option<io::Error>,
}

/// The open output files, and the counters, offset and hash of their content.
struct OutputFiles {
    part: BufWriter<File>,
    journal: BufWriter<File>,
    /// The number of written blocks.
    done: u64,
    /// The counters of each array.
    counts: Vec<Vec<u64>>,
    /// The offset of the next payload in the file, in bytes.
    end: u64,
    /// The hash of all bytes written so far after the header.
    hasher: XxHash3_128,
}

/// Returns three paths: the unfinished table, its journal, and the file for waiting blocks.
pub fn working_files(path: &Path) -> [PathBuf; 3] {
    [".part", ".journal", ".waiting"].map(|suffix| {
        let mut name = OsString::from(path);
        name.push(suffix);
        name.into()
    })
}

impl RawWriter {
    /// Starts a table, or resumes the unfinished table at this path if it has the same content and
    /// settings. Existing blocks are checked and kept.
    ///
    /// # Errors
    /// If a finished table, or an unfinished table with other content, exists at this path. Also if
    /// the manifest is invalid, the check was cancelled, or the system fails.
    pub fn begin(path: &Path, manifest: RawManifest, settings: RawSettings) -> Result<RawWriter, StoreError> {
        manifest.check().map_err(|e| StoreError::new(path, e))?;
        if !is_program(&settings.program) {
            let what = "the program name has more than 32 bytes, or a control character";
            return Err(StoreError::new(path, Reason::Content(what)));
        }
        let [part, journal, waiting] = working_files(path);
        if let Some(what) = other_kind(path) {
            return Err(StoreError::new(path, Reason::OtherKind(what)));
        }
        if path.try_exists().map_err(|e| StoreError::io(path, "look for", e))? {
            // A finished table has a journal only if its builder was killed. Remove this leftover.
            let _ = fs::remove_file(&journal);
            return Err(StoreError::new(path, Reason::Exists));
        }
        let (first_blocks, blocks) = manifest.first_blocks();
        let header = unfinished_header(&manifest, &settings);
        let identity = identity(&header, &manifest);
        let open = |path: &Path| create(path, false).map_err(|e| StoreError::io(path, "create", e));
        let files = [open(&part)?, open(&journal)?];
        let output = OutputFiles::resume(path, files, (identity, &header), &manifest, &settings.control)?;
        let waiting = ReorderBuffer::new(settings.waiting, waiting);
        let done = output.done;
        Ok(RawWriter {
            path: path.to_owned(),
            manifest,
            header,
            first_blocks,
            blocks,
            identity,
            resumed: done,
            order: Mutex::new(WriteQueue { next: done, head: None, waiting, failure: None }),
            output: Mutex::new(output),
            done: AtomicU64::new(done),
        })
    }

    /// Returns the number of written blocks. Blocks are written in order: first the blocks of array
    /// 0, then the blocks of array 1, and so on.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Acquire)
    }

    /// Returns `true` if the file already contained a block when the table was resumed. `number` is
    /// the index of the block in the file.
    pub fn has(&self, number: u64) -> bool {
        number < self.resumed
    }

    /// Returns the number of blocks in the table.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Returns the number of blocks that wait to be written.
    pub fn waiting(&self) -> usize {
        lock(&self.order).waiting.len()
    }

    /// Sets the limit [`RawSettings::waiting`] to a number of bytes. Payloads that are already in
    /// memory stay there.
    pub fn let_wait(&self, bytes: usize) {
        lock(&self.order).waiting.limit = bytes;
    }

    /// Returns the counters of each array, summed over the blocks written so far.
    pub fn counts(&self) -> Vec<Vec<u64>> {
        lock(&self.output).counts.clone()
    }

    /// Returns the index of an array's block among all blocks of the file.
    ///
    /// # Errors
    /// If the table doesn't contain the block.
    pub fn number(&self, array: u32, block: u64) -> Result<u64, StoreError> {
        let info = self.manifest.arrays.get(array as usize).filter(|a| a.blocks.contains(&block));
        let number = info.map(|a| self.first_blocks[array as usize] + (block - a.blocks.start));
        let error = || StoreError::new(&self.path, Reason::NoSuchBlock(self.blocks)).of_block(block);
        number.ok_or_else(error)
    }

    /// Accepts the payload and the counters of a block. Does nothing for a block that already
    /// existed when the table was resumed ([`RawWriter::has`]).
    ///
    /// # Errors
    /// If the table doesn't contain the block, if the block was already put, or if the system
    /// fails.
    pub fn put(&self, array: u32, block: u64, payload: Vec<u8>, counts: &[u64]) -> Result<(), StoreError> {
        let number = self.number(array, block)?;
        let error = |reason| StoreError::new(&self.path, reason).of_block(block);
        if payload.is_empty() || payload.len() as u64 > MAX_PAYLOAD_BYTES {
            return Err(error(Reason::WrongBlock(
                "written with an empty payload, or one longer than any table may have",
            )));
        }
        if counts.len() != usize::from(self.manifest.schema.counters) {
            return Err(error(Reason::WrongBlock("written with a wrong number of counters")));
        }
        if self.has(number) {
            return Ok(());
        }
        let block = EncodedBlock { checksum: checksum(&payload), payload, counts: counts.to_vec() };
        let mut order = lock(&self.order);
        while number != order.next && order.is_ready() && !order.waiting.fits(&block) {
            // The buffer is full because the computing threads are faster than the writing thread.
            // Help the writing thread.
            drop(order);
            self.write_to(&mut lock(&self.output))?;
            order = lock(&self.order);
        }
        if let Some(failure) = &order.failure {
            return Err(self.not_written(failure));
        }
        if number < order.next || order.has(number) {
            return Err(error(Reason::WrongBlock("written a second time")));
        }
        if number == order.next {
            order.head = Some(block);
        } else if let Err(error) = order.waiting.insert(number, block) {
            drop(order);
            return Err(self.stop(error));
        }
        drop(order);
        self.write_ready()
    }

    /// Writes all blocks that can be written now. If another thread holds the lock of `output`,
    /// does nothing: the other thread calls this function after releasing the lock, and then also
    /// writes the blocks of this thread.
    fn write_ready(&self) -> Result<(), StoreError> {
        while lock(&self.order).is_ready() {
            let Some(mut output) = try_lock(&self.output) else { break };
            self.write_to(&mut output)?;
        }
        Ok(())
    }

    fn write_to(&self, output: &mut OutputFiles) -> Result<(), StoreError> {
        loop {
            let next = lock(&self.order).take();
            let Some(block) = next.map_err(|e| self.stop(e))? else { return Ok(()) };
            let array = array_of(&self.first_blocks, output.done);
            output.append(array, &block).map_err(|e| self.stop(e))?;
            self.done.store(output.done, Ordering::Release);
        }
    }

    /// Calls `see` with the index and the payload of each of the first `blocks` blocks, as far as
    /// the file contained these blocks when the table was resumed. Builders that compute later
    /// blocks from earlier blocks need this function.
    ///
    /// # Errors
    /// If the system fails. The error is [`Reason::Scratch`] if the blocks have changed since the
    /// table was resumed.
    pub fn read_back(&self, blocks: u64, mut see: impl FnMut(u64, &[u8])) -> Result<(), StoreError> {
        let blocks = blocks.min(self.resumed);
        let [part_path, journal_path, _] = working_files(&self.path);
        let open = |path: &Path| open_file(path).map_err(|e| StoreError::io(path, "open", e));
        let (mut part, mut journal) = (open(&part_path)?, open(&journal_path)?);
        let content = (self.identity, &self.header);
        let mut number = 0;
        let found = journal::read(&mut journal, &mut part, content, blocks, |payload, _| {
            see(number, payload);
            number += 1;
            ControlFlow::Continue(())
        });
        if found.map_err(|e| StoreError::io(&part_path, "read", e))? == Some(blocks) {
            return Ok(());
        }
        let gone = Reason::Scratch("blocks that existed when the table was resumed are gone");
        Err(StoreError::new(&part_path, gone))
    }

    /// Passes all written blocks to the operating system, so that they survive the end of this
    /// process.
    ///
    /// # Errors
    /// If an operation of the system fails.
    pub fn flush(&self) -> Result<(), StoreError> {
        let flushed = lock(&self.output).flush();
        flushed.map_err(|e| self.stop(e))?;
        self.write_ready()
    }

    /// Flushes all written blocks to disk, so that they survive a power failure. Other threads can
    /// write in the meantime.
    ///
    /// # Errors
    /// If an operation of the system fails.
    pub fn sync(&self) -> Result<(), StoreError> {
        let files = |output: &mut OutputFiles| {
            output.flush()?;
            Ok([output.part.get_ref().try_clone()?, output.journal.get_ref().try_clone()?])
        };
        let files: io::Result<[File; 2]> = files(&mut lock(&self.output));
        self.write_ready()?;
        let synced = files.and_then(|files| files.iter().try_for_each(File::sync_data));
        synced.map_err(|e| self.stop(e))
    }

    fn stop(&self, error: io::Error) -> StoreError {
        self.not_written(lock(&self.order).failure.get_or_insert(error))
    }

    /// Returns an error with the cause `failure`. All calls after a failure return such an error.
    fn not_written(&self, failure: &io::Error) -> StoreError {
        let error = match failure.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(failure.kind(), failure.to_string()),
        };
        StoreError::io(&working_files(&self.path)[0], "write", error)
    }

    /// Appends the directory, the block index and the page table, writes the header, and renames
    /// the file to its final name.
    ///
    /// # Errors
    /// If blocks are missing or the system fails. The unfinished table is kept and can be resumed.
    pub fn finish(self) -> Result<RawHeader, StoreError> {
        let [part_path, journal_path, _] = working_files(&self.path);
        if let Some(failure) = &lock(&self.order).failure {
            return Err(self.not_written(failure));
        }
        let output = into_inner(self.output);
        let (done, blocks) = (output.done, self.blocks);
        if done != blocks {
            return Err(StoreError::new(&part_path, Reason::Incomplete { done, blocks }));
        }
        let header = seal(output, self.header, &self.manifest, self.identity);
        let header = header.map_err(|e| StoreError::io(&part_path, "finish", e))?;
        durable::rename(&part_path, &self.path)?;
        // If the process is killed before this removal, the next builder removes the journal.
        fs::remove_file(&journal_path).map_err(|e| StoreError::io(&journal_path, "remove", e))?;
        Ok(header)
    }
}

/// Appends the directory, the block index and the page table, then writes the header.
fn seal(
    mut output: OutputFiles,
    mut header: RawHeader,
    manifest: &RawManifest,
    identity: u128,
) -> io::Result<RawHeader> {
    let first_payload = header.first_payload();
    let arrays = manifest.arrays.iter().zip(output.counts.iter().map(|counts| &counts[..]));
    let directory = directory::to_bytes(arrays);
    output.counts.iter().for_each(|more| add(&mut header.counts, more));
    header.directory = output.append_part(&directory)?;
    header.index =
        FilePart { checksum: 0, ..output.append_index(identity, first_payload, &mut header.pages)? };
    header.blocks = output.done;
    header.file_bytes = output.end;
    header.hash = output.hasher.finish_128();
    // The header marks the file as a finished table, so all other bytes must be on disk before the
    // header is written.
    output.part.flush()?;
    let mut file = output.part.get_ref();
    file.sync_data()?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header.to_bytes())?;
    file.sync_all()?;
    Ok(header)
}

/// Returns the header as it is before the first block is written.
fn unfinished_header(manifest: &RawManifest, settings: &RawSettings) -> RawHeader {
    RawHeader {
        schema: manifest.schema,
        target: manifest.target.clone(),
        slice: manifest.slice,
        arrays: manifest.arrays.len() as u32,
        blocks: 0,
        entries: manifest.entries(),
        counts: vec![0; manifest.schema.counters.into()],
        file_bytes: 0,
        hash: 0,
        program: settings.program.clone(),
        directory: FilePart::default(),
        index: FilePart::default(),
        pages: FilePart::default(),
    }
}

/// Returns the identity of a journal: a hash of the content, the codec with its level, and the
/// program version.
fn identity(header: &RawHeader, manifest: &RawManifest) -> u128 {
    let zeros = vec![0; manifest.schema.counters.into()];
    let mut hasher = XxHash3_128::new();
    hasher.write(&header.to_bytes());
    hasher.write(&manifest.target);
    hasher.write(&directory::to_bytes(manifest.arrays.iter().map(|array| (array, &zeros[..]))));
    hasher.finish_128()
}

/// Returns the index of the array that contains block `number` of the file.
fn array_of(first_blocks: &[u64], number: u64) -> usize {
    first_blocks.partition_point(|&first| first <= number) - 1
}

/// Adds the counters `more` to the counters `to`. If a sum exceeds 64 bits, the sum wraps, and
/// readers reject the table.
fn add(to: &mut [u64], more: &[u64]) {
    to.iter_mut().zip(more).for_each(|(to, &n)| *to = to.wrapping_add(n));
}

impl WriteQueue {
    /// Returns `true` if the next block has arrived and can be written.
    fn is_ready(&self) -> bool {
        self.failure.is_none() && self.has(self.next)
    }

    /// Returns `true` if block `number` has arrived but isn't written yet.
    fn has(&self, number: u64) -> bool {
        self.waiting.contains(number) || number == self.next && self.head.is_some()
    }

    /// Removes and returns the next block, which the caller must write. Returns `None` if the block
    /// hasn't arrived or writing has failed.
    fn take(&mut self) -> io::Result<Option<EncodedBlock>> {
        if self.failure.is_some() {
            return Ok(None);
        }
        let block = match self.head.take() {
            Some(block) => Some(block),
            None => self.waiting.remove(self.next)?,
        };
        self.next += u64::from(block.is_some());
        Ok(block)
    }
}

impl OutputFiles {
    /// Reads the part file and the journal of an unfinished table at `path`, and truncates both
    /// after the last good block.
    fn resume(
        path: &Path,
        [mut part, mut journal]: [File; 2],
        (identity, header): (u128, &RawHeader),
        manifest: &RawManifest,
        control: &Control,
    ) -> Result<OutputFiles, StoreError> {
        let [part_path, ..] = working_files(path);
        let (first_blocks, blocks) = manifest.first_blocks();
        let mut hasher = XxHash3_128::new();
        hasher.write(&manifest.target);
        let (mut end, mut number) = (header.first_payload(), 0);
        let mut counts = vec![vec![0; manifest.schema.counters.into()]; manifest.arrays.len()];
        let found =
            journal::read(&mut journal, &mut part, (identity, header), blocks, |payload, block_counts| {
                hasher.write(payload);
                end += payload.len() as u64;
                let array = array_of(&first_blocks, number);
                add(&mut counts[array], block_counts);
                let RawArrayInfo { grid, blocks, .. } = &manifest.arrays[array];
                let block = blocks.start + number - first_blocks[array];
                control.add_earlier(grid.len(block) as u64);
                number += 1;
                if control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        let Some(done) = found.map_err(|e| StoreError::io(&part_path, "read", e))? else {
            return Err(StoreError::new(&part_path, Reason::Foreign));
        };
        if done > 0 && control.is_cancelled() {
            return Err(StoreError::new(path, Reason::Cancelled));
        }
        let mut output = OutputFiles {
            part: BufWriter::with_capacity(1 << 20, part),
            journal: BufWriter::with_capacity(1 << 14, journal),
            done,
            counts,
            end,
            hasher,
        };
        let started = output.start(identity, &manifest.target);
        started.map_err(|e| StoreError::io(&part_path, "write", e))?;
        Ok(output)
    }

    /// Truncates both files after the last good block and rewrites their first bytes.
    fn start(&mut self, identity: u128, target: &[u8]) -> io::Result<()> {
        let counters = self.counts.first().map_or(0, Vec::len);
        let records = journal::START_BYTES as u64 + self.done * journal::record_bytes(counters) as u64;
        for (file, len) in [(&mut self.part, self.end), (&mut self.journal, records)] {
            let file = file.get_mut();
            if file.metadata()?.len() > len {
                file.set_len(len)?;
            }
        }
        // A writer that was killed between writing the header and renaming the file leaves a
        // header. Clear that header.
        self.part.seek(SeekFrom::Start(0))?;
        self.part.write_all(&[0; HEADER_BYTES])?;
        self.part.write_all(target)?;
        self.part.seek(SeekFrom::Start(self.end))?;
        self.journal.seek(SeekFrom::Start(0))?;
        self.journal.write_all(&journal::start(identity))?;
        self.journal.seek(SeekFrom::Start(records))?;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.part.flush()?;
        self.journal.flush()
    }

    fn append(&mut self, array: usize, block: &EncodedBlock) -> io::Result<()> {
        self.part.write_all(&block.payload)?;
        self.journal.write_all(&journal::record(self.done, block))?;
        self.hasher.write(&block.payload);
        add(&mut self.counts[array], &block.counts);
        self.done += 1;
        self.end += block.payload.len() as u64;
        Ok(())
    }

    /// Appends the bytes of the directory, the block index or the page table.
    fn append_part(&mut self, bytes: &[u8]) -> io::Result<FilePart> {
        self.hasher.write(bytes);
        self.part.write_all(bytes)?;
        let part = FilePart { offset: self.end, bytes: bytes.len() as u64, checksum: checksum(bytes) };
        self.end += part.bytes;
        Ok(part)
    }

    /// Appends the block index, made from the journal, and the page table.
    fn append_index(&mut self, identity: u128, first: u64, pages: &mut FilePart) -> io::Result<FilePart> {
        self.journal.flush()?;
        let mut journal = BufReader::with_capacity(1 << 16, self.journal.get_ref().try_clone()?);
        journal.seek(SeekFrom::Start(0))?;
        let changed =
            || io::Error::new(io::ErrorKind::InvalidData, "another program has changed the journal");
        let mut start = [0; journal::START_BYTES];
        if !journal::fill(&mut journal, &mut start)? || start != journal::start(identity) {
            return Err(changed());
        }
        let counters = self.counts.first().map_or(0, Vec::len);
        let (mut number, mut at, mut buffer) = (0, first, Vec::new());
        let (mut page, mut table) = (Vec::new(), Vec::new());
        let whole = FilePart { offset: self.end, ..FilePart::default() };
        while number < self.done {
            let page_at = at;
            page.clear();
            for _ in 0..PAGE_BLOCKS.min(self.done - number) {
                let block = journal::read_record(&mut journal, &mut buffer, number, counters)?;
                let (bytes, checksum, _) = block.ok_or_else(changed)?;
                page.extend(index::record(at, checksum));
                at += bytes;
                number += 1;
            }
            let part = self.append_part(&page)?;
            table.extend(index::record(page_at, part.checksum));
        }
        let whole = FilePart { bytes: self.end - whole.offset, ..whole };
        *pages = self.append_part(&table)?;
        Ok(whole)
    }
}
