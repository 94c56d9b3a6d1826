//! Work on the bits of entries, which is what codecs spend their time with: written once, compiled
//! for every instruction set ([`run`]), and handed the few operations that instruction sets do
//! differently ([`Bits`]).

#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(any(test, not(target_arch = "x86_64")))]
use super::Kernel;
use crate::supers::{Half, Super};

/// Words of which [`Bits::columns`] takes columns.
pub const WIDTH: usize = 48;

/// How many literals before it a literal is compared to (`bench/README.md#temporary-files`).
pub const WINDOW: usize = 16;

/// The most bytes of one difference. Bytes that are read have as many more behind them.
pub const DIFFERENCE_BYTES: usize = 16;

/// 32 planes of 128 bits.
pub type Fields = [[u64; 2]; 32];

/// What instruction sets do differently. A value is the proof that the processor has them. All give
/// the same bits.
pub trait Bits: Copy {
    /// The bits of a word under a mask, moved together at the low end.
    fn extract(self, word: u64, mask: u64) -> u64;

    /// The low bits of a word, spread over the places of a mask.
    fn deposit(self, word: u64, mask: u64) -> u64;

    /// Whether each of four sets is within the next.
    #[inline(always)]
    fn are_nested(self, sets: [&Super; 4]) -> bool {
        let mut outside = 0;
        for i in 0..4 {
            let [a, b, c, d] = sets.map(|set| set.0[i / 2].0[i % 2]);
            outside |= a & !b | b & !c | c & !d;
        }
        outside == 0
    }

    /// For each place in the mask, the lowest first: the number whose bit j is that of word j at the
    /// place. Returns how many.
    fn columns(self, words: &[u64; WIDTH], mask: u64, columns: &mut [u64; 64]) -> usize;

    /// The same for planes, and a mask that has at most 64 places.
    fn plane_columns(self, fields: &Fields, mask: [u64; 2], columns: &mut [u32; 64]) -> usize;

    /// The difference of a literal to that of those before it with the most equal bytes, the last
    /// of several: how many literals are between them, which bytes aren't zero, and those bytes
    /// moved together, followed by zeros.
    fn subtract(self, before: &[Half; WINDOW], literal: Half) -> (u8, u16, [u8; DIFFERENCE_BYTES]);

    /// The difference with the first of these bytes at the ones of the mask, elsewhere zeros.
    fn spread_bytes(self, mask: u16, bytes: [u8; DIFFERENCE_BYTES]) -> Half;

    /// Which bytes are 0 or 255, and the highest bits of all: bit i for byte i.
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

    /// 255 for each bit that is 1, 0 for the others: byte i for bit i.
    #[inline(always)]
    fn full_bytes(self, mask: u64) -> [u8; 64] {
        let mut bytes = [0; 64];
        for (word, mask) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(mask.to_le_bytes()) {
            *word = (255 * self.deposit(u64::from(mask), BYTE_ONES)).to_le_bytes();
        }
        bytes
    }

    /// The bytes whose bit in the mask is 1, moved together at the front of `to`; behind them is anything.
    fn extract_bytes(self, bytes: &[u8; 64], mask: u64, to: &mut [u8; 64]);

    /// The first bytes, spread over those of `to` whose bit in the mask is 1, which are zeros.
    fn deposit_bytes(self, bytes: &[u8; 64], mask: u64, to: &mut [u8; 64]);

    /// The bits of a plane under a mask that has at most 64, moved together at the low end.
    #[inline(always)]
    fn pick(self, plane: [u64; 2], mask: [u64; 2]) -> u64 {
        let high = self.extract(plane[1], mask[1]);
        self.extract(plane[0], mask[0]) | high.checked_shl(mask[0].count_ones()).unwrap_or(0)
    }

    /// The inverse: the low bits of a word, spread over the places of a mask.
    #[inline(always)]
    fn spread(self, bits: u64, mask: [u64; 2]) -> [u64; 2] {
        let rest = bits.checked_shr(mask[0].count_ones()).unwrap_or(0);
        [self.deposit(bits, mask[0]), self.deposit(rest, mask[1])]
    }
}

/// Work that is compiled for each instruction set.
pub trait Work {
    /// What it says.
    type Output;

    /// Whether it gains by AVX-512.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    const WIDE: bool = true;

    /// Does it. Must be `#[inline(always)]`, and so must be what it calls.
    fn run<B: Bits>(self, bits: B) -> Self::Output;
}

#[cfg(target_arch = "x86_64")]
pub use x86::run;

/// Does the work: there is one way to compile it.
#[cfg(not(target_arch = "x86_64"))]
pub fn run<W: Work>(_: Kernel, work: W) -> W::Output {
    work.run(Portable)
}

/// No special instruction.
#[derive(Clone, Copy)]
struct Portable;

impl Bits for Portable {
    #[inline(always)]
    fn extract(self, word: u64, mut mask: u64) -> u64 {
        let (mut bits, mut i) = (0, 0);
        while mask != 0 {
            bits |= (word >> mask.trailing_zeros() & 1) << i;
            mask &= mask - 1;
            i += 1;
        }
        bits
    }

    #[inline(always)]
    fn deposit(self, mut word: u64, mut mask: u64) -> u64 {
        let mut bits = 0;
        while mask != 0 {
            bits |= (word & 1) << mask.trailing_zeros();
            mask &= mask - 1;
            word >>= 1;
        }
        bits
    }

    #[inline(always)]
    fn columns(self, words: &[u64; WIDTH], mask: u64, columns: &mut [u64; 64]) -> usize {
        let mut rest = mask;
        let count = mask.count_ones() as usize;
        for column in &mut columns[..count] {
            let place = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            let bits = words.iter().enumerate();
            *column = bits.fold(0, |column, (j, word)| column | (word >> (place % 64) & 1) << j);
        }
        count
    }

    #[inline(always)]
    fn plane_columns(self, fields: &Fields, mask: [u64; 2], columns: &mut [u32; 64]) -> usize {
        let mut count = 0;
        for word in 0..2 {
            let mut rest = mask[word];
            while rest != 0 {
                let place = rest.trailing_zeros();
                rest &= rest - 1;
                let column =
                    (0..32).fold(0, |column, j| column | ((fields[j][word] >> place) as u32 & 1) << j);
                columns[count % 64] = column;
                count += 1;
            }
        }
        count
    }

    #[inline(always)]
    fn extract_bytes(self, bytes: &[u8; 64], mask: u64, to: &mut [u8; 64]) {
        let mut at = 0;
        for (i, &byte) in bytes.iter().enumerate() {
            // The next one overwrites a byte that isn't kept.
            to[at % 64] = byte;
            at += (mask >> i & 1) as usize;
        }
    }

    #[inline(always)]
    fn deposit_bytes(self, bytes: &[u8; 64], mask: u64, to: &mut [u8; 64]) {
        let mut at = 0;
        for (i, to) in to.iter_mut().enumerate() {
            let is_kept = (mask >> i & 1) as u8;
            *to |= is_kept * bytes[at % 64];
            at += usize::from(is_kept);
        }
    }

    #[inline(always)]
    fn subtract(self, before: &[Half; WINDOW], literal: Half) -> (u8, u16, [u8; DIFFERENCE_BYTES]) {
        let (between, difference) = least_difference(before, literal, different_bytes);
        let (mut mask, mut at, mut kept) = (0, 0, [0; DIFFERENCE_BYTES]);
        let all = difference.map(u64::to_le_bytes);
        for (i, &byte) in all.as_flattened().iter().enumerate() {
            // Zeros are overwritten, but for the last ones.
            kept[at % DIFFERENCE_BYTES] = byte;
            mask |= u16::from(byte != 0) << i;
            at += usize::from(byte != 0);
        }
        (between, mask, kept)
    }

    #[inline(always)]
    fn spread_bytes(self, mask: u16, bytes: [u8; DIFFERENCE_BYTES]) -> Half {
        let mut at = 0;
        let spread: [u8; DIFFERENCE_BYTES] = std::array::from_fn(|i| {
            let is_kept = (mask >> i & 1) as u8;
            let byte = bytes[at % DIFFERENCE_BYTES] * is_kept;
            at += usize::from(is_kept);
            byte
        });
        Half::from_bytes(spread)
    }
}

/// 1 in each byte.
const BYTE_ONES: u64 = 0x0101_0101_0101_0101;

/// 1 in each byte that isn't zero.
#[inline(always)]
fn nonzero_bytes(x: u64) -> u64 {
    const LOW: u64 = 0x7f * BYTE_ONES;
    (((x & LOW) + LOW) | x) >> 7 & BYTE_ONES
}

/// Bit i for byte i, which is 0 or 1.
#[inline(always)]
fn mask_of(bytes: u64) -> u8 {
    // Bit 8i to bit 56 + i.
    (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The difference to the nearest of those with the least number of different bytes, as `count`
/// counts them, and how many are between.
#[inline(always)]
fn least_difference(
    before: &[Half; WINDOW],
    literal: Half,
    count: impl Fn(Half, Half) -> u32,
) -> (u8, [u64; 2]) {
    let key = |(i, &other): (usize, &Half)| count(literal, other) << 4 | (WINDOW - 1 - i) as u32;
    let between = before.iter().enumerate().map(key).fold(u32::MAX, u32::min) as usize % WINDOW;
    let other = before[WINDOW - 1 - between];
    (between as u8, [literal.0[0] ^ other.0[0], literal.0[1] ^ other.0[1]])
}

/// How many bytes differ.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn different_bytes(a: Half, b: Half) -> u32 {
    let of = |part: usize| nonzero_bytes(a.0[part] ^ b.0[part]);
    ((of(0) + of(1)).wrapping_mul(BYTE_ONES) >> 56) as u32
}

#[cfg(target_arch = "x86_64")]
use x86::different_bytes;
