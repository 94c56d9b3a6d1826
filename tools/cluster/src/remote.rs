//! Files of other ranks: the bytes of a table that lies on another machine's disk.
//!
//! A [`RemoteFile`] is a storage as a mapped file is one, so that the library reads tables through
//! it without knowing. Whoever reads leaves a question at the [`Desk`]; the thread that has MPI
//! ([`Team`](crate::team::Team)) takes it from there, and lays the answer of the other rank down.

use anyhow::Context;
use pentago_store::Storage;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What this rank asks of others, and what others ask of it.
#[derive(Default)]
pub struct Desk {
    state: Mutex<DeskState>,
    /// An answer has come.
    answered: Condvar,
    /// There is something to be asked.
    asked: Condvar,
    /// Bytes of files that came from others, and that went to others.
    received: AtomicU64,
    sent: AtomicU64,
}

#[derive(Default)]
struct DeskState {
    asks: VecDeque<Ask>,
    /// By ticket: what was asked and is still wanted, and the answer.
    open: HashMap<u64, Option<Vec<u8>>>,
    tickets: u64,
    /// Files of this rank that others read, by number.
    files: HashMap<u64, Arc<dyn Storage>>,
}

/// A question to another rank.
pub struct Ask {
    /// The rank.
    pub owner: u32,
    /// Ticket, file, offset and length: 8 bytes each.
    pub bytes: Vec<u8>,
}

impl Desk {
    fn state(&self) -> MutexGuard<'_, DeskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files of this rank that others may read, instead of those before.
    pub fn lend(&self, files: HashMap<u64, Arc<dyn Storage>>) {
        self.state().files = files;
    }

    /// Bytes of files that came from others, and that went to others.
    pub fn traffic(&self) -> [u64; 2] {
        [&self.received, &self.sent].map(|bytes| bytes.load(Ordering::Relaxed))
    }

    /// A question that is to be sent.
    pub fn next_ask(&self) -> Option<Ask> {
        self.state().asks.pop_front()
    }

    /// Sleeps until there is one, or the time is over.
    pub fn nap(&self, time: Duration) {
        let state = self.state();
        if state.asks.is_empty() {
            let _ = self.asked.wait_timeout(state, time);
        }
    }

    /// The answer to another rank's question.
    pub fn answer(&self, ask: &[u8]) -> anyhow::Result<Vec<u8>> {
        let (numbers, _) = ask.as_chunks::<8>();
        let &[ticket, file, at, len] = numbers else { anyhow::bail!("another rank asked for nonsense") };
        let [file, at, len] = [file, at, len].map(u64::from_le_bytes);
        let storage = self.state().files.get(&file).cloned();
        // Who asked ahead and has finished without it may ask for a file of the slice before.
        let Some(storage) = storage else { return Ok(ticket.to_vec()) };
        let bytes = storage.read(at, len as usize).context("reading a shard for another rank")?;
        self.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok([&ticket[..], &bytes].concat())
    }

    /// Takes an answer.
    pub fn deliver(&self, answer: &[u8]) {
        let Some((ticket, bytes)) = answer.split_first_chunk() else { return };
        self.received.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        // What nobody waits for any more is dropped.
        if let Some(open) = self.state().open.get_mut(&u64::from_le_bytes(*ticket)) {
            *open = Some(bytes.to_vec());
        }
        self.answered.notify_all();
    }

    fn ask(&self, owner: u32, file: u64, at: u64, len: usize) -> u64 {
        let mut state = self.state();
        state.tickets += 1;
        let ticket = state.tickets;
        let bytes = [ticket, file, at, len as u64].map(u64::to_le_bytes).concat();
        state.open.insert(ticket, None);
        state.asks.push_back(Ask { owner, bytes });
        self.asked.notify_one();
        ticket
    }

    fn wait(&self, ticket: u64) -> Vec<u8> {
        let mut state = self.state();
        loop {
            if let Some(Some(_)) = state.open.get(&ticket) {
                return state.open.remove(&ticket).flatten().unwrap_or_default();
            }
            state = self.answered.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn forget(&self, ticket: u64) {
        self.state().open.remove(&ticket);
    }
}

/// A file of another rank.
pub struct RemoteFile {
    desk: Arc<Desk>,
    owner: u32,
    file: u64,
    size: u64,
    ahead: Mutex<Ahead>,
    /// What was read without having been asked for ahead, by place and length: pages of the block
    /// index, which blocks that stand far from each other need again and again.
    pages: Mutex<Pages>,
}

/// Bytes of a file by place and length.
type Pages = HashMap<(u64, usize), Arc<[u8]>>;

/// What was asked for before it is read: by place and length, the ticket; and in their order.
#[derive(Default)]
struct Ahead {
    tickets: HashMap<(u64, usize), u64>,
    order: VecDeque<(u64, usize)>,
}

/// So many questions of one file may be ahead of their use: what is asked for and then not read,
/// because another thread had it, doesn't pile up.
const MOST_AHEAD: usize = 4096;
/// So many pages are kept, of so many bytes at most.
const MOST_PAGES: usize = 1024;
const PAGE_BYTES: usize = 1 << 14;

impl RemoteFile {
    /// The file with this number at its owner's, which has so many bytes.
    pub fn new(desk: Arc<Desk>, owner: u32, file: u64, size: u64) -> RemoteFile {
        RemoteFile { desk, owner, file, size, ahead: Mutex::default(), pages: Mutex::default() }
    }

    fn ahead(&self) -> MutexGuard<'_, Ahead> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, at: u64, len: usize) -> u64 {
        self.desk.ask(self.owner, self.file, at, len)
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
        let ticket = self.ahead().tickets.remove(&(at, len));
        let pages = || self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let page = ticket.is_none() && len <= PAGE_BYTES;
        if let Some(bytes) = pages().get(&(at, len)).filter(|_| page) {
            return Ok(bytes.to_vec().into());
        }
        let bytes = self.desk.wait(ticket.unwrap_or_else(|| self.ask(at, len)));
        if bytes.len() != len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if page {
            let mut pages = pages();
            if pages.len() >= MOST_PAGES {
                pages.clear();
            }
            pages.insert((at, len), bytes[..].into());
        }
        Ok(bytes.into())
    }

    fn ahead(&self, at: u64, len: usize) {
        let mut ahead = self.ahead();
        if ahead.tickets.contains_key(&(at, len)) {
            return;
        }
        while ahead.tickets.len() >= MOST_AHEAD {
            let Some(oldest) = ahead.order.pop_front() else { break };
            if let Some(ticket) = ahead.tickets.remove(&oldest) {
                self.desk.forget(ticket);
            }
        }
        // Names of what was read stay behind.
        if ahead.order.len() >= 4 * MOST_AHEAD {
            let Ahead { tickets, order } = &mut *ahead;
            order.retain(|place| tickets.contains_key(place));
        }
        let ticket = self.ask(at, len);
        ahead.tickets.insert((at, len), ticket);
        ahead.order.push_back((at, len));
    }
}

impl Drop for RemoteFile {
    fn drop(&mut self) {
        let tickets: Vec<u64> = self.ahead().tickets.values().copied().collect();
        tickets.into_iter().for_each(|ticket| self.desk.forget(ticket));
    }
}

impl fmt::Debug for RemoteFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteFile")
            .field("owner", &self.owner)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}
