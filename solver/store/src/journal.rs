//! The journal of an unfinished table: one record per block. A writer that was killed resumes from
//! the journal, and the block index is made from the journal when the table is finished.
//!
//! The journal of `NAME.part` is `NAME.journal`. It begins with 8 magic bytes, 16 bytes that
//! identify the content, and a checksum of both. One record per block follows, in the order of the
//! blocks: the length and the checksum of the payload, the counters of the block, and a checksum of
//! the record. A record or payload is used only if its checksum matches, so the order in which the
//! system writes the two files to disk doesn't matter.

use crate::bytes::{checksum, put, take_u64, take_u64s};
use crate::header::RawHeader;
use crate::manifest::{MAX_PAYLOAD_BYTES, RawManifest};
use crate::reorder::EncodedBlock;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use twox_hash::XxHash3_64;

const MAGIC: [u8; 8] = *b"PENTJRN2";
pub const START_BYTES: usize = 32;

/// Returns the size in bytes of a record with `counters` counters.
pub fn record_bytes(counters: usize) -> usize {
    24 + 8 * counters
}

/// Returns the size in bytes of a journal for `blocks` blocks. The journal exists until its table
/// is finished.
#[must_use]
pub fn journal_bytes(counters: u8, blocks: u64) -> u64 {
    START_BYTES as u64 + blocks * record_bytes(counters.into()) as u64
}

impl RawManifest {
    /// Returns the size in bytes of the journal, which exists until the table is finished.
    pub fn journal_bytes(&self) -> u64 {
        journal_bytes(self.schema.counters, self.first_blocks().1)
    }
}

/// Encodes the start of a journal. `identity` is a hash of the content, the settings and the
/// program version.
pub fn start(identity: u128) -> [u8; START_BYTES] {
    let mut bytes = [0; START_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..24].copy_from_slice(&identity.to_le_bytes());
    let own = checksum(&bytes[..24]);
    bytes[24..].copy_from_slice(&own.to_le_bytes());
    bytes
}

/// Encodes the record of block `number`.
pub fn record(number: u64, block: &EncodedBlock) -> Vec<u8> {
    let mut record = Vec::with_capacity(record_bytes(block.counts.len()));
    put(&mut record, &[block.payload.len() as u64, block.checksum]);
    put(&mut record, &block.counts);
    let own = XxHash3_64::oneshot_with_seed(number, &record);
    put(&mut record, &[own]);
    record
}

/// Reads the record of block `number`: the length of its payload in bytes, the checksum of the
/// payload, and the counters. Returns `None` at the end of the journal, or if the record's checksum
/// doesn't match.
pub fn read_record(
    journal: &mut impl Read,
    buffer: &mut Vec<u8>,
    number: u64,
    counters: usize,
) -> io::Result<Option<(u64, u64, Vec<u64>)>> {
    buffer.resize(record_bytes(counters), 0);
    if !fill(journal, buffer)? {
        return Ok(None);
    }
    let (fields, own) = buffer.split_at(buffer.len() - 8);
    if XxHash3_64::oneshot_with_seed(number, fields).to_le_bytes() != own {
        return Ok(None);
    }
    let mut rest = fields;
    Ok(Some((take_u64(&mut rest), take_u64(&mut rest), take_u64s(&mut rest, counters))))
}

/// Reads a journal and the payloads of its part file, up to the first block whose record or payload
/// is damaged or missing. Calls `see` with the payload and the counters of each block, until `see`
/// returns `Break`. Returns the number of blocks that `see` received, or `None` if the journal
/// belongs to a table with other content or settings.
pub fn read(
    journal: &mut File,
    part: &mut File,
    (identity, header): (u128, &RawHeader),
    blocks: u64,
    mut see: impl FnMut(&[u8], &[u64]) -> ControlFlow<()>,
) -> io::Result<Option<u64>> {
    let mut journal = BufReader::with_capacity(1 << 16, journal);
    let mut part = BufReader::with_capacity(1 << 20, part);
    let mut first = [0; START_BYTES];
    if !fill(&mut journal, &mut first)?
        || first[..8] != MAGIC
        || checksum(&first[..24]).to_le_bytes() != first[24..]
    {
        return Ok(Some(0));
    }
    if first != start(identity) {
        return Ok(None);
    }
    let (mut payload, mut buffer) = (vec![0; header.first_payload() as usize], Vec::new());
    if !fill(&mut part, &mut payload)? {
        return Ok(Some(0));
    }
    let counters = usize::from(header.schema.counters);
    for number in 0..blocks {
        let record = read_record(&mut journal, &mut buffer, number, counters)?;
        let Some((bytes, sum, counts)) = record.filter(|&(bytes, ..)| bytes <= MAX_PAYLOAD_BYTES) else {
            return Ok(Some(number));
        };
        payload.resize(bytes as usize, 0);
        if !fill(&mut part, &mut payload)? || checksum(&payload) != sum {
            return Ok(Some(number));
        }
        if see(&payload, &counts).is_break() {
            return Ok(Some(number + 1));
        }
    }
    Ok(Some(blocks))
}

/// Fills `bytes` from a file. Returns `false` if the file has too few bytes.
pub fn fill(from: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(e) => Err(e),
    }
}
