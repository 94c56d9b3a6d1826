//! Decodes payloads of bytes, as defined in section 13 of `db-format.md`.

use crate::payload::unzip;
use crate::{Failed, need};
use twox_hash::XxHash3_64;

/// Decodes a payload to the `len` bytes of a block.
pub fn decode(payload: &[u8], checksum: u64, len: usize) -> Result<Vec<u8>, Failed> {
    need("K1", payload.len() <= 1 + len, payload.len())?;
    need("B2", XxHash3_64::oneshot(payload) == checksum, "another checksum")?;
    match payload[0] {
        1 => {
            need("K2", payload.len() == 1 + len, payload.len())?;
            Ok(payload[1..].to_vec())
        }
        2 => unzip(&payload[1..], len).map_err(|failed| Failed { check: "K2", ..failed }),
        tag => Err(Failed { check: "K2", found: format!("tag {tag}") }),
    }
}
