//! Reads files on the disks of other ranks.
//!
//! A [`RemoteFile`] implements the library's trait for storages, so the library reads remote tables
//! like local tables. Threads that read put their requests into the [`FileExchange`]. The MPI
//! thread ([`Team`](crate::team::Team)) sends the requests to other ranks, and puts the answers
//! into the [`FileExchange`].

use anyhow::Context;
use pentago_store::Storage;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The read requests of this rank to other ranks, and the files of this rank that other ranks may
/// read.
#[derive(Debug, Default)]
pub struct FileExchange {
    state: Mutex<ExchangeState>,
    /// The condition variable that is notified when an answer has arrived.
    answered: Condvar,
    /// The condition variable that is notified when a request has been added.
    requested: Condvar,
    /// The number of bytes of file content that this rank has received from other ranks.
    received: AtomicU64,
    /// The number of bytes of file content that this rank has sent to other ranks.
    sent: AtomicU64,
}

#[derive(Debug, Default)]
struct ExchangeState {
    /// The requests that are not sent yet. Each element is the rank that owns the file, and the
    /// message. A message consists of ticket, file number, offset and length, 8 bytes each.
    requests: VecDeque<(u32, Vec<u8>)>,
    /// The answer to each open request, keyed by ticket. `None` until the answer has arrived.
    answers: HashMap<u64, Option<Vec<u8>>>,
    /// The ticket of the latest request.
    tickets: u64,
    /// The files of this rank that other ranks may read, keyed by file number.
    files: HashMap<u64, Arc<dyn Storage>>,
}

impl FileExchange {
    fn state(&self) -> MutexGuard<'_, ExchangeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the files of this rank that other ranks may read, keyed by file number. Withdraws all
    /// earlier files.
    pub fn lend(&self, files: HashMap<u64, Arc<dyn Storage>>) {
        self.state().files = files;
    }

    /// Returns the number of bytes received from other ranks, then the number of bytes sent to
    /// other ranks.
    pub fn traffic(&self) -> [u64; 2] {
        [&self.received, &self.sent].map(|bytes| bytes.load(Ordering::Relaxed))
    }

    /// Removes and returns the next request to send: the rank that owns the file, and the message.
    /// Returns `None` if there is no request.
    pub fn next_request(&self) -> Option<(u32, Vec<u8>)> {
        self.state().requests.pop_front()
    }

    /// Sleeps for at most `time`, and wakes up if a request is added. Returns immediately if a
    /// request is waiting.
    pub fn nap(&self, time: Duration) {
        let state = self.state();
        if state.requests.is_empty() {
            let _ = self.requested.wait_timeout(state, time);
        }
    }

    /// Reads the bytes that another rank requests. Returns the message to answer with: the ticket,
    /// then the bytes.
    ///
    /// # Errors
    /// If the request is malformed, or the file cannot be read.
    pub fn answer(&self, request: &[u8]) -> anyhow::Result<Vec<u8>> {
        let &[ticket, file, at, len] = request.as_chunks::<8>().0 else {
            anyhow::bail!("a read request of another rank has {} bytes: expected 32", request.len());
        };
        let [file, at, len] = [file, at, len].map(u64::from_le_bytes);
        let storage = self.state().files.get(&file).cloned();
        // The request may be an unused prefetch that arrives after its slice is finished and its
        // file is withdrawn. Answer without any bytes.
        let Some(storage) = storage else { return Ok(ticket.to_vec()) };
        let bytes = storage.read(at, len as usize).context("reading a shard for another rank")?;
        self.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok([&ticket[..], &bytes].concat())
    }

    /// Stores an answer of another rank, and wakes up the thread that waits for this answer.
    pub fn deliver(&self, answer: &[u8]) {
        let Some((ticket, bytes)) = answer.split_first_chunk() else { return };
        self.received.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        // Ignore an answer that no thread needs any more.
        if let Some(answer) = self.state().answers.get_mut(&u64::from_le_bytes(*ticket)) {
            *answer = Some(bytes.to_vec());
        }
        self.answered.notify_all();
    }

    /// Adds a request for `len` bytes at the offset `at` of a file. Returns the ticket of the
    /// request.
    fn request(&self, owner: u32, file: u64, at: u64, len: usize) -> u64 {
        let mut state = self.state();
        state.tickets += 1;
        let ticket = state.tickets;
        let bytes = [ticket, file, at, len as u64].map(u64::to_le_bytes).concat();
        state.answers.insert(ticket, None);
        state.requests.push_back((owner, bytes));
        self.requested.notify_one();
        ticket
    }

    fn wait(&self, ticket: u64) -> Vec<u8> {
        let mut state = self.state();
        loop {
            if let Some(Some(_)) = state.answers.get(&ticket) {
                return state.answers.remove(&ticket).flatten().unwrap_or_default();
            }
            state = self.answered.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn forget(&self, ticket: u64) {
        self.state().answers.remove(&ticket);
    }
}

/// A file on the disk of another rank.
#[derive(Debug)]
pub struct RemoteFile {
    exchange: Arc<FileExchange>,
    owner: u32,
    file: u64,
    size: u64,
    prefetches: Mutex<Prefetches>,
    /// A cache of byte ranges that were read without a prefetch, keyed by offset and length. These
    /// ranges are pages of the block index, which are needed again for other blocks.
    pages: Mutex<HashMap<(u64, usize), Vec<u8>>>,
}

/// The prefetches of a file whose bytes have not been read yet.
#[derive(Debug, Default)]
struct Prefetches {
    /// The ticket of each prefetch, keyed by offset and length.
    tickets: HashMap<(u64, usize), u64>,
    /// The keys of `tickets`, oldest first. May also contain keys whose prefetch has been read and
    /// removed.
    order: VecDeque<(u64, usize)>,
}

/// The maximum number of open prefetches of a file. Beyond this number, the oldest prefetch is
/// dropped. Some prefetches are never read, because another thread has already read the same range.
const MOST_PREFETCHES: usize = 4096;
/// The maximum number of pages in the cache of a file.
const MOST_PAGES: usize = 1024;
/// The largest size of a page that is cached, in bytes.
const PAGE_BYTES: usize = 1 << 14;

impl RemoteFile {
    /// Creates a storage for a file of `size` bytes on the disk of rank `owner`. `file` is the
    /// number by which requests name the file.
    pub fn new(exchange: Arc<FileExchange>, owner: u32, file: u64, size: u64) -> RemoteFile {
        RemoteFile { exchange, owner, file, size, prefetches: Mutex::default(), pages: Mutex::default() }
    }

    fn prefetches(&self) -> MutexGuard<'_, Prefetches> {
        self.prefetches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn request(&self, at: u64, len: usize) -> u64 {
        self.exchange.request(self.owner, self.file, at, len)
    }
}

impl Storage for RemoteFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        if at.checked_add(len as u64).is_none_or(|end| end > self.size) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let ticket = self.prefetches().tickets.remove(&(at, len));
        let pages = || self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let page = ticket.is_none() && len <= PAGE_BYTES;
        if let Some(bytes) = pages().get(&(at, len)).filter(|_| page) {
            return Ok(bytes.clone().into());
        }
        let bytes = self.exchange.wait(ticket.unwrap_or_else(|| self.request(at, len)));
        if bytes.len() != len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if page {
            let mut pages = pages();
            if pages.len() >= MOST_PAGES {
                pages.clear();
            }
            pages.insert((at, len), bytes.clone());
        }
        Ok(bytes.into())
    }

    fn ahead(&self, at: u64, len: usize) {
        let mut prefetches = self.prefetches();
        if prefetches.tickets.contains_key(&(at, len)) {
            return;
        }
        while prefetches.tickets.len() >= MOST_PREFETCHES {
            let Some(oldest) = prefetches.order.pop_front() else { break };
            if let Some(ticket) = prefetches.tickets.remove(&oldest) {
                self.exchange.forget(ticket);
            }
        }
        // Reading a prefetch removes its ticket, but leaves its key in `order`. Remove these keys
        // before the queue grows too large.
        if prefetches.order.len() >= 4 * MOST_PREFETCHES {
            let Prefetches { tickets, order } = &mut *prefetches;
            order.retain(|range| tickets.contains_key(range));
        }
        let ticket = self.request(at, len);
        prefetches.tickets.insert((at, len), ticket);
        prefetches.order.push_back((at, len));
    }
}

impl Drop for RemoteFile {
    fn drop(&mut self) {
        let tickets: Vec<u64> = self.prefetches().tickets.values().copied().collect();
        tickets.into_iter().for_each(|ticket| self.exchange.forget(ticket));
    }
}
