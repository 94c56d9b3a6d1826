//! Tables on a host. The module can't wait for an answer, so the page asks the host: a question that
//! needs bytes is answered with where they are, and asked again when the page has brought them.
//!
//! Whatever is brought is compared with checksums like a file (`solver/store/src/remote.rs`): wrong bytes
//! are an error, and never a value.

use pentago_games::{Access, KINDS, Tables};
use pentago_store::{Fetch, fetch_with};
use serde::Serialize;
use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Bytes of decoded blocks that are kept for each kind of game.
const CACHE: usize = 32 << 20;

/// Bytes on a host: a whole file, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Needed {
    address: String,
    /// Bytes of the part; of a whole file, the most that it may have.
    bytes: u64,
    /// Where the part begins, and bytes of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<[u64; 2]>,
}

impl Needed {
    /// Whether bytes can be these.
    fn fits(&self, bytes: &[u8]) -> bool {
        let bytes = bytes.len() as u64;
        if self.part.is_some() { bytes == self.bytes } else { bytes <= self.bytes }
    }
}

/// What one question takes from hosts.
#[derive(Default)]
struct Traffic {
    needed: Vec<Needed>,
    brought: Vec<(Needed, Vec<u8>)>,
}

thread_local! {
    /// That of the question that is being answered: one thread asks.
    static TRAFFIC: RefCell<Traffic> = RefCell::default();
}

impl Traffic {
    /// The place of bytes among those that were brought.
    fn place(&self, needed: &Needed) -> Option<usize> {
        self.brought.iter().position(|(brought, _)| brought == needed)
    }

    /// Says that bytes are needed.
    fn need(&mut self, needed: Needed) -> io::Error {
        if !self.needed.contains(&needed) {
            self.needed.push(needed);
        }
        io::ErrorKind::WouldBlock.into()
    }
}

/// Has the page ask hosts.
#[derive(Debug)]
struct Page;

impl Fetch for Page {
    fn whole(&self, address: &str, most: u64) -> io::Result<Vec<u8>> {
        TRAFFIC.with_borrow_mut(|traffic| {
            let needed = Needed { address: address.to_owned(), bytes: most, part: None };
            match traffic.place(&needed) {
                // Each kind of game reads it.
                Some(at) => Ok(traffic.brought[at].1.clone()),
                None => Err(traffic.need(needed)),
            }
        })
    }

    fn parts(&self, address: &str, size: u64, parts: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let needed = |part: &Range<u64>| Needed {
            address: address.to_owned(),
            bytes: part.end - part.start,
            part: Some([part.start, size]),
        };
        TRAFFIC.with_borrow_mut(|traffic| {
            let parts: Vec<Needed> = parts.iter().map(needed).collect();
            let missing: Vec<&Needed> = parts.iter().filter(|part| traffic.place(part).is_none()).collect();
            if !missing.is_empty() {
                missing.into_iter().for_each(|part| drop(traffic.need(part.clone())));
                return Err(io::ErrorKind::WouldBlock.into());
            }
            // Who reads them keeps them. Asked for again, they were damaged, and are brought again.
            let take = |part: &Needed| Some(traffic.brought.swap_remove(traffic.place(part)?).1);
            Ok(parts.iter().filter_map(take).collect())
        })
    }
}

/// What the page is to bring before a question can be answered.
#[derive(Serialize)]
pub struct Errand {
    fetch: Vec<Needed>,
}

/// Begins a question.
pub fn begin() {
    TRAFFIC.with_borrow_mut(|traffic| traffic.needed.clear());
}

/// What the question needs that was begun last, if that is anything; otherwise it has ended, and what was
/// brought for it is dropped.
pub fn errand() -> Option<Errand> {
    TRAFFIC.with_borrow_mut(|traffic| {
        if traffic.needed.is_empty() {
            traffic.brought.clear();
            return None;
        }
        Some(Errand { fetch: traffic.needed.clone() })
    })
}

/// Takes bytes for a place in the last [`Errand`]; whether they can be these.
pub fn bring(place: usize, bytes: Vec<u8>) -> bool {
    TRAFFIC.with_borrow_mut(|traffic| {
        let needed = traffic.needed.get(place).filter(|needed| needed.fits(&bytes)).cloned();
        needed.map(|needed| traffic.brought.push((needed, bytes))).is_some()
    })
}

/// What there is at an address.
#[derive(Serialize)]
pub struct Opened {
    /// The targets of the tables.
    targets: Vec<String>,
    /// Why files are of no use that have the name of a table.
    damaged: Vec<String>,
}

impl Opened {
    pub fn of(tables: &Tables) -> Opened {
        Opened {
            targets: tables.sets().map(|set| set.target()).collect(),
            damaged: tables.damaged().collect(),
        }
    }
}

/// Opens the tables at an address.
///
/// # Errors
/// If there are none, or bytes are to be brought first.
pub fn open(address: &str) -> Result<Tables, pentago::Error> {
    fetch_with(Arc::new(Page));
    Tables::open(KINDS, Some(Path::new(address)), Access::Read, CACHE)
}
