//! Literals as differences to those before them, and back.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use super::super::features;
use crate::supers::Half;

/// How many literals before it a literal is compared to.
pub(crate) const WINDOW: usize = 16;

/// The most bytes of one difference. Bytes that are read have as many more behind them.
pub(crate) const DIFFERENCE_BYTES: usize = 16;

/// What becomes of literals.
#[derive(Default)]
pub(crate) struct Differences {
    /// By literal: which of the bytes 0 to 7 of its difference aren't zero; then the same for
    /// bytes 8 to 15.
    pub masks: Vec<u8>,
    /// By literal: how many literals are between it and the one it is compared to.
    pub choices: Vec<u8>,
    /// Those bytes, and room for more.
    room: Vec<u8>,
    len: usize,
}

impl Differences {
    /// Of `literals`, the first [`WINDOW`] of which are only there to be compared to.
    pub fn fill(&mut self, instructions: Instructions, literals: &[Half]) {
        let count = literals.len() - WINDOW;
        self.masks.resize(2 * count, 0);
        self.choices.resize(count, 0);
        if self.room.len() < DIFFERENCE_BYTES * count {
            self.room.resize(DIFFERENCE_BYTES * count, 0);
        }
        self.len = match instructions.0 {
            // SAFETY: it needs nothing.
            Level::Portable => unsafe { self.subtract::<Portable>(literals) },
            // SAFETY: there are such instructions only where the processor was asked.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { self.subtract_avx2(literals) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { self.subtract_avx512(literals) },
        };
    }

    /// The bytes of the differences that aren't zero.
    pub fn bytes(&self) -> &[u8] {
        &self.room[..self.len]
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn subtract_avx2(&mut self, literals: &[Half]) -> usize {
        // SAFETY: this is compiled for its instructions.
        unsafe { self.subtract::<x86::Avx2>(literals) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512vl,avx512bitalg,avx512vbmi2,avx2,bmi1,bmi2,popcnt,lzcnt"
    )]
    fn subtract_avx512(&mut self, literals: &[Half]) -> usize {
        // SAFETY: as above.
        unsafe { self.subtract::<x86::Avx512>(literals) }
    }

    /// Fills the lists, and says how many bytes there are.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[inline(always)]
    unsafe fn subtract<O: Operations>(&mut self, literals: &[Half]) -> usize {
        let count = self.choices.len();
        let (low, high) = self.masks.split_at_mut(count);
        let bytes = &mut self.room[..DIFFERENCE_BYTES * count];
        assert!(literals.len() == WINDOW + count && high.len() == count);
        let mut at = 0;
        let each = low.iter_mut().zip(high).zip(&mut self.choices);
        for (window, ((low, high), choice)) in literals.windows(WINDOW + 1).zip(each) {
            let (before, literal) = window.split_first_chunk().expect("a window and one more");
            // SAFETY: the caller has the processor.
            let (between, mask, kept) = unsafe { O::subtract(before, literal[0]) };
            *choice = between;
            [*low, *high] = mask.to_le_bytes();
            // SAFETY: each literal before this one took at most 16 bytes, and there is room for as
            // many of this one.
            unsafe { bytes.as_mut_ptr().add(at).cast::<[u8; DIFFERENCE_BYTES]>().write_unaligned(kept) };
            at += mask.count_ones() as usize;
        }
        at
    }
}

/// The inverse: fills `literals` but for the first [`WINDOW`], which are there. `bytes` have
/// [`DIFFERENCE_BYTES`] more behind them, and `choices` are nibbles. Says whether there are as many
/// bytes as the masks say.
pub(crate) fn add(
    instructions: Instructions,
    choices: &[u8],
    masks: &[u8],
    bytes: &[u8],
    literals: &mut [Half],
) -> bool {
    match instructions.0 {
        // SAFETY: it needs nothing.
        Level::Portable => unsafe { add_all::<Portable>(choices, masks, bytes, literals) },
        // SAFETY: there are such instructions only where the processor was asked.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { add_avx2(choices, masks, bytes, literals) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { add_avx512(choices, masks, bytes, literals) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn add_avx2(choices: &[u8], masks: &[u8], bytes: &[u8], literals: &mut [Half]) -> bool {
    // SAFETY: this is compiled for its instructions.
    unsafe { add_all::<x86::Avx2>(choices, masks, bytes, literals) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bitalg,avx512vbmi2,avx2,bmi1,bmi2,popcnt,lzcnt")]
fn add_avx512(choices: &[u8], masks: &[u8], bytes: &[u8], literals: &mut [Half]) -> bool {
    // SAFETY: as above.
    unsafe { add_all::<x86::Avx512>(choices, masks, bytes, literals) }
}

/// See [`add`].
///
/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn add_all<O: Operations>(choices: &[u8], masks: &[u8], bytes: &[u8], literals: &mut [Half]) -> bool {
    let count = literals.len() - WINDOW;
    let (low, high) = masks.split_at(count);
    assert!(high.len() == count && choices.len() == count.div_ceil(2));
    let (words, rest) = masks.as_chunks();
    let ones = words.iter().map(|&word| u64::from_le_bytes(word).count_ones() as usize).sum::<usize>()
        + rest.iter().map(|mask| mask.count_ones() as usize).sum::<usize>();
    if ones + DIFFERENCE_BYTES != bytes.len() {
        return false;
    }
    let mut at = 0;
    for (i, (&low, &high)) in low.iter().zip(high).enumerate() {
        // SAFETY: i / 2 is less than half of the count, rounded up.
        let pair = unsafe { *choices.get_unchecked(i / 2) };
        let nearest = usize::from(pair >> (i % 2 * 4) & 15);
        // SAFETY: this is one of the 16 before the literal.
        let other = unsafe { *literals.get_unchecked(i + WINDOW - 1 - nearest) };
        // SAFETY: `at` is at most the number of bytes that the masks say, and behind as many there
        // are 16 more.
        let from = unsafe { bytes.as_ptr().add(at).cast::<[u8; DIFFERENCE_BYTES]>().read_unaligned() };
        let mask = u16::from_le_bytes([low, high]);
        at += mask.count_ones() as usize;
        // SAFETY: the caller has the processor.
        let Half([a, b]) = unsafe { O::spread(mask, from) };
        // SAFETY: i is less than the count.
        unsafe { *literals.get_unchecked_mut(WINDOW + i) = Half([a ^ other.0[0], b ^ other.0[1]]) };
    }
    true
}

/// 1 in each byte.
const BYTE_ONES: u64 = 0x0101_0101_0101_0101;

/// 1 in each byte that isn't zero.
#[inline(always)]
fn nonzero_bytes(x: u64) -> u64 {
    const LOW: u64 = 0x7f * BYTE_ONES;
    (((x & LOW) + LOW) | x) >> 7 & BYTE_ONES
}

/// Instructions that the processor has. All give the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instructions(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Portable,
    /// AVX2, and gathering and scattering bits.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Also AVX-512, with bytes gathered and scattered.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    /// Those that the processor has, the fastest last.
    pub fn available() -> Vec<Instructions> {
        #[allow(unused_mut)]
        let mut all = vec![Instructions(Level::Portable)];
        #[cfg(target_arch = "x86_64")]
        if features::avx2() && features::bits() {
            all.push(Instructions(Level::Avx2));
            if features::avx512() && features::bytes() {
                all.push(Instructions(Level::Avx512));
            }
        }
        all
    }

    /// The fastest.
    pub fn best() -> Instructions {
        Instructions::available().pop().expect("one works everywhere")
    }
}

/// What is faster with more instructions.
trait Operations {
    /// The difference of a literal to that of those before it with the most equal bytes, the last
    /// of several: how many literals are between them, which bytes aren't zero, and those bytes
    /// moved together, followed by zeros.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn subtract(before: &[Half; WINDOW], literal: Half) -> (u8, u16, [u8; DIFFERENCE_BYTES]);
    /// The difference with the first of these bytes at the ones of the mask, elsewhere zeros.
    ///
    /// # Safety
    /// As for [`Operations::subtract`].
    unsafe fn spread(mask: u16, bytes: [u8; DIFFERENCE_BYTES]) -> Half;
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

struct Portable;

impl Operations for Portable {
    #[inline(always)]
    unsafe fn subtract(before: &[Half; WINDOW], literal: Half) -> (u8, u16, [u8; DIFFERENCE_BYTES]) {
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
    unsafe fn spread(mask: u16, bytes: [u8; DIFFERENCE_BYTES]) -> Half {
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

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{BYTE_ONES, DIFFERENCE_BYTES, Half, Operations, WINDOW, least_difference, nonzero_bytes};
    use core::arch::x86_64::*;

    pub(super) struct Avx2;
    pub(super) struct Avx512;

    #[inline(always)]
    fn vector(half: Half) -> __m128i {
        // SAFETY: all processors of this kind have it.
        unsafe { _mm_set_epi64x(half.0[1] as i64, half.0[0] as i64) }
    }

    /// How many bytes differ.
    #[inline(always)]
    pub(super) fn different_bytes(a: Half, b: Half) -> u32 {
        // SAFETY: all processors of this kind have these instructions.
        unsafe {
            let equal = _mm_cmpeq_epi8(vector(a), vector(b));
            // Bytes of -1 and 0 become 0 and 1.
            let different = _mm_add_epi8(equal, _mm_set1_epi8(1));
            let sums = _mm_sad_epu8(different, _mm_setzero_si128());
            (_mm_cvtsi128_si32(sums) + _mm_cvtsi128_si32(_mm_unpackhi_epi64(sums, sums))) as u32
        }
    }

    impl Operations for Avx2 {
        #[inline(always)]
        unsafe fn subtract(before: &[Half; WINDOW], literal: Half) -> (u8, u16, [u8; DIFFERENCE_BYTES]) {
            let (between, difference) = least_difference(before, literal, |a, b| {
                // SAFETY: the caller has the processor.
                let equal = unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(vector(a), vector(b))) };
                16 - equal.count_ones()
            });
            let ones = difference.map(nonzero_bytes);
            // SAFETY: the caller has the processor.
            let [low, high] = [0, 1].map(|i| unsafe { _pext_u64(difference[i], 255 * ones[i]) });
            // Bit 8i to bit i.
            let [a, b] = ones.map(|ones| ones.wrapping_mul(0x0102_0408_1020_4080) >> 56);
            let kept = u128::from(low) | u128::from(high) << (8 * a.count_ones());
            (between, (a | b << 8) as u16, kept.to_le_bytes())
        }
        #[inline(always)]
        unsafe fn spread(mask: u16, bytes: [u8; DIFFERENCE_BYTES]) -> Half {
            let bytes = u128::from_le_bytes(bytes);
            let [low, high] = mask.to_le_bytes();
            let word = |mask: u8, bytes: u128| {
                // SAFETY: the caller has the processor.
                unsafe { _pdep_u64(bytes as u64, 255 * _pdep_u64(u64::from(mask), BYTE_ONES)) }
            };
            Half([word(low, bytes), word(high, bytes >> (8 * low.count_ones()))])
        }
    }

    impl Operations for Avx512 {
        #[inline(always)]
        unsafe fn subtract(before: &[Half; WINDOW], literal: Half) -> (u8, u16, [u8; DIFFERENCE_BYTES]) {
            // SAFETY: the caller has the processor; four half supers are 64 bytes.
            unsafe {
                let own = vector(literal);
                let four = _mm512_broadcast_i32x4(own);
                let different = |i: usize| {
                    let others = _mm512_loadu_si512(before.as_ptr().add(4 * i).cast());
                    _mm512_cmpneq_epi8_mask(four, others) as i64
                };
                let masks = _mm256_set_epi64x(different(3), different(2), different(1), different(0));
                let counts = _mm256_slli_epi16::<4>(_mm256_popcnt_epi16(masks));
                let between = _mm256_set_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                let keys = _mm256_or_si256(counts, between);
                let keys = _mm_min_epu16(_mm256_castsi256_si128(keys), _mm256_extracti128_si256::<1>(keys));
                let between = _mm_cvtsi128_si32(_mm_minpos_epu16(keys)) as usize % WINDOW;
                let other = _mm_loadu_si128(before.as_ptr().add(WINDOW - 1 - between).cast());
                let difference = _mm_xor_si128(own, other);
                let mask = _mm_test_epi8_mask(difference, difference);
                let mut kept = [0; DIFFERENCE_BYTES];
                _mm_storeu_si128(kept.as_mut_ptr().cast(), _mm_maskz_compress_epi8(mask, difference));
                (between as u8, mask, kept)
            }
        }
        #[inline(always)]
        unsafe fn spread(mask: u16, bytes: [u8; DIFFERENCE_BYTES]) -> Half {
            // SAFETY: the caller has the processor.
            unsafe {
                let difference = _mm_maskz_expand_epi8(mask, _mm_loadu_si128(bytes.as_ptr().cast()));
                let mut half = Half::NONE;
                _mm_store_si128((&raw mut half).cast(), difference);
                half
            }
        }
    }
}
