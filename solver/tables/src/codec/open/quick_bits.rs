//! The body of a quick payload: the open bits, in the order of the entries, without uniform bytes
//! (0 and 255). The open bits of `not_lose` come first. The bits of `win` follow, only for
//! rotations where `not_lose` is 1.

use super::uniform::{self, UniformParts};
use crate::codec::dense::CodecError;
use pentago_core::kernel::Kernel;
use pentago_core::values::open_bits::{OpenBits, pack, unpack};
use pentago_core::values::{ENTRY_BYTES, Entry};
use std::cell::RefCell;

thread_local! {
    /// Reused buffers: the bits of the current block, the parts of their code, and the code.
    static BUFFERS: RefCell<(Vec<u8>, UniformParts, Vec<u8>)> = RefCell::default();
    static OPEN: RefCell<OpenBits> = RefCell::default();
}

/// The tag of a quick payload.
pub const QUICK: u8 = 3;
/// The values of the byte that follows the tag. After `PLAIN`, the rest of the body is the open
/// bits. After `SHORTENED`, the rest is the number of bytes with open bits, then the code of these
/// bytes.
const PLAIN: u8 = 0;
const SHORTENED: u8 = 1;

/// Appends the payload of a block, and returns the number of bytes with open bits. Returns `None`,
/// and appends nothing, if some entry lies outside the bounds of `guess`.
pub fn encode(entries: &[Entry], guess: &[Entry], payload: &mut Vec<u8>) -> Option<usize> {
    OPEN.with_borrow_mut(|open| {
        pack(Kernel::best(), entries, guess, open).map(|open| encode_bits(open, payload))
    })
}

/// Appends the payload of the given open bits, and returns the number of bytes with open bits. The
/// first part of `open` belongs to `not_lose`, and the second part to `win`.
pub fn encode_bits(open: [&[u8]; 2], payload: &mut Vec<u8>) -> usize {
    BUFFERS.with_borrow_mut(|(bits, parts, code)| {
        bits.clear();
        code.clear();
        open.into_iter().for_each(|part| bits.extend_from_slice(part));
        code.extend_from_slice(&(bits.len() as u32).to_le_bytes());
        uniform::write(Kernel::best(), bits, parts, code);
        let (how, body) = if code.len() < bits.len() { (SHORTENED, &code[..]) } else { (PLAIN, &bits[..]) };
        // The final length is known here, so reserve exactly this much.
        payload.reserve_exact(2 + body.len());
        payload.extend([QUICK, how]);
        payload.extend_from_slice(body);
        bits.len()
    })
}

/// Decodes the body of a payload. The caller passes the guess in `entries`, and the function
/// replaces the guess by the values.
///
/// # Errors
/// If the body has too many or too few bits, or if its code is invalid.
pub fn decode(body: &[u8], entries: &mut [Entry]) -> Result<(), CodecError> {
    let (&how, body) = body.split_first().ok_or(CodecError::Bits)?;
    let fill = |bits: &[u8], entries: &mut [Entry]| {
        if unpack(Kernel::best(), bits, entries) { Ok(()) } else { Err(CodecError::Bits) }
    };
    match how {
        PLAIN => fill(body, entries),
        SHORTENED => BUFFERS.with_borrow_mut(|(bits, parts, _)| {
            let (len, mut code) = body.split_first_chunk().ok_or(CodecError::Bits)?;
            let len = usize::try_from(u32::from_le_bytes(*len)).map_err(|_| CodecError::Bits)?;
            // At most, all bits of all entries are open, and the two parts have one byte of padding
            // each.
            if len > ENTRY_BYTES * entries.len() + 2 {
                return Err(CodecError::Bits);
            }
            uniform::read(Kernel::best(), &mut code, len, parts, bits)
                .filter(|_| code.is_empty())
                .ok_or(CodecError::Bits)?;
            fill(bits, entries)
        }),
        _ => Err(CodecError::Bits),
    }
}
