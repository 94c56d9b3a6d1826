//! Reads and writes little-endian fields, and computes checksums.

use twox_hash::XxHash3_64;

/// Returns the XXH3-64 hash of `bytes` with seed 0, the checksum that all parts of a table use.
pub fn checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Appends 64-bit numbers to `to`, in little-endian byte order.
pub fn put(to: &mut Vec<u8>, values: &[u64]) {
    to.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

/// Removes and returns the first `N` bytes of `from`.
///
/// # Panics
/// If `from` has fewer than `N` bytes.
pub fn take<const N: usize>(from: &mut &[u8]) -> [u8; N] {
    let (&first, rest) = from.split_first_chunk().expect("the caller has checked the length");
    *from = rest;
    first
}

/// Removes the first 4 bytes of `from` and returns them as a little-endian number.
pub fn take_u32(from: &mut &[u8]) -> u32 {
    u32::from_le_bytes(take(from))
}

/// Removes the first 8 bytes of `from` and returns them as a little-endian number.
pub fn take_u64(from: &mut &[u8]) -> u64 {
    u64::from_le_bytes(take(from))
}

/// Removes the first `count` 64-bit numbers from `from` and returns the numbers.
pub fn take_u64s(from: &mut &[u8], count: usize) -> Vec<u64> {
    (0..count).map(|_| take_u64(from)).collect()
}
