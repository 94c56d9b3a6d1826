//! The AVX2 kernel. A vector of 256 bits contains two half supers.

use super::formula::{BOTH, CW_EVEN};
use super::lanes::{Lanes, PLACES, Pack};
use super::tables::{BOTH_TURNS, CLOCKWISE, EVEN_BYTES, Nibbles};
use crate::supers::Half;
use core::arch::x86_64::*;

/// The vector of the AVX2 kernel: two half supers.
#[derive(Clone, Copy)]
pub(super) struct Avx2(pub(super) __m256i);

/// Returns a vector with the table in each 128-bit lane.
///
/// # Safety
/// The CPU supports AVX2.
#[inline(always)]
unsafe fn table(t: &'static [u8; 16]) -> __m256i {
    // SAFETY: the caller has checked that the CPU supports AVX2.
    unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(t.as_ptr().cast())) }
}

/// Looks up the low half of each byte in the first table and the high half in the second table, and
/// returns the union of the results. The code is a function, not a closure, because the compiler
/// inlines the instructions of a closure only with link-time optimisation.
///
/// # Safety
/// The CPU supports AVX2.
#[inline(always)]
unsafe fn look(t: &'static Nibbles, low: __m256i, high: __m256i) -> __m256i {
    // SAFETY: the caller has checked that the CPU supports AVX2.
    unsafe {
        _mm256_or_si256(_mm256_shuffle_epi8(table(&t[0]), low), _mm256_shuffle_epi8(table(&t[1]), high))
    }
}

// SAFETY: the trait requires that the methods access only the given part of a line. The methods do
// so, and use only instructions of AVX2.
unsafe impl Lanes for Avx2 {
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX2.
        unsafe { Avx2(_mm256_set1_epi64x(word as i64)) }
    }
    #[inline(always)]
    unsafe fn load(p: *const Pack, part: usize) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX2, and guarantees that `p` points
        // to a valid line.
        unsafe { Avx2(_mm256_load_si256(p.cast::<__m256i>().add(part))) }
    }
    #[inline(always)]
    unsafe fn load_shifted(p: *const Pack, part: usize, by: u8) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX2, and guarantees that `p` points
        // to a valid line.
        unsafe {
            let place = |i: usize| p.cast::<__m128i>().add((i + usize::from(by)) % PLACES);
            let (low, high) = (place(2 * part), place(2 * part + 1));
            Avx2(_mm256_set_m128i(_mm_load_si128(high), _mm_load_si128(low)))
        }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut Pack, part: usize) {
        // SAFETY: the caller has checked that the CPU supports AVX2, and guarantees that `p` points
        // to a valid line.
        unsafe { _mm256_store_si256(p.cast::<__m256i>().add(part), self.0) }
    }
    #[inline(always)]
    unsafe fn stream(self, p: *mut Pack, part: usize) {
        // SAFETY: the caller has checked that the CPU supports AVX2, and guarantees that `p` points
        // to a valid line.
        unsafe { _mm256_stream_si256(p.cast::<__m256i>().add(part), self.0) }
    }
    #[inline(always)]
    fn or(self, b: Self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX2.
        unsafe { Avx2(_mm256_or_si256(self.0, b.0)) }
    }
    #[inline(always)]
    fn and(self, b: Self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX2.
        unsafe { Avx2(_mm256_and_si256(self.0, b.0)) }
    }
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX2.
        unsafe { Avx2(_mm256_xor_si256(self.0, _mm256_set1_epi8(-1))) }
    }
    #[inline(always)]
    unsafe fn prefetch(p: *const Pack) {
        // SAFETY: the caller has checked that the CPU supports AVX2.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
    }
    #[inline(always)]
    fn rotation_max<const TURNS: u8>(self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX2.
        unsafe {
            let x = self.0;
            let nibble = _mm256_set1_epi8(15);
            let low = _mm256_and_si256(x, nibble);
            let high = _mm256_and_si256(_mm256_srli_epi16::<4>(x), nibble);
            let inside = if TURNS == BOTH {
                look(&BOTH_TURNS, low, high)
            } else {
                let (even, odd) = if TURNS == CW_EVEN { (0, 1) } else { (1, 0) };
                _mm256_blendv_epi8(
                    look(&CLOCKWISE[odd], low, high),
                    look(&CLOCKWISE[even], low, high),
                    table(&EVEN_BYTES),
                )
            };
            // All values with the same r3 are one 32-bit word. All values with the same r2 are one
            // byte of each word.
            let next_r2 = _mm256_or_si256(_mm256_srli_epi32::<8>(x), _mm256_slli_epi32::<24>(x));
            let next_r3 = _mm256_shuffle_epi32::<0b00_11_10_01>(x);
            let mut out = _mm256_or_si256(inside, _mm256_or_si256(next_r2, next_r3));
            if TURNS == BOTH {
                let previous_r2 = _mm256_or_si256(_mm256_slli_epi32::<8>(x), _mm256_srli_epi32::<24>(x));
                let previous_r3 = _mm256_shuffle_epi32::<0b10_01_00_11>(x);
                out = _mm256_or_si256(out, _mm256_or_si256(previous_r2, previous_r3));
            }
            Avx2(out)
        }
    }
}

/// Returns the rotations at which the player has five in a row.
/// [`Passes::fives`](super::Passes::fives) explains the argument and the result.
#[target_feature(enable = "avx2")]
pub(super) fn fives(lines: &[[u32; 4]; 4]) -> [Half; 2] {
    let [a, b, c, d] = lines;
    let pair = |low: usize| {
        // Word 4h + r1 has the lines that quadrants 0 and 1 complete together. Quadrant 1 is at
        // rotation r1. Quadrant 0 is at the rotation with this h whose low bit is the low bit of
        // low + r1.
        let word = |h: usize, r1: usize| (a[2 * h + ((low + r1) & 1)] & b[r1]) as i32;
        _mm256_setr_epi32(
            word(0, 0),
            word(0, 1),
            word(0, 2),
            word(0, 3),
            word(1, 0),
            word(1, 1),
            word(1, 2),
            word(1, 3),
        )
    };
    let pairs = [pair(0), pair(1)];
    let mut out = [[0u8; 16]; 2];
    for r3 in 0..4 {
        for r2 in 0..4 {
            let rest = _mm256_set1_epi32((c[r2] & d[r3]) as i32);
            for p in 0..2 {
                let met = _mm256_and_si256(pairs[(p + r2 + r3) & 1], rest);
                let none = _mm256_cmpeq_epi32(met, _mm256_setzero_si256());
                out[p][4 * r3 + r2] = !_mm256_movemask_ps(_mm256_castsi256_ps(none)) as u8;
            }
        }
    }
    out.map(Half::from_bytes)
}
