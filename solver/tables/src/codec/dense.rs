//! Payloads that contain every bit of the entries, without a guess. If all entries are equal, the
//! payload is a single entry. Otherwise it contains bit planes, either raw or in a zstd frame.

use super::planes::{join, planes_bytes, split, words};
use pentago_core::values::{ENTRY_BYTES, Entry};
use pentago_store::{unzip, zip};
use std::cell::RefCell;

/// The tag of a block whose entries are all equal. The body is one entry of 64 bytes.
pub(super) const EQUAL: u8 = 0;
/// The tag of a payload whose body is the raw bit planes.
pub(super) const PLAIN: u8 = 1;
/// The tag of a payload whose body is one zstd frame with the bit planes.
pub(super) const ZSTD: u8 = 2;

/// A compression level of zstd. Decoding takes the same time at every level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

impl Level {
    /// The level for temporary data: zstd 1, which is fast.
    pub const SCRATCH: Level = Level(1);
    /// The level for permanent tables: zstd 9.
    pub const KEPT: Level = Level(9);

    /// Creates the level with this number. Returns `None` if the number isn't between 1 and 19.
    pub const fn new(level: u8) -> Option<Level> {
        if level >= 1 && level <= 19 { Some(Level(level)) } else { None }
    }

    /// Returns the level as a number from 1 to 19.
    pub const fn number(self) -> u8 {
        self.0
    }
}

/// The reason why a payload cannot be decoded as a block with the expected number of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// The payload has no bytes.
    #[error("the payload is empty")]
    Empty,
    /// The first byte is not a tag of the codec.
    #[error("the payload has the unknown tag {0}")]
    Tag(u8),
    /// The length of the payload doesn't match the tag and the number of entries.
    #[error("the payload has {found} bytes after its tag instead of {expected}")]
    Length {
        /// The number of bytes that follow the tag.
        found: usize,
        /// The number of bytes that must follow the tag.
        expected: usize,
    },
    /// The body is not a single zstd frame of the right length.
    #[error("zstd: {0}")]
    Zstd(&'static str),
    /// The padding at the end of a bit plane contains a bit that is 1.
    #[error("the bit planes have bits after the last entry")]
    Padding,
    /// The body has too few or too many open bits, or its code is invalid.
    #[error("the open bits don't fit the number of entries")]
    Bits,
    /// The entry with this index marks some position as both won and lost.
    #[error("entry {0} is both won and lost for some rotation")]
    Inconsistent(usize),
}

thread_local! {
    /// Reused buffers: the bit planes of the current block, and its zstd frame.
    static BUFFERS: RefCell<[Vec<u8>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
}

/// Returns the maximum length in bytes of the payload of a block with `len` entries.
pub const fn longest_payload(len: usize) -> usize {
    1 + if len == 0 { 0 } else { planes_bytes(len) }
}

/// Appends the payload of a block to `payload`: one entry if all entries are equal, otherwise bit
/// planes, compressed at `level`.
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
        // The output buffer is as large as the planes, so `zip` fails if the compressed frame would
        // be larger. The planes are then stored raw.
        frame.resize(planes.len(), 0);
        let (tag, body) = match zip(planes, level.number(), frame) {
            Some(written) => (ZSTD, &frame[..written]),
            None => (PLAIN, &planes[..]),
        };
        payload.push(tag);
        payload.extend_from_slice(body);
    });
}

/// If all entries are equal, appends the payload of the block and returns `true`. Otherwise appends
/// nothing and returns `false`.
pub(super) fn push_equal(entries: &[Entry], payload: &mut Vec<u8>) -> bool {
    let equal = entries.iter().all(|e| e == &entries[0]);
    if equal {
        payload.push(EQUAL);
        payload.extend(entry_bytes(&entries[0]));
    }
    equal
}

/// Decodes the payload of a block into `entries`, whose length must be the number of entries in the
/// block. The decoded values may be inconsistent: call [`check`] to test them.
///
/// # Errors
/// If the payload is invalid. The contents of `entries` are then unspecified.
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

/// Checks that no entry marks a position as both won and lost.
///
/// # Errors
/// [`CodecError::Inconsistent`] with the index of the first inconsistent entry.
pub fn check(entries: &[Entry]) -> Result<(), CodecError> {
    let wrong = entries.iter().position(|e| !e.is_consistent());
    wrong.map_or(Ok(()), |at| Err(CodecError::Inconsistent(at)))
}

fn check_padding(planes: &[u8], len: usize) -> Result<(), CodecError> {
    let used = len % 8;
    let clean = used == 0 || planes.chunks_exact(len.div_ceil(8)).all(|plane| plane[len / 8] >> used == 0);
    if clean { Ok(()) } else { Err(CodecError::Padding) }
}

/// Returns the 64 bytes of an entry: `win` at even rotations, `win` at odd rotations, `not_lose` at
/// even rotations, and `not_lose` at odd rotations. Each of these four parts has 16 bytes.
pub fn entry_bytes(entry: &Entry) -> [u8; ENTRY_BYTES] {
    zerocopy::transmute!(words(entry).map(u64::to_le))
}

/// Returns the entry that [`entry_bytes`] encodes as `bytes`.
pub fn entry_from_bytes(bytes: &[u8; ENTRY_BYTES]) -> Entry {
    let words: [u64; 8] = zerocopy::transmute!(*bytes);
    zerocopy::transmute!(words.map(u64::from_le))
}
