//! What an unfinished table has already: a record per block, from which a writer that was killed goes on.
//!
//! The journal of `NAME.part` is `NAME.journal`: 8 bytes of magic, 16 that tell what is written, and a checksum of both; then 48
//! bytes per block in order: the payload's length and checksum, the counts of the block, and a checksum of the record. Nothing here or in the
//! payloads is believed without its checksum, so it doesn't matter which of both files the system wrote back first.

use super::header::{IndexRecord, checksum};
use super::reorder::Encoded;
use crate::codec::longest_payload;
use crate::values::WdlCounts;
use std::fs::File;
use std::io::{self, BufReader, Read};
use twox_hash::XxHash3_64;

const MAGIC: [u8; 8] = *b"PENTJRN1";
pub(super) const START_BYTES: usize = 32;
pub(super) const RECORD_BYTES: usize = 48;

/// The first bytes of a journal; `identity` tells content, settings and program version.
pub(super) fn start(identity: u128) -> [u8; START_BYTES] {
    let mut bytes = [0; START_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..24].copy_from_slice(&identity.to_le_bytes());
    let own = checksum(&bytes[..24]);
    bytes[24..].copy_from_slice(&own.to_le_bytes());
    bytes
}

/// The record of block `number`.
pub(super) fn record(number: u64, block: &Encoded) -> [u8; RECORD_BYTES] {
    let WdlCounts { wins, draws, losses } = block.counts;
    let mut bytes = [0; RECORD_BYTES];
    let fields = [block.payload.len() as u64, block.checksum, wins, draws, losses];
    for (to, field) in bytes.chunks_exact_mut(8).zip(fields) {
        to.copy_from_slice(&field.to_le_bytes());
    }
    let own = XxHash3_64::oneshot_with_seed(number, &bytes[..40]);
    bytes[40..].copy_from_slice(&own.to_le_bytes());
    bytes
}

/// What a journal says about the file beside it.
pub(super) enum Found {
    /// Nothing: it was never begun properly.
    Nothing,
    /// Something else is being written there.
    Foreign,
    /// These blocks are complete.
    Blocks(Vec<(IndexRecord, u64, WdlCounts)>),
}

/// Reads a journal and the payloads: the blocks up to the first that isn't as it was written. `lens` are the entries of the blocks,
/// `at` where the first payload lies; each payload that is there is handed to `see`.
pub(super) fn read(
    journal: &mut File,
    part: &mut File,
    identity: u128,
    lens: impl Iterator<Item = usize>,
    mut see: impl FnMut(&[u8]),
) -> io::Result<Found> {
    let mut at = super::header::HEADER_BYTES as u64;
    let mut journal = BufReader::with_capacity(1 << 16, journal);
    let mut part = BufReader::with_capacity(1 << 20, part);
    let mut first = [0; START_BYTES];
    if !fill(&mut journal, &mut first)?
        || first[..8] != MAGIC
        || checksum(&first[..24]).to_le_bytes() != first[24..]
    {
        return Ok(Found::Nothing);
    }
    if first != start(identity) {
        return Ok(Found::Foreign);
    }
    let mut blocks = Vec::new();
    let mut payload = Vec::new();
    let mut header = [0; super::header::HEADER_BYTES];
    if !fill(&mut part, &mut header)? {
        return Ok(Found::Blocks(blocks));
    }
    let mut bytes = [0; RECORD_BYTES];
    for (number, len) in (0u64..).zip(lens) {
        if !fill(&mut journal, &mut bytes)? {
            break;
        }
        let own = XxHash3_64::oneshot_with_seed(number, &bytes[..40]);
        let field = |i: usize| u64::from_le_bytes(bytes[8 * i..][..8].try_into().expect("eight bytes"));
        if own != field(5) || field(0) > longest_payload(len) as u64 {
            break;
        }
        payload.resize(field(0) as usize, 0);
        if !fill(&mut part, &mut payload)? || checksum(&payload) != field(1) {
            break;
        }
        see(&payload);
        let counts = WdlCounts { wins: field(2), draws: field(3), losses: field(4) };
        blocks.push((IndexRecord { offset: at, checksum: field(1) }, field(0), counts));
        at += field(0);
    }
    Ok(Found::Blocks(blocks))
}

/// Fills `bytes`; false if the file ends before.
fn fill(from: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(e) => Err(e),
    }
}
