//! The operations that proofs need on the AVX2 vector, which contains two half supers in 256 bits.

use super::lanes::ProofLanes;
use crate::kernel::avx2::Avx2;
use crate::kernel::lanes::Pack;
use crate::supers::Half;
use core::arch::x86_64::*;

/// Loads the half super at `p`.
///
/// # Safety
/// `p` is valid for reading and aligned, and the CPU supports AVX2.
#[inline(always)]
unsafe fn half(p: *const Half) -> __m128i {
    // SAFETY: the caller has checked that the CPU supports AVX2, and guarantees that `p` is valid
    // and aligned.
    unsafe { _mm_load_si128(p.cast()) }
}

// SAFETY: the trait requires that each method reads exactly the half supers that its documentation
// names. The methods do so, and use only instructions of AVX2.
unsafe impl ProofLanes for Avx2 {
    #[inline(always)]
    unsafe fn broadcast(x: &Half) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX2. `x` is a reference, so it is
        // valid and aligned.
        unsafe { Avx2(_mm256_broadcastsi128_si256(half(x))) }
    }
    #[inline(always)]
    unsafe fn collect(table: *const Half, sets: [u32; 4], part: usize) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX2, and guarantees that every
        // index in `sets` is less than the length of `table`.
        unsafe {
            let at = |i: usize| table.add(sets[2 * part + i] as usize);
            Avx2(_mm256_set_m128i(half(at(1)), half(at(0))))
        }
    }
    #[inline(always)]
    unsafe fn spread_even(p: *const Half, part: usize) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX2, and guarantees that `p` points
        // to two half supers.
        unsafe { Avx2(_mm256_set_m128i(_mm_setzero_si128(), half(p.add(part)))) }
    }
    #[inline(always)]
    unsafe fn spread_first(p: *const Half, part: usize) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX2, and guarantees that `p` points
        // to two half supers.
        unsafe { Avx2(if part == 0 { _mm256_loadu_si256(p.cast()) } else { _mm256_setzero_si256() }) }
    }
    #[inline(always)]
    unsafe fn above(p: *const Pack, part: usize) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX2, and guarantees that `p` points
        // to a valid pack, which is four half supers.
        unsafe {
            let halves = p.cast::<Half>();
            let last = half(halves.add(3));
            Avx2(if part == 0 {
                _mm256_set_m128i(last, _mm_or_si128(half(halves.add(1)), half(halves.add(2))))
            } else {
                _mm256_set_m128i(_mm_setzero_si128(), last)
            })
        }
    }
}
