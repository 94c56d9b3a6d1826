//! Payloads that are nothing but bytes, compressed where that makes them shorter: one byte, the
//! tag, and a body. Schemas that need no codec of their own share it (`db-format.md`, part D).

use std::cell::RefCell;
use std::ops::RangeInclusive;

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe;

/// The bytes as they are.
const PLAIN: u8 = 1;
/// One zstd frame that says how long its content is.
const ZSTD: u8 = 2;

/// Why a payload is not one of so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// No payload is empty.
    #[error("the payload is empty")]
    Empty,
    /// The first byte is none of the tags.
    #[error("the payload has the unknown tag {0}")]
    Tag(u8),
    /// It is longer or shorter than the block.
    #[error("the payload is not one of {0} bytes")]
    Length(usize),
    /// What follows is no zstd frame.
    #[error("zstd: {0}")]
    Zstd(&'static str),
}

thread_local! {
    static COMPRESS: RefCell<Option<(Compressor<'static>, u8)>> = const { RefCell::new(None) };
    static DECOMPRESS: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The most bytes that the payload of `len` bytes takes.
#[must_use]
pub const fn longest_packed(len: usize) -> u64 {
    1 + len as u64
}

/// The payload of some bytes, at a level of zstd from 1 to 19: the same bytes for the same content
/// and level.
#[must_use]
pub fn pack(content: &[u8], level: u8) -> Vec<u8> {
    let mut payload = vec![0; 1 + content.len()];
    let written = COMPRESS.with_borrow_mut(|kept| {
        if kept.as_ref().is_none_or(|(_, l)| *l != level) {
            *kept = Compressor::new(level.clamp(1, 19).into()).ok().map(|c| (c, level));
        }
        // A frame of as many bytes as the content would be no gain.
        let room = content.len().checked_sub(1)?;
        kept.as_mut()?.0.compress_to_buffer(content, &mut payload[1..=room]).ok()
    });
    match written {
        Some(written) => {
            payload[0] = ZSTD;
            payload.truncate(1 + written);
        }
        None => {
            payload[0] = PLAIN;
            payload[1..].copy_from_slice(content);
        }
    }
    payload
}

/// The `len` bytes of a payload.
///
/// # Errors
/// If it isn't the payload of so many.
pub fn unpack(payload: &[u8], len: usize) -> Result<Vec<u8>, PackError> {
    let (&tag, body) = payload.split_first().ok_or(PackError::Empty)?;
    match tag {
        PLAIN if body.len() == len => Ok(body.to_vec()),
        PLAIN => Err(PackError::Length(len)),
        ZSTD => {
            let mut bytes = Vec::new();
            unzip(body, len..=len, &mut bytes).map_err(PackError::Zstd)?;
            Ok(bytes)
        }
        tag => Err(PackError::Tag(tag)),
    }
}

/// Unpacks the one frame of zstd that a body is, whose content has one of these lengths.
///
/// # Errors
/// What is wrong with it.
pub fn unzip(body: &[u8], lens: RangeInclusive<usize>, to: &mut Vec<u8>) -> Result<(), &'static str> {
    // zstd would take several frames, and skip what is marked to be skipped.
    if zstd_safe::find_frame_compressed_size(body).map_err(zstd_safe::get_error_name)? != body.len() {
        return Err("there is more than one frame");
    }
    let other = "the content has another length than the block";
    let content = zstd_safe::get_frame_content_size(body).ok().flatten();
    let len = content.and_then(|len| usize::try_from(len).ok()).filter(|len| lens.contains(len));
    to.resize(len.ok_or(other)?, 0);
    let written = DECOMPRESS.with_borrow_mut(|kept| {
        if kept.is_none() {
            *kept = Decompressor::new().ok();
        }
        let decompressor = kept.as_mut().ok_or("no memory")?;
        decompressor.decompress_to_buffer(body, &mut to[..]).map_err(|_| "the frame is damaged")
    })?;
    if written == to.len() { Ok(()) } else { Err(other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_are_read_as_written() {
        let mut random = 1u32;
        let mut noise = |_| {
            random = random.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (random >> 24) as u8
        };
        for len in [1, 2, 17, 4096, 70_000] {
            for content in [vec![7; len], (0..len).map(&mut noise).collect()] {
                for level in [1, 3, 9] {
                    let payload = pack(&content, level);
                    assert!(payload.len() as u64 <= longest_packed(len));
                    assert_eq!(unpack(&payload, len).as_ref(), Ok(&content));
                    assert!(unpack(&payload, len + 1).is_err());
                    // Cut, longer, or with another tag: refused.
                    assert!(unpack(&payload[..payload.len() - 1], len).is_err());
                    assert!(unpack(&[&payload[..], &[0]].concat(), len).is_err());
                    assert_eq!(unpack(&[&[3], &payload[1..]].concat(), len), Err(PackError::Tag(3)));
                }
            }
        }
        assert_eq!(unpack(&[], 1), Err(PackError::Empty));
    }
}
