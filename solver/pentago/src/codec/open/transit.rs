//! The open bits as they are, in the order of the entries: first those of `not_lose`, then those of
//! `win` where `not_lose` is 1; then zstd 1, which finds a few repeats and takes rare bytes for
//! more bits than frequent ones.

use super::super::{CodecError, zstd_error};
use super::TRANSIT;
use super::bits::{PackScratch, pack, unpack};
use crate::kernel::Kernel;
use crate::values::{ENTRY_BYTES, Entry};
use std::cell::RefCell;
use zstd::zstd_safe::{self, CCtx, CParameter, DCtx};

/// What a thread keeps from block to block.
struct BitBuffers {
    bits: Vec<u8>,
    packed: PackScratch,
    frame: Vec<u8>,
    compress: Option<CCtx<'static>>,
    decompress: Option<DCtx<'static>>,
}

thread_local! {
    static BUFFERS: RefCell<BitBuffers> =
        const {
            RefCell::new(BitBuffers {
                bits: Vec::new(),
                packed: [const { Vec::new() }; 2],
                frame: Vec::new(),
                compress: None,
                decompress: None,
            })
        };
}

/// The level of zstd.
const LEVEL: i32 = 1;
/// A byte before the bits: as they are, or one zstd frame.
const PLAIN: u8 = 0;
const ZSTD: u8 = 1;

/// Appends the payload of entries that are consistent and keep to the guess. Says whether they are and do;
/// otherwise nothing is appended.
pub fn encode(entries: &[Entry], guess: &[Entry], payload: &mut Vec<u8>) -> bool {
    BUFFERS.with_borrow_mut(|BitBuffers { bits, packed, frame, compress, .. }| {
        bits.clear();
        if !pack(Kernel::best(), entries, guess, packed, bits) {
            return false;
        }
        payload.push(TRANSIT);
        let context = compress.get_or_insert_with(|| {
            let mut context = CCtx::create();
            context.set_parameter(CParameter::CompressionLevel(LEVEL)).expect("a level of zstd");
            context
        });
        // A frame of as many bytes as the bits would be no gain. Whether a shorter one is found
        // depends on the room that zstd has: always the same.
        if frame.len() < bits.len() {
            frame.resize(bits.len(), 0);
        }
        match context.compress2(&mut frame[..bits.len()], &bits[..]) {
            Ok(written) if written < bits.len() => {
                payload.push(ZSTD);
                payload.extend_from_slice(&frame[..written]);
            }
            _ => {
                payload.push(PLAIN);
                payload.extend_from_slice(bits);
            }
        }
        true
    })
}

/// Replaces guesses by the entries that the body of a payload makes of them.
pub fn decode(body: &[u8], entries: &mut [Entry]) -> Result<(), CodecError> {
    let (&how, body) = body.split_first().ok_or(CodecError::Bits)?;
    let fill = |bits: &[u8], entries: &mut [Entry]| {
        if unpack(Kernel::best(), bits, entries) { Ok(()) } else { Err(CodecError::Bits) }
    };
    match how {
        PLAIN => fill(body, entries),
        ZSTD => BUFFERS.with_borrow_mut(|BitBuffers { bits, decompress, .. }| {
            // A body is one frame: zstd would take several, and skip what is marked to be skipped.
            let frame = zstd_safe::find_frame_compressed_size(body).map_err(zstd_error)?;
            if frame != body.len() {
                return Err(CodecError::Length { found: body.len(), expected: frame });
            }
            let content = zstd_safe::get_frame_content_size(body).ok().flatten();
            // All bits of all entries, and some to fill two bytes.
            let most = ENTRY_BYTES * entries.len() + 2;
            let len = content.and_then(|len| usize::try_from(len).ok()).filter(|&len| len <= most);
            let len = len.ok_or(CodecError::Zstd("the content is longer than the block"))?;
            bits.resize(len, 0);
            let context = decompress.get_or_insert_with(DCtx::create);
            let written = context.decompress(&mut bits[..], body).map_err(zstd_error)?;
            if written != len {
                return Err(CodecError::Zstd("the content has another length than it says"));
            }
            fill(bits, entries)
        }),
        _ => Err(CodecError::Bits),
    }
}
