//! Whole entries with AVX-512. An entry is one vector.

use super::portable::EVEN;
use super::whole::{LineWords, Whole};
use crate::kernel::avx512::Avx512;
use crate::kernel::formula::{BOTH, CW_EVEN, CW_ODD};
use crate::kernel::lanes::{Aligned, Lanes, Pack};
use crate::supers::Super;
use core::arch::x86_64::*;

/// Permutations of the 32-bit words of an entry, indexed by a shift of 0 to 3 along axis 3. An odd
/// shift also exchanges the two parities.
static LAST: [Aligned<[u32; 16]>; 4] = [last_words(0), last_words(1), last_words(2), last_words(3)];

const fn last_words(by: usize) -> Aligned<[u32; 16]> {
    let mut indices = [0; 16];
    let mut i = 0;
    while i < 16 {
        let (half, r3) = (i / 4, i % 4);
        indices[i] = (4 * (half ^ (by % 2)) + (r3 + by) % 4) as u32;
        i += 1;
    }
    Aligned(indices)
}

/// Returns the permutation of the 32-bit words of an entry for a shift by `by` along axis 3.
///
/// # Safety
/// The CPU supports AVX-512, and `by` is less than 4.
#[inline(always)]
unsafe fn last(by: u8) -> __m512i {
    // SAFETY: the caller has checked that the CPU supports AVX-512, and guarantees `by < 4`. Each
    // element of `LAST` is an aligned vector.
    unsafe { _mm512_load_si512(LAST.get_unchecked(usize::from(by)).0.as_ptr().cast()) }
}

/// Returns the bits of `a` where `mask` has ones, and the bits of `b` elsewhere.
///
/// # Safety
/// The CPU supports AVX-512.
#[inline(always)]
unsafe fn select(mask: __m512i, a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the caller has checked that the CPU supports AVX-512.
    unsafe { _mm512_ternarylogic_epi64::<0xca>(mask, a, b) }
}

/// Exchanges the values at `h = 0` with the values at `h = 1`.
///
/// # Safety
/// The CPU supports AVX-512.
#[inline(always)]
unsafe fn other_h(x: __m512i) -> __m512i {
    // SAFETY: the caller has checked that the CPU supports AVX-512.
    unsafe { select(_mm512_set1_epi8(0x0f), _mm512_srli_epi16::<4>(x), _mm512_slli_epi16::<4>(x)) }
}

// SAFETY: the trait requires that the methods access only the entry or super at their pointer. The
// methods do so, and use only instructions of AVX-512.
unsafe impl Whole for Avx512 {
    #[inline(always)]
    unsafe fn load(p: *const Pack) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX-512, and guarantees that `p`
        // points to a valid entry.
        unsafe { Avx512(_mm512_load_si512(p.cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut Pack) {
        // SAFETY: the caller has checked that the CPU supports AVX-512, and guarantees that `p`
        // points to a valid entry.
        unsafe { _mm512_store_si512(p.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn stream(self, p: *mut Pack) {
        // SAFETY: the caller has checked that the CPU supports AVX-512, and guarantees that `p`
        // points to a valid entry.
        unsafe { _mm512_stream_si512(p.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn prefetch(p: *const Pack) {
        // SAFETY: the caller has checked that the CPU supports AVX-512.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(p.cast()) }
    }
    #[inline(always)]
    unsafe fn ones() -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX-512.
        unsafe { Avx512(_mm512_set1_epi32(-1)) }
    }
    #[inline(always)]
    fn and(self, b: Self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512.
        unsafe { Avx512(_mm512_and_si512(self.0, b.0)) }
    }
    #[inline(always)]
    fn or(self, b: Self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512.
        unsafe { Avx512(_mm512_or_si512(self.0, b.0)) }
    }
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512.
        unsafe { Avx512(_mm512_xor_si512(self.0, _mm512_set1_epi32(-1))) }
    }
    #[inline(always)]
    fn select(self, a: Self, b: Self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512.
        unsafe { Avx512(select(self.0, a.0, b.0)) }
    }
    #[inline(always)]
    fn second(self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512.
        unsafe { Avx512(_mm512_maskz_mov_epi64(0xf0, self.0)) }
    }
    #[inline(always)]
    fn other_planes(self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512.
        unsafe { Avx512(_mm512_shuffle_i64x2::<0b01_00_11_10>(self.0, self.0)) }
    }
    #[inline(always)]
    unsafe fn words(even: [u64; 2], odd: [u64; 2]) -> Self {
        let [a, b, c, d] = [even[0], even[1], odd[0], odd[1]].map(|word| word as i64);
        // SAFETY: the caller has checked that the CPU supports AVX-512.
        unsafe { Avx512(_mm512_setr_epi64(a, b, c, d, a, b, c, d)) }
    }
    #[inline(always)]
    fn bytes(self, places: &'static [u8; 16]) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512. The load reads the
        // 16 bytes of `places`.
        unsafe {
            let places = _mm512_broadcast_i32x4(_mm_loadu_si128(places.as_ptr().cast()));
            Avx512(_mm512_shuffle_epi8(self.0, places))
        }
    }
    #[inline(always)]
    fn left<const BY: u32>(self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512.
        unsafe { Avx512(_mm512_slli_epi64::<BY>(self.0)) }
    }
    #[inline(always)]
    fn right<const BY: u32>(self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512.
        unsafe { Avx512(_mm512_srli_epi64::<BY>(self.0)) }
    }
    #[inline(always)]
    fn shifted<const AXIS: usize, const BY: u8>(self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512.
        unsafe {
            if AXIS == 3 {
                return self.shifted_last(BY);
            }
            let x = if BY.is_multiple_of(2) {
                self.0
            } else {
                _mm512_shuffle_i64x2::<0b10_11_00_01>(self.0, self.0)
            };
            Avx512(match (AXIS, BY) {
                (_, 0) => x,
                (0, 2) => other_h(x),
                (0, _) => {
                    // r0 + 1 has another h than r0 if and only if r0 is odd. r0 + 3 has another h
                    // than r0 if and only if r0 is even.
                    let even = if BY == 1 { EVEN } else { !EVEN } as i64;
                    let stays = _mm512_setr_epi64(even, even, !even, !even, even, even, !even, !even);
                    select(stays, x, other_h(x))
                }
                (1, 1) => {
                    select(_mm512_set1_epi8(0x77), _mm512_srli_epi16::<1>(x), _mm512_slli_epi16::<3>(x))
                }
                (1, 2) => {
                    select(_mm512_set1_epi8(0x33), _mm512_srli_epi16::<2>(x), _mm512_slli_epi16::<2>(x))
                }
                (1, _) => {
                    select(_mm512_set1_epi8(0x11), _mm512_srli_epi16::<3>(x), _mm512_slli_epi16::<1>(x))
                }
                (_, 1) => _mm512_ror_epi32::<8>(x),
                (_, 2) => _mm512_ror_epi32::<16>(x),
                _ => _mm512_ror_epi32::<24>(x),
            })
        }
    }
    #[inline(always)]
    unsafe fn shifted_last(self, by: u8) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512. The caller
        // guarantees that `by` is less than 4.
        unsafe { Avx512(_mm512_permutexvar_epi32(last(by), self.0)) }
    }
    #[inline(always)]
    unsafe fn both(p: *const Super) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX-512, and guarantees that `p`
        // points to a valid super.
        unsafe { Avx512(_mm512_broadcast_i64x4(_mm256_loadu_si256(p.cast()))) }
    }
    #[inline(always)]
    fn rotation_max<const CW: bool>(self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512.
        unsafe {
            let max = if CW {
                // A turn changes the parity, so the results at odd rotations come from values at
                // even rotations, and vice versa.
                let to_odd = Lanes::rotation_max::<CW_ODD>(self);
                let to_even = Lanes::rotation_max::<CW_EVEN>(self);
                _mm512_mask_blend_epi64(0b1100_1100, to_odd.0, to_even.0)
            } else {
                Lanes::rotation_max::<BOTH>(self).0
            };
            Avx512(_mm512_shuffle_i64x2::<0b00_01_10_11>(max, max))
        }
    }
    #[inline(always)]
    unsafe fn fives(words: &LineWords, last: &[u32; 4]) -> Super {
        let mut out = Super::default();
        let halves = (&raw mut out).cast::<u16>();
        // SAFETY: the caller has checked that the CPU supports AVX-512. Each load reads 16 of the
        // 64 aligned words of `words`, and each write goes to one of the sixteen 16-bit parts of
        // `out`.
        unsafe {
            for i in 0..4 {
                let words = _mm512_load_si512(words.0.as_ptr().add(16 * i).cast());
                for (r3, &last) in last.iter().enumerate() {
                    let met = _mm512_test_epi32_mask(words, _mm512_set1_epi32(last as i32));
                    let parity = (i / 2 + r3) % 2;
                    halves.add(8 * parity + 2 * r3 + i % 2).write(met);
                }
            }
        }
        out
    }
    /// Counts ones by looking up each half of a byte in a table of 16 bytes. For the default
    /// implementation, the compiler emits gather instructions, which take 2.6 times as long.
    #[inline(always)]
    unsafe fn copy_counted(
        entries: &[Pack],
        weights: &[u8],
        out: &mut [Pack],
        past_caches: bool,
    ) -> [u64; 2] {
        // SAFETY: the caller has checked that the CPU supports AVX-512. Every load and store goes
        // through a reference to a whole entry.
        unsafe {
            let ones_of =
                _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
            let nibble = _mm512_set1_epi8(0x0f);
            let mut sums = _mm512_setzero_si512();
            for ((entry, &weight), out) in entries.iter().zip(weights).zip(out) {
                let x = Avx512(_mm512_load_si512(entry.0.as_ptr().cast()));
                Whole::put(x, out, past_caches);
                let low = _mm512_shuffle_epi8(ones_of, _mm512_and_si512(x.0, nibble));
                let high = _mm512_and_si512(_mm512_srli_epi16::<4>(x.0), nibble);
                let ones = _mm512_add_epi8(low, _mm512_shuffle_epi8(ones_of, high));
                // Sum the ones in each 64-bit word.
                let ones = _mm512_sad_epu8(ones, _mm512_setzero_si512());
                let weighted = _mm512_mul_epu32(ones, _mm512_set1_epi64(weight.into()));
                sums = _mm512_add_epi64(sums, weighted);
            }
            let [won, kept] = [_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64::<1>(sums)];
            [won, kept].map(|sums| {
                let two = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
                (_mm_cvtsi128_si64(two) + _mm_extract_epi64::<1>(two)) as u64
            })
        }
    }
}
