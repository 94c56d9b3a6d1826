//! The operations on bits that are implemented separately for each instruction set.

use crate::supers::{Half, Super};

/// The number of preceding literals with which a literal is compared
/// (`bench/README.md#temporary-files`).
pub const WINDOW: usize = 16;

/// The maximum size of the difference of two half supers, in bytes. A buffer from which differences
/// are read must extend this many bytes beyond its data.
pub const DIFFERENCE_BYTES: usize = 16;

/// 32 bit planes of 128 bits each.
pub type Fields = [[u64; 2]; 32];

/// The operations on bits for one instruction set. A value of the type proves that the CPU supports
/// the instruction set. All implementations return the same results.
pub trait Bits: Copy {
    /// Returns the bits of `word` at which `mask` has ones, packed at the low end of the result.
    fn extract(self, word: u64, mask: u64) -> u64;

    /// Returns a word in which the lowest bits of `word` are moved to the positions of the ones of
    /// `mask`, in the same order. All other bits are 0.
    fn deposit(self, word: u64, mask: u64) -> u64;

    /// Returns `true` if each of the four sets is a subset of the next set.
    #[inline(always)]
    fn are_nested(self, sets: [&Super; 4]) -> bool {
        let mut outside = 0;
        for i in 0..4 {
            let [a, b, c, d] = sets.map(|set| set.0[i / 2].0[i % 2]);
            outside |= a & !b | b & !c | c & !d;
        }
        outside == 0
    }

    /// Writes one column for each bit of the mask that is 1, starting with the lowest bit. Bit j of
    /// the column is the bit of plane j at the same position. At most 64 bits of the mask are 1.
    /// Returns the number of columns.
    fn plane_columns(self, fields: &Fields, mask: [u64; 2], columns: &mut [u32; 64]) -> usize;

    /// Finds the literal in `before` that has the most bytes in common with `literal`, and
    /// subtracts the found literal from `literal`. If several literals match equally well, takes
    /// the last one. Returns three values: the number of literals between the two, the mask of the
    /// nonzero bytes of the difference, and these nonzero bytes, packed at the front and
    /// zero-padded.
    fn subtract(self, before: &[Half; WINDOW], literal: Half) -> (u8, u16, [u8; DIFFERENCE_BYTES]);

    /// Returns the difference with the given mask of nonzero bytes. The bytes under the mask are
    /// the first bytes of `bytes`. All other bytes are zero.
    fn spread_bytes(self, mask: u16, bytes: [u8; DIFFERENCE_BYTES]) -> Half;

    /// Returns two masks. Bit i of the first mask is 1 if byte i is 0 or 255. Bit i of the second
    /// mask is the highest bit of byte i.
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

    /// Returns 64 bytes. Byte i is 255 if bit i of the mask is 1, otherwise 0.
    #[inline(always)]
    fn full_bytes(self, mask: u64) -> [u8; 64] {
        let mut bytes = [0; 64];
        for (word, mask) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(mask.to_le_bytes()) {
            *word = (255 * self.deposit(u64::from(mask), BYTE_ONES)).to_le_bytes();
        }
        bytes
    }

    /// Packs the bytes whose bit in the mask is 1 at the front of `to`. The remaining bytes of `to`
    /// are unspecified.
    fn extract_bytes(self, bytes: &[u8; 64], mask: u64, to: &mut [u8; 64]);

    /// Writes the first bytes of `bytes` to the bytes of `to` whose bit in the mask is 1. These
    /// bytes of `to` must be zero before the call.
    fn deposit_bytes(self, bytes: &[u8; 64], mask: u64, to: &mut [u8; 64]);

    /// Returns the bits of a plane at which the mask has ones, packed at the low end of the result.
    /// The mask has at most 64 ones.
    #[inline(always)]
    fn pick(self, plane: [u64; 2], mask: [u64; 2]) -> u64 {
        let high = self.extract(plane[1], mask[1]);
        self.extract(plane[0], mask[0]) | high.checked_shl(mask[0].count_ones()).unwrap_or(0)
    }

    /// Returns a plane in which the lowest bits of `bits` are moved to the positions of the ones of
    /// the mask. This is the inverse of [`Bits::pick`].
    #[inline(always)]
    fn spread(self, bits: u64, mask: [u64; 2]) -> [u64; 2] {
        let rest = bits.checked_shr(mask[0].count_ones()).unwrap_or(0);
        [self.deposit(bits, mask[0]), self.deposit(rest, mask[1])]
    }
}

/// A computation on bits that is compiled for each instruction set. The fields of the type are the
/// arguments.
pub trait BitsPass {
    /// The result of the pass.
    type Output;

    /// `true` if the pass is faster with AVX-512 than with AVX2.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    const WIDE: bool = true;

    /// Runs the pass. Implementations and all functions that they call must be `#[inline(always)]`.
    /// Otherwise the compiler builds these functions without the instruction set.
    fn run<B: Bits>(self, bits: B) -> Self::Output;
}

/// A word in which each byte has the value 1.
pub(super) const BYTE_ONES: u64 = 0x0101_0101_0101_0101;

/// Returns a word in which each byte is 1 if the byte of `x` isn't zero, and 0 otherwise.
#[inline(always)]
pub(super) fn nonzero_bytes(x: u64) -> u64 {
    const LOW: u64 = 0x7f * BYTE_ONES;
    (((x & LOW) + LOW) | x) >> 7 & BYTE_ONES
}

/// Returns a mask whose bit i is byte i of `bytes`. All bytes must be 0 or 1.
#[inline(always)]
pub(super) fn mask_of(bytes: u64) -> u8 {
    // The multiplication moves bit 8i to bit 56 + i.
    (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// Finds the literal in `before` that differs from `literal` in the fewest bytes, which `count`
/// counts. If several do, takes the nearest. Returns the number of literals between the two, and
/// their difference.
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
