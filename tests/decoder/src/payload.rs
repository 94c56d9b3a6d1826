//! Decodes payloads, as defined in section 6 of `db-format.md`. Section 12 defines the payloads
//! that have the tags 3 to 5.

use crate::{BlockBoards, Failed, need, open};
use std::io::Read;
use twox_hash::XxHash3_64;

/// Decodes a payload to the entries of a block.
pub fn decode(
    payload: &[u8],
    checksum: u64,
    guesses: &BlockBoards<'_>,
    codec: u8,
) -> Result<Vec<[u8; 64]>, Failed> {
    let len = guesses.len;
    let width = len.div_ceil(8);
    let longest = if payload[0] == 0 { 65 } else { 1 + 512 * width };
    need("B1", payload.len() <= longest, payload.len())?;
    need("B2", XxHash3_64::oneshot(payload) == checksum, "another checksum")?;
    let unknown = || Failed { check: "P6", found: format!("tag {}", payload[0]) };
    match (codec, payload[0]) {
        (_, 0..=2) => planes(payload[0], &payload[1..], len),
        (2, tag @ 3..=5) => {
            let guess = if tag != 4 { guesses.all().ok_or_else(unknown)? } else { Vec::new() };
            let block = open::Block { len, patterns: guesses.patterns.as_ref(), guess };
            open::decode(payload, &block)
        }
        _ => Err(unknown()),
    }
}

/// Decodes the body of a payload that has a tag from 0 to 2.
fn planes(tag: u8, body: &[u8], len: usize) -> Result<Vec<[u8; 64]>, Failed> {
    let width = len.div_ceil(8);
    match tag {
        0 => {
            let entry: Option<[u8; 64]> = body.try_into().ok();
            need("P6", entry.is_some(), format!("{} bytes", body.len()))?;
            Ok(vec![entry.expect("just checked"); len])
        }
        1 => {
            need("P6", body.len() == 512 * width, format!("{} bytes", body.len()))?;
            join(body, len)
        }
        _ => join(&unzip(body, 512 * width)?, len),
    }
}

/// Decompresses a body that must be exactly one zstd frame with a content of `len` bytes.
pub fn unzip(body: &[u8], len: usize) -> Result<Vec<u8>, Failed> {
    let failed = |found: String| Failed { check: "P6", found };
    let mut rest = body;
    let mut decoder =
        ruzstd::decoding::StreamingDecoder::new(&mut rest).map_err(|e| failed(format!("{e:?}")))?;
    let size = decoder.decoder.content_size();
    need("P6", size == len as u64, format!("a frame of {size} bytes"))?;
    let mut content = Vec::new();
    (&mut decoder).take(size + 1).read_to_end(&mut content).map_err(|e| failed(e.to_string()))?;
    need("P6", content.len() as u64 == size, format!("{} bytes", content.len()))?;
    drop(decoder);
    need("P6", rest.is_empty(), format!("{} bytes after the frame", rest.len()))?;
    Ok(content)
}

/// Converts bit planes to the entries of a block. Each plane holds one bit of every entry.
fn join(planes: &[u8], len: usize) -> Result<Vec<[u8; 64]>, Failed> {
    let mut entries = vec![[0; 64]; len];
    for (k, plane) in planes.chunks(len.div_ceil(8)).enumerate() {
        for i in 0..8 * plane.len() {
            let bit = plane[i / 8] >> (i % 8) & 1;
            match entries.get_mut(i) {
                Some(entry) => entry[k / 8] |= bit << (k % 8),
                None => need("P7", bit == 0, "a bit after the last entry")?,
            }
        }
    }
    Ok(entries)
}
