//! The open bits as they are, in the order of the entries: first those of `not_lose`, then those of
//! `win` where `not_lose` is 1; then without their uniform bytes.

use super::super::CodecError;
use super::TRANSIT;
use super::uniform::{self, Parts};
use pentago_core::kernel::Kernel;
use pentago_core::values::open_bits::{OpenBits, pack, unpack};
use pentago_core::values::{ENTRY_BYTES, Entry};
use pentago_store::unzip;
use std::cell::RefCell;

/// What a thread keeps from block to block.
#[derive(Default)]
struct BitBuffers {
    bits: Vec<u8>,
    parts: Parts,
    code: Vec<u8>,
}

thread_local! {
    static BUFFERS: RefCell<BitBuffers> = RefCell::default();
    static OPEN: RefCell<OpenBits> = RefCell::default();
}

/// A byte before the bits: as they are, in one frame of zstd, as older programs wrote them, or their number of
/// bytes and those without the uniform ones.
const PLAIN: u8 = 0;
const ZSTD: u8 = 1;
const SHORTENED: u8 = 2;

/// Appends the payload of entries that are consistent and keep to the guess, and says how many bytes their
/// open bits take. Of others nothing is appended.
pub fn encode(entries: &[Entry], guess: &[Entry], payload: &mut Vec<u8>) -> Option<usize> {
    OPEN.with_borrow_mut(|open| {
        pack(Kernel::best(), entries, guess, open).map(|open| encode_bits(open, payload))
    })
}

/// The same of the open bits, in both parts.
pub fn encode_bits(open: [&[u8]; 2], payload: &mut Vec<u8>) -> usize {
    BUFFERS.with_borrow_mut(|BitBuffers { bits, parts, code }| {
        bits.clear();
        code.clear();
        open.into_iter().for_each(|part| bits.extend_from_slice(part));
        code.extend_from_slice(&(bits.len() as u32).to_le_bytes());
        uniform::write(Kernel::best(), bits, parts, code);
        let (how, body) = if code.len() < bits.len() { (SHORTENED, &code[..]) } else { (PLAIN, &bits[..]) };
        // At once: it is as large as it has to be.
        payload.reserve_exact(2 + body.len());
        payload.extend([TRANSIT, how]);
        payload.extend_from_slice(body);
        bits.len()
    })
}

/// Replaces guesses by the entries that the body of a payload makes of them.
pub fn decode(body: &[u8], entries: &mut [Entry]) -> Result<(), CodecError> {
    let (&how, body) = body.split_first().ok_or(CodecError::Bits)?;
    let fill = |bits: &[u8], entries: &mut [Entry]| {
        if unpack(Kernel::best(), bits, entries) { Ok(()) } else { Err(CodecError::Bits) }
    };
    // All bits of all entries, and some to fill two bytes.
    let most = ENTRY_BYTES * entries.len() + 2;
    BUFFERS.with_borrow_mut(|BitBuffers { bits, parts, .. }| match how {
        PLAIN => fill(body, entries),
        ZSTD => {
            unzip(body, 0..=most, bits).map_err(CodecError::Zstd)?;
            fill(bits, entries)
        }
        SHORTENED => {
            let (len, mut code) = body.split_first_chunk().ok_or(CodecError::Bits)?;
            let len = usize::try_from(u32::from_le_bytes(*len)).ok().filter(|&len| len <= most);
            uniform::read(Kernel::best(), &mut code, len.ok_or(CodecError::Bits)?, parts, bits)
                .filter(|_| code.is_empty())
                .ok_or(CodecError::Bits)?;
            fill(bits, entries)
        }
        _ => Err(CodecError::Bits),
    })
}
