//! Payloads that hold all bits of the entries: a single entry if all entries are equal, or bit
//! planes, raw or as a zstd frame.

use super::planes::{join, planes_bytes, split, words};
use pentago_core::values::{ENTRY_BYTES, Entry};
use pentago_store::{unzip, zip};
use std::cell::RefCell;

/// The tag of a block of equal entries. The body is one entry: 64 bytes.
pub(super) const EQUAL: u8 = 0;
/// The tag of raw bit planes.
pub(super) const PLAIN: u8 = 1;
/// The tag of one zstd frame of the bit planes.
pub(super) const ZSTD: u8 = 2;

/// A compression level of zstd. Decoding takes the same time at every level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

impl Level {
    /// The level for temporary data: zstd 1.
    pub const SCRATCH: Level = Level(1);
    /// The level for tables that stay: zstd 9.
    pub const KEPT: Level = Level(9);

    /// Returns a level from 1 to 19, or `None` for any other number.
    #[must_use]
    pub const fn new(level: u8) -> Option<Level> {
        if level >= 1 && level <= 19 { Some(Level(level)) } else { None }
    }

    /// Returns the level as a number from 1 to 19.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }
}

/// The reasons why a payload is invalid for a block with the expected number of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// The payload has no bytes.
    #[error("the payload is empty")]
    Empty,
    /// The first byte is not a tag of the codec.
    #[error("the payload has the unknown tag {0}")]
    Tag(u8),
    /// The payload doesn't have the length that its tag and the number of entries require.
    #[error("the payload has {found} bytes after its tag instead of {expected}")]
    Length {
        /// The number of bytes after the tag.
        found: usize,
        /// The required number of bytes after the tag.
        expected: usize,
    },
    /// The body is not a single zstd frame of the right length.
    #[error("zstd: {0}")]
    Zstd(&'static str),
    /// A bit after the last entry is set.
    #[error("the bit planes have bits after the last entry")]
    Padding,
    /// The body has too few or too many open bits, or an invalid code.
    #[error("the open bits don't fit the number of entries")]
    Bits,
    /// The entry with this index marks a position as both won and lost.
    #[error("entry {0} is both won and lost for some rotation")]
    Inconsistent(usize),
}

thread_local! {
    /// The bit planes and the zstd frame of the current block.
    static BUFFERS: RefCell<[Vec<u8>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
}

/// Returns the maximum length of a payload of `len` entries, in bytes.
#[must_use]
pub const fn longest_payload(len: usize) -> usize {
    1 + if len == 0 { 0 } else { planes_bytes(len) }
}

/// Appends the payload of a block as bit planes, compressed at `level`.
///
/// # Panics
/// If `entries` is empty.
pub fn encode(entries: &[Entry], level: Level, payload: &mut Vec<u8>) {
    assert!(!entries.is_empty(), "no block is empty");
    if push_equal(entries, payload) {
        return;
    }
    BUFFERS.with_borrow_mut(|[planes, frame]| {
        planes.resize(planes_bytes(entries.len()), 0);
        split(entries, planes);
        // The buffer has the size of the planes, so a longer frame doesn't fit.
        frame.resize(planes.len(), 0);
        let (tag, body) = match zip(planes, level.number(), frame) {
            Some(written) => (ZSTD, &frame[..written]),
            None => (PLAIN, &planes[..]),
        };
        payload.push(tag);
        payload.extend_from_slice(body);
    });
}

/// Appends the payload of entries that are all equal. Returns `false`, and appends nothing, if the
/// entries differ.
pub(super) fn push_equal(entries: &[Entry], payload: &mut Vec<u8>) -> bool {
    let equal = entries.iter().all(|e| e == &entries[0]);
    if equal {
        payload.push(EQUAL);
        payload.extend(entry_bytes(&entries[0]));
    }
    equal
}

/// Fills `entries` from the payload of a block with exactly that many entries. [`check`] then tests
/// the values.
///
/// # Errors
/// If the payload is invalid. The entries are then unspecified.
pub fn decode(payload: &[u8], entries: &mut [Entry]) -> Result<(), CodecError> {
    let (&tag, body) = payload.split_first().ok_or(CodecError::Empty)?;
    let exactly = |expected: usize| {
        let found = body.len();
        if found == expected { Ok(()) } else { Err(CodecError::Length { found, expected }) }
    };
    match tag {
        EQUAL => {
            exactly(ENTRY_BYTES)?;
            entries.fill(entry_from_bytes(body.try_into().expect("the length was checked")));
        }
        PLAIN => {
            exactly(planes_bytes(entries.len()))?;
            check_padding(body, entries.len())?;
            join(body, entries);
        }
        ZSTD => BUFFERS.with_borrow_mut(|[planes, _]| {
            let len = planes_bytes(entries.len());
            unzip(body, len..=len, planes).map_err(CodecError::Zstd)?;
            check_padding(planes, entries.len())?;
            join(planes, entries);
            Ok(())
        })?,
        _ => return Err(CodecError::Tag(tag)),
    }
    Ok(())
}

/// Checks that no position is both won and lost.
///
/// # Errors
/// [`CodecError::Inconsistent`] with the index of the first such entry.
pub fn check(entries: &[Entry]) -> Result<(), CodecError> {
    let wrong = entries.iter().position(|e| !e.is_consistent());
    wrong.map_or(Ok(()), |at| Err(CodecError::Inconsistent(at)))
}

fn check_padding(planes: &[u8], len: usize) -> Result<(), CodecError> {
    let used = len % 8;
    let clean = used == 0 || planes.chunks_exact(len.div_ceil(8)).all(|plane| plane[len / 8] >> used == 0);
    if clean { Ok(()) } else { Err(CodecError::Padding) }
}

/// Returns the bytes of an entry: `win` at even and odd rotations, then `not_lose` at even and odd
/// rotations, 16 bytes each.
#[must_use]
pub fn entry_bytes(entry: &Entry) -> [u8; ENTRY_BYTES] {
    zerocopy::transmute!(words(entry).map(u64::to_le))
}

/// Returns the entry of 64 bytes: the inverse of [`entry_bytes`].
#[must_use]
pub fn entry_from_bytes(bytes: &[u8; ENTRY_BYTES]) -> Entry {
    let words: [u64; 8] = zerocopy::transmute!(*bytes);
    zerocopy::transmute!(words.map(u64::from_le))
}
