//! The operations on bits that instruction sets do differently.

use crate::supers::{Half, Super};

/// The number of earlier literals that a literal is compared to
/// (`bench/README.md#temporary-files`).
pub const WINDOW: usize = 16;

/// The size of the largest difference of two half supers, in bytes. Buffers that are read need this
/// many bytes more after their end.
pub const DIFFERENCE_BYTES: usize = 16;

/// 32 planes of 128 bits.
pub type Fields = [[u64; 2]; 32];

/// The operations on bits of one instruction set. A value proves that the CPU supports the set. All
/// implementations return the same bits.
pub trait Bits: Copy {
    /// Returns the bits of a word under a mask, moved together at the low end.
    fn extract(self, word: u64, mask: u64) -> u64;

    /// Returns the low bits of a word, spread over the bits of a mask.
    fn deposit(self, word: u64, mask: u64) -> u64;

    /// Returns whether each of four sets is a subset of the next.
    #[inline(always)]
    fn are_nested(self, sets: [&Super; 4]) -> bool {
        let mut outside = 0;
        for i in 0..4 {
            let [a, b, c, d] = sets.map(|set| set.0[i / 2].0[i % 2]);
            outside |= a & !b | b & !c | c & !d;
        }
        outside == 0
    }

    /// Writes one column for each bit of the mask, the lowest bit first: bit j of the column is
    /// that bit of plane j. The mask has at most 64 bits set. Returns the number of columns.
    fn plane_columns(self, fields: &Fields, mask: [u64; 2], columns: &mut [u32; 64]) -> usize;

    /// Subtracts from a literal the earlier literal that has the most bytes in common with it. Of
    /// several such literals, the last one is taken. Returns the number of literals between the
    /// two, the mask of nonzero bytes of the difference, and the nonzero bytes, moved together and
    /// zero-padded.
    fn subtract(self, before: &[Half; WINDOW], literal: Half) -> (u8, u16, [u8; DIFFERENCE_BYTES]);

    /// Returns the difference whose bytes under the mask are the first of `bytes`. All other bytes
    /// are zero.
    fn spread_bytes(self, mask: u16, bytes: [u8; DIFFERENCE_BYTES]) -> Half;

    /// Returns two masks with bit i for byte i: the bytes that are 0 or 255, and the highest bits
    /// of all bytes.
    #[inline(always)]
    fn uniform_bytes(self, bytes: &[u8; 64]) -> [u64; 2] {
        let mut masks = [[0; 8]; 2];
        for (i, word) in bytes.as_chunks::<8>().0.iter().enumerate() {
            let word = u64::from_le_bytes(*word);
            masks[0][i] = mask_of(BYTE_ONES ^ nonzero_bytes(word) & nonzero_bytes(!word));
            masks[1][i] = mask_of(word >> 7 & BYTE_ONES);
        }
        masks.map(u64::from_le_bytes)
    }

    /// Returns a byte for each bit of the mask: 255 if the bit is 1, otherwise 0.
    #[inline(always)]
    fn full_bytes(self, mask: u64) -> [u8; 64] {
        let mut bytes = [0; 64];
        for (word, mask) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(mask.to_le_bytes()) {
            *word = (255 * self.deposit(u64::from(mask), BYTE_ONES)).to_le_bytes();
        }
        bytes
    }

    /// Writes the bytes whose bit in the mask is 1 to the front of `to`, moved together. The bytes
    /// after them are unspecified.
    fn extract_bytes(self, bytes: &[u8; 64], mask: u64, to: &mut [u8; 64]);

    /// Writes the first bytes of `bytes` to the bytes of `to` whose bit in the mask is 1. These
    /// bytes of `to` must be zero before the call.
    fn deposit_bytes(self, bytes: &[u8; 64], mask: u64, to: &mut [u8; 64]);

    /// Returns the bits of a plane under a mask, moved together at the low end. The mask has at
    /// most 64 bits set.
    #[inline(always)]
    fn pick(self, plane: [u64; 2], mask: [u64; 2]) -> u64 {
        let high = self.extract(plane[1], mask[1]);
        self.extract(plane[0], mask[0]) | high.checked_shl(mask[0].count_ones()).unwrap_or(0)
    }

    /// Returns the low bits of a word, spread over the bits of a mask: the inverse of
    /// [`Bits::pick`].
    #[inline(always)]
    fn spread(self, bits: u64, mask: [u64; 2]) -> [u64; 2] {
        let rest = bits.checked_shr(mask[0].count_ones()).unwrap_or(0);
        [self.deposit(bits, mask[0]), self.deposit(rest, mask[1])]
    }
}

/// A pass over bits, generic over the instruction set: its fields are the arguments.
pub trait BitsPass {
    /// The result of the pass.
    type Output;

    /// `true` if the pass is faster with AVX-512 than with AVX2.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    const WIDE: bool = true;

    /// Runs the pass. Implementations and all functions that they call must be `#[inline(always)]`;
    /// otherwise they are compiled without the instruction set.
    fn run<B: Bits>(self, bits: B) -> Self::Output;
}

/// A word with the value 1 in each byte.
pub(super) const BYTE_ONES: u64 = 0x0101_0101_0101_0101;

/// Returns 1 in each byte that isn't zero in `x`, and 0 in the others.
#[inline(always)]
pub(super) fn nonzero_bytes(x: u64) -> u64 {
    const LOW: u64 = 0x7f * BYTE_ONES;
    (((x & LOW) + LOW) | x) >> 7 & BYTE_ONES
}

/// Returns a mask with bit i for byte i of a word whose bytes are 0 or 1.
#[inline(always)]
pub(super) fn mask_of(bytes: u64) -> u8 {
    // The product moves bit 8i to bit 56 + i.
    (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// Finds the earlier literal with the least number of different bytes, as counted by `count`; of
/// several, the nearest. Returns the number of literals between the two, and their difference.
#[inline(always)]
pub(super) fn least_difference(
    before: &[Half; WINDOW],
    literal: Half,
    count: impl Fn(Half, Half) -> u32,
) -> (u8, [u64; 2]) {
    let key = |(i, &other): (usize, &Half)| count(literal, other) << 4 | (WINDOW - 1 - i) as u32;
    let between = before.iter().enumerate().map(key).fold(u32::MAX, u32::min) as usize % WINDOW;
    let other = before[WINDOW - 1 - between];
    (between as u8, [literal.0[0] ^ other.0[0], literal.0[1] ^ other.0[1]])
}
