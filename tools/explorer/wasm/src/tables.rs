//! Tables on a web host. The module cannot wait for a host, so the page fetches the bytes. If a
//! request needs bytes, the answer lists them. The page passes the bytes to the module, and repeats
//! the request.
//!
//! The bytes are verified with checksums, as in a local file (`solver/store/src/remote.rs`). Wrong
//! bytes cause an error, never a wrong value.

use pentago_games::{KINDS, Tablebase};
use pentago_store::{Fetch, fetch_with};
use serde::Serialize;
use serde_json::json;
use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The capacity in bytes of the cache of decoded blocks, for each kind of game.
const CACHE: usize = 32 << 20;

/// A file on a host, or a range of bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RemoteBytes {
    address: String,
    /// The number of bytes of the range, or the maximum length of a whole file.
    bytes: u64,
    /// The offset of the range, and the size of the file, or `None` for a whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<[u64; 2]>,
}

/// The bytes that the current request still needs, and the bytes that the page has fetched.
#[derive(Default)]
struct Transfers {
    missing: Vec<RemoteBytes>,
    fetched: Vec<(RemoteBytes, Vec<u8>)>,
}

thread_local! {
    static TRANSFERS: RefCell<Transfers> = RefCell::default();
}

impl Transfers {
    /// Returns the index of `wanted` in `fetched`, or `None` if the page has not fetched these
    /// bytes.
    fn find(&self, wanted: &RemoteBytes) -> Option<usize> {
        self.fetched.iter().position(|(fetched, _)| fetched == wanted)
    }

    /// Adds `wanted` to the missing bytes. Returns the error that ends the request.
    fn request(&mut self, wanted: RemoteBytes) -> io::Error {
        if !self.missing.contains(&wanted) {
            self.missing.push(wanted);
        }
        io::ErrorKind::WouldBlock.into()
    }
}

/// Fetches bytes through the page.
#[derive(Debug)]
struct PageFetch;

impl Fetch for PageFetch {
    fn whole(&self, address: &str, most: u64) -> io::Result<Vec<u8>> {
        TRANSFERS.with_borrow_mut(|transfers| {
            let file = RemoteBytes { address: address.to_owned(), bytes: most, part: None };
            match transfers.find(&file) {
                // Each kind of game reads this file, so keep it in `fetched`.
                Some(at) => Ok(transfers.fetched[at].1.clone()),
                None => Err(transfers.request(file)),
            }
        })
    }

    fn parts(&self, address: &str, size: u64, parts: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        TRANSFERS.with_borrow_mut(|transfers| {
            let mut wanted = Vec::new();
            let mut error = None;
            for range in parts {
                let part = RemoteBytes {
                    address: address.to_owned(),
                    bytes: range.end - range.start,
                    part: Some([range.start, size]),
                };
                if transfers.find(&part).is_none() {
                    error = Some(transfers.request(part.clone()));
                }
                wanted.push(part);
            }
            if let Some(error) = error {
                return Err(error);
            }
            // The caller caches valid ranges, so a range that is requested again was damaged.
            // Remove each range from `fetched`, so that the page fetches a damaged range again.
            let take = |part: &RemoteBytes| Some(transfers.fetched.swap_remove(transfers.find(part)?).1);
            Ok(wanted.iter().filter_map(take).collect())
        })
    }
}

/// Begins a request: forgets the missing bytes of the previous request.
pub fn begin() {
    TRANSFERS.with_borrow_mut(|transfers| transfers.missing.clear());
}

/// Returns the missing bytes of the request. If no bytes are missing, the request has ended, so its
/// fetched bytes are dropped.
pub fn missing() -> Vec<RemoteBytes> {
    TRANSFERS.with_borrow_mut(|transfers| {
        if transfers.missing.is_empty() {
            transfers.fetched.clear();
        }
        transfers.missing.clone()
    })
}

/// Stores the bytes for the entry at `index` of the list that [`missing`] returns. Returns `true`
/// if the number of bytes is right.
pub fn bring(index: usize, bytes: Vec<u8>) -> bool {
    TRANSFERS.with_borrow_mut(|transfers| {
        let Some(wanted) = transfers.missing.get(index).cloned() else { return false };
        let size = bytes.len() as u64;
        let fits = if wanted.part.is_some() { size == wanted.bytes } else { size <= wanted.bytes };
        if fits {
            transfers.fetched.push((wanted, bytes));
        }
        fits
    })
}

/// Returns the targets of opened tables, and the errors of unusable files that are named like
/// tables.
pub fn report(tables: &Tablebase) -> serde_json::Value {
    let targets: Vec<String> = tables.targets().map(|tables| tables.target()).collect();
    json!({ "targets": targets, "damaged": tables.damaged })
}

/// Opens the tables at an address.
///
/// # Errors
/// If there are no tables at the address, or if the page must fetch bytes first.
pub fn open(address: &str) -> Result<Tablebase, pentago::Error> {
    fetch_with(Arc::new(PageFetch));
    Tablebase::open(KINDS, Some(Path::new(address)), CACHE)
}
