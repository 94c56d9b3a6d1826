//! The operations on bits for AVX2 with BMI2, and for AVX-512.

use super::operations::{BYTE_ONES, Bits, DIFFERENCE_BYTES, Fields, WINDOW};
use super::operations::{least_difference, mask_of, nonzero_bytes};
use crate::supers::{Half, Super};
use core::arch::x86_64::*;

/// The operations for AVX2 and BMI2. A value may be created only in a function that enables the
/// target features of `InstructionSet::Avx2`.
#[derive(Clone, Copy)]
pub(super) struct Avx2Bits(pub(super) ());

/// The operations for AVX-512. A value may be created only in a function that enables the target
/// features of `InstructionSet::Avx512Bytes`.
#[derive(Clone, Copy)]
pub(super) struct Avx512Bits(pub(super) Avx2Bits);

#[inline(always)]
fn vector(half: Half) -> __m128i {
    // SAFETY: every x86-64 CPU supports SSE2.
    unsafe { _mm_set_epi64x(half.0[1] as i64, half.0[0] as i64) }
}

/// Returns the number of bytes in which `a` and `b` differ.
#[inline(always)]
pub(super) fn different_bytes(a: Half, b: Half) -> u32 {
    // SAFETY: every x86-64 CPU supports SSE2.
    unsafe {
        let equal = _mm_cmpeq_epi8(vector(a), vector(b));
        // Adding 1 maps equal bytes (-1) to 0 and different bytes (0) to 1.
        let different = _mm_add_epi8(equal, _mm_set1_epi8(1));
        let sums = _mm_sad_epu8(different, _mm_setzero_si128());
        (_mm_cvtsi128_si32(sums) + _mm_cvtsi128_si32(_mm_unpackhi_epi64(sums, sums))) as u32
    }
}

impl Bits for Avx2Bits {
    #[inline(always)]
    fn extract(self, word: u64, mask: u64) -> u64 {
        // SAFETY: a value of this type exists only if the CPU supports AVX2 and BMI2.
        unsafe { _pext_u64(word, mask) }
    }

    #[inline(always)]
    fn deposit(self, word: u64, mask: u64) -> u64 {
        // SAFETY: a value of this type exists only if the CPU supports AVX2 and BMI2.
        unsafe { _pdep_u64(word, mask) }
    }

    #[inline(always)]
    fn are_nested(self, sets: [&Super; 4]) -> bool {
        // SAFETY: a value of this type exists only if the CPU supports AVX2 and BMI2. Each load
        // reads a super, which has 32 bytes.
        unsafe {
            // Don't use a closure here, because the compiler would build a closure without AVX2.
            let a = _mm256_loadu_si256((&raw const *sets[0]).cast());
            let b = _mm256_loadu_si256((&raw const *sets[1]).cast());
            let c = _mm256_loadu_si256((&raw const *sets[2]).cast());
            let d = _mm256_loadu_si256((&raw const *sets[3]).cast());
            let outside = _mm256_or_si256(_mm256_andnot_si256(b, a), _mm256_andnot_si256(c, b));
            let outside = _mm256_or_si256(outside, _mm256_andnot_si256(d, c));
            _mm256_testz_si256(outside, outside) != 0
        }
    }

    #[inline(always)]
    fn plane_columns(self, fields: &Fields, mask: [u64; 2], columns: &mut [u32; 64]) -> usize {
        let mut count = 0;
        for word in 0..2 {
            let mut rest = mask[word];
            if rest == 0 {
                continue;
            }
            // SAFETY: a value of this type exists only if the CPU supports AVX2 and BMI2.
            unsafe {
                let mut words = [_mm256_setzero_si256(); 8];
                for (words, four) in words.iter_mut().zip(fields.as_chunks::<4>().0) {
                    let [a, b, c, d] = [four[0], four[1], four[2], four[3]];
                    let [a, b, c, d] = [a[word] as i64, b[word] as i64, c[word] as i64, d[word] as i64];
                    *words = _mm256_setr_epi64x(a, b, c, d);
                }
                while rest != 0 {
                    let bit = _mm256_set1_epi64x((rest & rest.wrapping_neg()) as i64);
                    rest &= rest - 1;
                    let mut column = 0;
                    for (i, four) in words.iter().enumerate() {
                        let has = _mm256_cmpeq_epi64(_mm256_and_si256(*four, bit), bit);
                        column |= (_mm256_movemask_pd(_mm256_castsi256_pd(has)) as u32) << (4 * i);
                    }
                    columns[count % 64] = column;
                    count += 1;
                }
            }
        }
        count
    }

    #[inline(always)]
    fn uniform_bytes(self, bytes: &[u8; 64]) -> [u64; 2] {
        // SAFETY: a value of this type exists only if the CPU supports AVX2 and BMI2. Each load
        // reads one half of `bytes`, which has 32 bytes.
        unsafe {
            let mut masks = [0; 2];
            for (i, half) in bytes.as_chunks::<32>().0.iter().enumerate() {
                let half = _mm256_loadu_si256(half.as_ptr().cast());
                // Adding 1 maps the uniform bytes 255 and 0 to 0 and 1.
                let next = _mm256_add_epi8(half, _mm256_set1_epi8(1));
                let least = _mm256_min_epu8(next, _mm256_set1_epi8(1));
                let uniform = _mm256_movemask_epi8(_mm256_cmpeq_epi8(next, least)) as u32;
                masks[0] |= u64::from(uniform) << (32 * i);
                masks[1] |= u64::from(_mm256_movemask_epi8(half) as u32) << (32 * i);
            }
            masks
        }
    }

    #[inline(always)]
    fn full_bytes(self, mask: u64) -> [u8; 64] {
        let mut bytes = [0; 64];
        // SAFETY: a value of this type exists only if the CPU supports AVX2 and BMI2. Each store
        // writes one half of `bytes`, which has 32 bytes.
        unsafe {
            // Byte i of each half is computed from bit i % 8 of byte i / 8 of the mask.
            let byte = _mm256_setr_epi64x(0, BYTE_ONES as i64, 2 * BYTE_ONES as i64, 3 * BYTE_ONES as i64);
            let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            for (half, mask) in bytes.as_chunks_mut::<32>().0.iter_mut().zip([mask, mask >> 32]) {
                let taken = _mm256_shuffle_epi8(_mm256_set1_epi32(mask as i32), byte);
                let full = _mm256_cmpeq_epi8(_mm256_and_si256(taken, bit), bit);
                _mm256_storeu_si256(half.as_mut_ptr().cast(), full);
            }
        }
        bytes
    }

    #[inline(always)]
    fn extract_bytes(self, bytes: &[u8; 64], mask: u64, to: &mut [u8; 64]) {
        let mut at = 0;
        for (word, mask) in bytes.as_chunks::<8>().0.iter().zip(mask.to_le_bytes()) {
            let kept = self.extract(u64::from_le_bytes(*word), self.full_word(mask));
            if let Some(to) = to[at..].first_chunk_mut() {
                *to = kept.to_le_bytes();
            }
            at += mask.count_ones() as usize;
        }
    }

    #[inline(always)]
    fn deposit_bytes(self, bytes: &[u8; 64], mask: u64, to: &mut [u8; 64]) {
        let mut at = 0;
        for (to, mask) in to.as_chunks_mut::<8>().0.iter_mut().zip(mask.to_le_bytes()) {
            let next = bytes[at..].first_chunk().copied().unwrap_or_default();
            let kept = self.deposit(u64::from_le_bytes(next), self.full_word(mask));
            *to = (u64::from_le_bytes(*to) | kept).to_le_bytes();
            at += mask.count_ones() as usize;
        }
    }

    #[inline(always)]
    fn subtract(self, before: &[Half; WINDOW], literal: Half) -> (u8, u16, [u8; DIFFERENCE_BYTES]) {
        let (between, difference) = least_difference(before, literal, |a, b| {
            // SAFETY: a value of this type exists only if the CPU supports AVX2 and BMI2.
            let equal = unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(vector(a), vector(b))) };
            16 - equal.count_ones()
        });
        let ones = difference.map(nonzero_bytes);
        let [low, high] = [0, 1].map(|i| self.extract(difference[i], 255 * ones[i]));
        let masks = ones.map(mask_of);
        let kept = u128::from(low) | u128::from(high) << (8 * masks[0].count_ones());
        (between, u16::from_le_bytes(masks), kept.to_le_bytes())
    }

    #[inline(always)]
    fn spread_bytes(self, mask: u16, bytes: [u8; DIFFERENCE_BYTES]) -> Half {
        let bytes = u128::from_le_bytes(bytes);
        let [low, high] = mask.to_le_bytes();
        let high_bytes = bytes >> (8 * low.count_ones());
        let [low, high] = [self.full_word(low), self.full_word(high)];
        Half([self.deposit(bytes as u64, low), self.deposit(high_bytes as u64, high)])
    }
}

impl Avx2Bits {
    /// Returns a word of eight bytes. Byte i is 255 if bit i of the mask is 1, otherwise 0.
    #[inline(always)]
    fn full_word(self, mask: u8) -> u64 {
        255 * self.deposit(u64::from(mask), BYTE_ONES)
    }
}

impl Bits for Avx512Bits {
    #[inline(always)]
    fn extract(self, word: u64, mask: u64) -> u64 {
        self.0.extract(word, mask)
    }

    #[inline(always)]
    fn deposit(self, word: u64, mask: u64) -> u64 {
        self.0.deposit(word, mask)
    }

    #[inline(always)]
    fn are_nested(self, sets: [&Super; 4]) -> bool {
        self.0.are_nested(sets)
    }

    #[inline(always)]
    fn uniform_bytes(self, bytes: &[u8; 64]) -> [u64; 2] {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512 with VBMI2 and
        // BITALG. The load reads the 64 bytes of `bytes`.
        unsafe {
            let bytes = _mm512_loadu_si512(bytes.as_ptr().cast());
            // Adding 1 maps the uniform bytes 255 and 0 to 0 and 1.
            let next = _mm512_add_epi8(bytes, _mm512_set1_epi8(1));
            [_mm512_cmple_epu8_mask(next, _mm512_set1_epi8(1)), _mm512_movepi8_mask(bytes)]
        }
    }

    #[inline(always)]
    fn full_bytes(self, mask: u64) -> [u8; 64] {
        let mut bytes = [0; 64];
        // SAFETY: a value of this type exists only if the CPU supports AVX-512 with VBMI2 and
        // BITALG. The store writes the 64 bytes of `bytes`.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), _mm512_movm_epi8(mask)) };
        bytes
    }

    #[inline(always)]
    fn extract_bytes(self, bytes: &[u8; 64], mask: u64, to: &mut [u8; 64]) {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512 with VBMI2 and
        // BITALG. The load and the store access 64 bytes each, which both arrays have.
        unsafe {
            let bytes = _mm512_loadu_si512(bytes.as_ptr().cast());
            _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(mask, bytes));
        }
    }

    #[inline(always)]
    fn deposit_bytes(self, bytes: &[u8; 64], mask: u64, to: &mut [u8; 64]) {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512 with VBMI2 and
        // BITALG. The loads and the store access 64 bytes each, which both arrays have.
        unsafe {
            let spread = _mm512_maskz_expand_epi8(mask, _mm512_loadu_si512(bytes.as_ptr().cast()));
            let all = _mm512_or_si512(spread, _mm512_loadu_si512(to.as_ptr().cast()));
            _mm512_storeu_si512(to.as_mut_ptr().cast(), all);
        }
    }

    #[inline(always)]
    fn plane_columns(self, fields: &Fields, mask: [u64; 2], columns: &mut [u32; 64]) -> usize {
        let mut count = 0;
        let pairs = fields.as_chunks::<4>().0;
        for (word, mut rest) in mask.into_iter().enumerate() {
            if rest == 0 {
                continue;
            }
            // SAFETY: a value of this type exists only if the CPU supports AVX-512 with VBMI2 and
            // BITALG. Each load reads four planes, which are 64 bytes.
            unsafe {
                let first = _mm512_set1_epi64(word as i64);
                let every_other = _mm512_add_epi64(first, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14));
                let mut words = [_mm512_setzero_si512(); 4];
                for (words, [a, b]) in words.iter_mut().zip(pairs.as_chunks::<2>().0) {
                    let a = _mm512_loadu_si512(a.as_ptr().cast());
                    let b = _mm512_loadu_si512(b.as_ptr().cast());
                    *words = _mm512_permutex2var_epi64(a, every_other, b);
                }
                while rest != 0 {
                    let bit = _mm512_set1_epi64((rest & rest.wrapping_neg()) as i64);
                    rest &= rest - 1;
                    let [a, b, c, d] = words;
                    let low = u32::from(_mm512_test_epi64_mask(a, bit))
                        | u32::from(_mm512_test_epi64_mask(b, bit)) << 8;
                    let high = u32::from(_mm512_test_epi64_mask(c, bit))
                        | u32::from(_mm512_test_epi64_mask(d, bit)) << 8;
                    columns[count % 64] = low | high << 16;
                    count += 1;
                }
            }
        }
        count
    }

    #[inline(always)]
    fn subtract(self, before: &[Half; WINDOW], literal: Half) -> (u8, u16, [u8; DIFFERENCE_BYTES]) {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512 with VBMI2 and
        // BITALG. Each load reads four half supers, which are 64 bytes.
        unsafe {
            let own = vector(literal);
            let four = _mm512_broadcast_i32x4(own);
            let others = |i: usize| before.as_ptr().add(4 * i).cast();
            let mut masks = [0; 4];
            for (i, mask) in masks.iter_mut().enumerate() {
                *mask = _mm512_cmpneq_epi8_mask(four, _mm512_loadu_si512(others(i))) as i64;
            }
            let masks = _mm256_set_epi64x(masks[3], masks[2], masks[1], masks[0]);
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
    fn spread_bytes(self, mask: u16, bytes: [u8; DIFFERENCE_BYTES]) -> Half {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512 with VBMI2 and
        // BITALG. The load and the store access one half super each, which has 16 bytes.
        unsafe {
            let difference = _mm_maskz_expand_epi8(mask, _mm_loadu_si128(bytes.as_ptr().cast()));
            let mut half = Half::NONE;
            _mm_store_si128((&raw mut half).cast(), difference);
            half
        }
    }
}
