//! Payloads that hold plain bytes, compressed if compression makes them shorter. A payload is a tag
//! byte and a body. All schemas without a codec of their own use this encoding (`db-format.md`,
//! part D).

use std::cell::RefCell;
use std::ops::RangeInclusive;

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe;

/// The tag of uncompressed bytes.
const PLAIN: u8 = 1;
/// The tag of a single zstd frame that records the size of its content.
const ZSTD: u8 = 2;

/// The error of an invalid payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// The payload is empty, so it has no tag.
    #[error("the payload is empty")]
    Empty,
    /// The tag is unknown.
    #[error("the payload has the unknown tag {0}")]
    Tag(u8),
    /// The content doesn't have the size of the block. The field is the size of the block in bytes.
    #[error("the payload does not decode to {0} bytes")]
    Length(usize),
    /// The body is not a valid zstd frame.
    #[error("zstd: {0}")]
    Zstd(&'static str),
}

thread_local! {
    static COMPRESS: RefCell<Option<(Compressor<'static>, u8)>> = const { RefCell::new(None) };
    static DECOMPRESS: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Returns the maximum size in bytes of a payload that encodes `len` bytes.
pub const fn longest_packed(len: usize) -> u64 {
    1 + len as u64
}

/// Encodes bytes as a payload. `level` is the zstd level, from 1 to 19. Payloads with equal content
/// and equal level are equal.
pub fn pack(content: &[u8], level: u8) -> Vec<u8> {
    let mut payload = vec![0; 1 + content.len()];
    // Require the frame to be shorter than the content. If the frame doesn't fit, store the content
    // uncompressed.
    let room = content.len().saturating_sub(1);
    match zip(content, level, &mut payload[1..=room]) {
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

/// Compresses `content` as one zstd frame at the start of `to`. `level` is the zstd level, from 1
/// to 19. Returns the length of the frame in bytes, or `None` if the frame doesn't fit. The frame
/// depends only on the content, the level and the length of `to`. The frame records the size of the
/// content and has no checksum.
pub fn zip(content: &[u8], level: u8, to: &mut [u8]) -> Option<usize> {
    COMPRESS.with_borrow_mut(|kept| {
        if kept.as_ref().is_none_or(|(_, l)| *l != level) {
            *kept = Compressor::new(level.clamp(1, 19).into()).ok().map(|c| (c, level));
        }
        kept.as_mut()?.0.compress_to_buffer(content, to).ok()
    })
}

/// Decodes a payload to `len` bytes.
///
/// # Errors
/// If the payload is invalid or doesn't decode to `len` bytes.
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

/// Decompresses a body that must be a single zstd frame. `lens` is the permitted range of the
/// content's size in bytes.
///
/// # Errors
/// The cause of the failure, as text.
pub fn unzip(body: &[u8], lens: RangeInclusive<usize>, to: &mut Vec<u8>) -> Result<(), &'static str> {
    // Reject several frames here: the decompression would accept them, and would skip frames that
    // are marked as skippable.
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
        let decompressor = kept.as_mut().ok_or("not enough memory for the decompressor")?;
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
                    // `unpack` refuses a shortened payload, a lengthened payload, and a payload
                    // with an unknown tag.
                    assert!(unpack(&payload[..payload.len() - 1], len).is_err());
                    assert!(unpack(&[&payload[..], &[0]].concat(), len).is_err());
                    assert_eq!(unpack(&[&[3], &payload[1..]].concat(), len), Err(PackError::Tag(3)));
                }
            }
        }
        assert_eq!(unpack(&[], 1), Err(PackError::Empty));
    }
}
