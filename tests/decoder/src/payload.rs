//! Section 6: payloads.

use crate::{Failed, need};
use std::io::Read;
use twox_hash::XxHash3_64;

/// What is stored of the entries of a block of `len`, and whether the guess was taken away.
pub fn decode(
    payload: &[u8],
    checksum: u64,
    len: usize,
    filter: u8,
) -> Result<(Vec<[u8; 64]>, bool), Failed> {
    let width = len.div_ceil(8);
    let rest = filter == 2 && payload[0] >= 3;
    let tag = payload[0] - if rest { 3 } else { 0 };
    let longest = if tag == 0 { 65 } else { 1 + 512 * width };
    need("B1", payload.len() <= longest, payload.len())?;
    need("B2", XxHash3_64::oneshot(payload) == checksum, "another checksum")?;
    let body = &payload[1..];
    let entries = match tag {
        0 => {
            let entry: Option<[u8; 64]> = body.try_into().ok();
            need("P6", entry.is_some(), format!("{} bytes", body.len()))?;
            vec![entry.expect("just checked"); len]
        }
        1 => {
            need("P6", body.len() == 512 * width, format!("{} bytes", body.len()))?;
            join(body, len)?
        }
        2 => join(&unzip(body, Some(512 * width), 512 * width)?, len)?,
        _ => return Err(Failed { check: "P6", found: format!("tag {tag}") }),
    };
    Ok((entries, rest))
}

/// One frame that says how many bytes it has, and has them: so many, if that is known, and not more
/// than `most`.
pub fn unzip(body: &[u8], bytes: Option<usize>, most: usize) -> Result<Vec<u8>, Failed> {
    let failed = |found: String| Failed { check: "P6", found };
    let mut rest = body;
    let mut decoder =
        ruzstd::decoding::StreamingDecoder::new(&mut rest).map_err(|e| failed(format!("{e:?}")))?;
    let size = decoder.decoder.content_size();
    let right = bytes.is_none_or(|bytes| size == bytes as u64) && size <= most as u64;
    need("P6", right, format!("a frame of {size} bytes"))?;
    let mut content = Vec::new();
    (&mut decoder).take(size + 1).read_to_end(&mut content).map_err(|e| failed(e.to_string()))?;
    need("P6", content.len() as u64 == size, format!("{} bytes", content.len()))?;
    drop(decoder);
    need("P6", rest.is_empty(), format!("{} bytes behind the frame", rest.len()))?;
    Ok(content)
}

/// Entries from bit planes.
fn join(planes: &[u8], len: usize) -> Result<Vec<[u8; 64]>, Failed> {
    let mut entries = vec![[0; 64]; len];
    for (k, plane) in planes.chunks(len.div_ceil(8)).enumerate() {
        for i in 0..8 * plane.len() {
            let bit = plane[i / 8] >> (i % 8) & 1;
            match entries.get_mut(i) {
                Some(entry) => entry[k / 8] |= bit << (k % 8),
                None => need("P7", bit == 0, "a bit behind the last entry")?,
            }
        }
    }
    Ok(entries)
}
