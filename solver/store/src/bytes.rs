//! Reads and writes fixed-size structures of little-endian fields, and computes checksums.

use twox_hash::XxHash3_64;

/// Returns the checksum of a part of a file or of a payload: XXH3-64 with seed 0.
pub fn checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// A growing buffer that takes fields.
#[derive(Default)]
pub struct FieldWriter(pub Vec<u8>);

impl FieldWriter {
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub fn u8s<const N: usize>(&mut self, values: [u8; N]) {
        self.bytes(&values);
    }

    pub fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    pub fn u64s(&mut self, values: &[u64]) {
        values.iter().for_each(|&value| self.u64(value));
    }
}

/// The remaining bytes of a buffer that fields are read from.
pub struct FieldReader<'a>(pub &'a [u8]);

impl<'a> FieldReader<'a> {
    pub fn slice(&mut self, len: usize) -> &'a [u8] {
        let (first, rest) = self.0.split_at(len);
        self.0 = rest;
        first
    }

    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        self.slice(N).try_into().expect("as many bytes as were asked for")
    }

    pub fn u8(&mut self) -> u8 {
        let [byte] = self.array();
        byte
    }

    pub fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.array())
    }

    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    pub fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }

    pub fn u64s(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.u64()).collect()
    }
}
