//! The AVX-512 kernel. A vector of 512 bits contains four half supers, which are one cache line.

use super::formula::{BOTH, CW_EVEN};
use super::lanes::{Aligned, Lanes, Pack, at};
use super::tables::{BOTH_TURNS, CLOCKWISE, EVEN_BYTES, Nibbles};
use crate::supers::Half;
use core::arch::x86_64::*;

/// The indices of the 64-bit words of a line that is rotated by 0 to 3 half supers. The first index
/// of the table is the number of half supers.
static SHIFTS: [Aligned<[u64; 8]>; 4] = [
    Aligned([0, 1, 2, 3, 4, 5, 6, 7]),
    Aligned([2, 3, 4, 5, 6, 7, 0, 1]),
    Aligned([4, 5, 6, 7, 0, 1, 2, 3]),
    Aligned([6, 7, 0, 1, 2, 3, 4, 5]),
];

/// Returns the indices of the 64-bit words of a line that is rotated by `by` half supers.
///
/// # Safety
/// The CPU supports AVX-512.
#[inline(always)]
unsafe fn rotated(by: u8) -> __m512i {
    // SAFETY: the caller has checked that the CPU supports AVX-512.
    unsafe { _mm512_load_si512(SHIFTS[usize::from(by % 4)].0.as_ptr().cast()) }
}

/// The vector of the AVX-512 kernel: four half supers.
#[derive(Clone, Copy)]
pub(super) struct Avx512(pub(super) __m512i);

/// Returns a vector with the table in each 128-bit lane.
///
/// # Safety
/// The CPU supports AVX-512.
#[inline(always)]
unsafe fn table(t: &'static [u8; 16]) -> __m512i {
    // SAFETY: the caller has checked that the CPU supports AVX-512.
    unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(t.as_ptr().cast())) }
}

/// Looks up the low half of each byte in the first table and the high half in the second table, and
/// returns the union of the results. The code is a function, not a closure, because the compiler
/// inlines the instructions of a closure only with link-time optimisation.
///
/// # Safety
/// The CPU supports AVX-512.
#[inline(always)]
unsafe fn look(t: &'static Nibbles, low: __m512i, high: __m512i) -> __m512i {
    // SAFETY: the caller has checked that the CPU supports AVX-512.
    unsafe {
        _mm512_or_si512(_mm512_shuffle_epi8(table(&t[0]), low), _mm512_shuffle_epi8(table(&t[1]), high))
    }
}

// SAFETY: the trait requires that the methods access only the given part of a line. The methods do
// so, and use only instructions of AVX-512.
unsafe impl Lanes for Avx512 {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX-512.
        unsafe { Avx512(_mm512_set1_epi64(word as i64)) }
    }
    #[inline(always)]
    unsafe fn load(p: *const Pack, _: usize) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX-512, and guarantees that `p`
        // points to a valid line.
        unsafe { Avx512(_mm512_load_si512(p.cast())) }
    }
    #[inline(always)]
    unsafe fn load_shifted(p: *const Pack, _: usize, by: u8) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX-512, and guarantees that `p`
        // points to a valid line.
        unsafe { Avx512(_mm512_permutexvar_epi64(rotated(by), _mm512_load_si512(p.cast()))) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut Pack, _: usize) {
        // SAFETY: the caller has checked that the CPU supports AVX-512, and guarantees that `p`
        // points to a valid line.
        unsafe { _mm512_store_si512(p.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn stream(self, p: *mut Pack, _: usize) {
        // SAFETY: the caller has checked that the CPU supports AVX-512, and guarantees that `p`
        // points to a valid line.
        unsafe { _mm512_stream_si512(p.cast(), self.0) }
    }
    #[inline(always)]
    fn or(self, b: Self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512.
        unsafe { Avx512(_mm512_or_si512(self.0, b.0)) }
    }
    #[inline(always)]
    fn and(self, b: Self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512.
        unsafe { Avx512(_mm512_and_si512(self.0, b.0)) }
    }
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512.
        unsafe { Avx512(_mm512_xor_si512(self.0, _mm512_set1_epi32(-1))) }
    }
    #[inline(always)]
    unsafe fn gather<const N: usize>(base: *const Pack, offsets: *const u16, _: usize, by: u8) -> Self {
        // A vector is a whole line, so it suffices to rotate the union once instead of each line.
        // SAFETY: the caller has checked that the CPU supports AVX-512, and guarantees `N` offsets
        // with a valid line at each offset.
        unsafe {
            let mut x = Self::splat(0);
            for j in 0..N {
                x = x.or(Self::load(at(base, offsets.add(j)), 0));
            }
            Avx512(_mm512_permutexvar_epi64(rotated(by), x.0))
        }
    }
    #[inline(always)]
    unsafe fn prefetch(p: *const Pack) {
        // SAFETY: the caller has checked that the CPU supports AVX-512.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
    }
    #[inline(always)]
    fn rotation_max<const TURNS: u8>(self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX-512.
        unsafe {
            let x = self.0;
            let nibble = _mm512_set1_epi8(15);
            let low = _mm512_and_si512(x, nibble);
            let high = _mm512_and_si512(_mm512_srli_epi16::<4>(x), nibble);
            let inside = if TURNS == BOTH {
                look(&BOTH_TURNS, low, high)
            } else {
                let (even, odd) = if TURNS == CW_EVEN { (0, 1) } else { (1, 0) };
                let even_bytes = _mm512_movepi8_mask(table(&EVEN_BYTES));
                _mm512_mask_blend_epi8(
                    even_bytes,
                    look(&CLOCKWISE[odd], low, high),
                    look(&CLOCKWISE[even], low, high),
                )
            };
            // All values with the same r3 are one 32-bit word. All values with the same r2 are one
            // byte of each word.
            let next_r2 = _mm512_ror_epi32::<8>(x);
            let next_r3 = _mm512_shuffle_epi32::<0b00_11_10_01>(x);
            let mut out = _mm512_or_si512(inside, _mm512_or_si512(next_r2, next_r3));
            if TURNS == BOTH {
                let previous_r2 = _mm512_rol_epi32::<8>(x);
                let previous_r3 = _mm512_shuffle_epi32::<0b10_01_00_11>(x);
                out = _mm512_or_si512(out, _mm512_or_si512(previous_r2, previous_r3));
            }
            Avx512(out)
        }
    }
}

/// Returns the rotations at which the player has five in a row.
/// [`Passes::fives`](super::Passes::fives) explains the argument and the result.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) fn fives(lines: &[[u32; 4]; 4]) -> [Half; 2] {
    let [a, b, c, d] = lines;
    // Word 4h + r1 of `pairs` has the lines that quadrants 0 and 1 complete together. Quadrant 1 is
    // at rotation r1. Quadrant 0 is at the rotation with this h whose low bit is the low bit of r1
    // (lower half of the vector) or of r1 + 1 (upper half).
    // SAFETY: every x86-64 CPU supports the loads, and each array has the 16 bytes that a load
    // reads.
    let (a, b) = unsafe { (_mm_loadu_si128(a.as_ptr().cast()), _mm_loadu_si128(b.as_ptr().cast())) };
    let a = _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 1, 0, 1, 2, 3, 2, 3, 1, 0, 1, 0, 3, 2, 3, 2),
        _mm512_castsi128_si512(a),
    );
    let pairs = _mm512_and_si512(a, _mm512_broadcast_i32x4(b));
    let swapped = _mm512_shuffle_i64x2::<0b01_00_11_10>(pairs, pairs);
    // SAFETY: every x86-64 CPU supports the load, and the array has the 16 bytes that the load
    // reads.
    let c = unsafe { _mm_loadu_si128(c.as_ptr().cast()) };
    // `c01` has the lines of quadrant 2 at r2 = 0 in its lower half and at r2 = 1 in its upper
    // half. `c23` has the lines at r2 = 2 and r2 = 3.
    let c = _mm512_castsi128_si512(c);
    let c01 = _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1), c);
    let c23 = _mm512_permutexvar_epi32(_mm512_setr_epi32(2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3), c);
    let mut out = [[0u64; 2]; 2];
    for (p, out) in out.iter_mut().enumerate() {
        for r3 in 0..4 {
            let d = _mm512_set1_epi32(d[r3] as i32);
            let pairs = if (p + r3) % 2 == 0 { pairs } else { swapped };
            let pairs = _mm512_and_si512(pairs, d);
            let r01 = _mm512_test_epi32_mask(pairs, c01) as u64;
            let r23 = _mm512_test_epi32_mask(pairs, c23) as u64;
            out[r3 / 2] |= (r01 | r23 << 16) << (32 * (r3 % 2));
        }
    }
    out.map(Half)
}
