//! Reads and writes little-endian fields, and computes checksums.

use twox_hash::XxHash3_64;

/// Returns the checksum of a part of a file or of a payload: XXH3-64 with seed 0.
pub fn checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Appends numbers of 64 bits.
pub fn put(to: &mut Vec<u8>, values: &[u64]) {
    to.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

/// Removes and returns the first `N` bytes of `from`.
///
/// # Panics
/// If there are fewer.
pub fn take<const N: usize>(from: &mut &[u8]) -> [u8; N] {
    let (&first, rest) = from.split_first_chunk().expect("the caller has checked the length");
    *from = rest;
    first
}

/// Removes and returns the first 32 bits of `from`.
pub fn take_u32(from: &mut &[u8]) -> u32 {
    u32::from_le_bytes(take(from))
}

/// Removes and returns the first 64 bits of `from`.
pub fn take_u64(from: &mut &[u8]) -> u64 {
    u64::from_le_bytes(take(from))
}

/// Removes and returns the first `count` numbers of 64 bits.
pub fn take_u64s(from: &mut &[u8], count: usize) -> Vec<u64> {
    (0..count).map(|_| take_u64(from)).collect()
}
