//! The operations that proofs need on the AVX-512 vector, which contains four half supers in 512
//! bits.

use super::lanes::ProofLanes;
use crate::kernel::avx512::Avx512;
use crate::kernel::lanes::Pack;
use crate::supers::Half;
use core::arch::x86_64::*;

// SAFETY: the trait requires that each method reads exactly the half supers that its documentation
// names. The methods do so, and use only instructions of AVX-512.
unsafe impl ProofLanes for Avx512 {
    #[inline(always)]
    unsafe fn broadcast(x: &Half) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX-512. `x` is a reference, so it
        // is valid and aligned.
        unsafe { Avx512(_mm512_broadcast_i32x4(_mm_load_si128((x as *const Half).cast()))) }
    }
    #[inline(always)]
    unsafe fn collect(table: *const Half, sets: [u32; 4], _: usize) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX-512, and guarantees that every
        // index in `sets` is less than the length of `table`.
        unsafe {
            let at = |i: usize| table.add(sets[i] as usize).cast();
            let x = _mm512_castsi128_si512(_mm_load_si128(at(0)));
            let x = _mm512_inserti32x4::<1>(x, _mm_load_si128(at(1)));
            let x = _mm512_inserti32x4::<2>(x, _mm_load_si128(at(2)));
            Avx512(_mm512_inserti32x4::<3>(x, _mm_load_si128(at(3))))
        }
    }
    #[inline(always)]
    unsafe fn spread_even(p: *const Half, _: usize) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX-512, and guarantees that `p`
        // points to two half supers.
        unsafe {
            let x = _mm512_castsi256_si512(_mm256_loadu_si256(p.cast()));
            Avx512(_mm512_maskz_permutexvar_epi64(0b0011_0011, _mm512_setr_epi64(0, 1, 0, 1, 2, 3, 2, 3), x))
        }
    }
    #[inline(always)]
    unsafe fn spread_first(p: *const Half, _: usize) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX-512, and guarantees that `p`
        // points to two half supers.
        unsafe { Avx512(_mm512_zextsi256_si512(_mm256_loadu_si256(p.cast()))) }
    }
    #[inline(always)]
    unsafe fn above(p: *const Pack, _: usize) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX-512, and guarantees that `p`
        // points to a valid pack.
        unsafe {
            let x = _mm512_load_si512(p.cast());
            let one =
                _mm512_maskz_permutexvar_epi64(0b0011_1111, _mm512_setr_epi64(2, 3, 6, 7, 6, 7, 0, 0), x);
            let two =
                _mm512_maskz_permutexvar_epi64(0b0000_0011, _mm512_setr_epi64(4, 5, 0, 0, 0, 0, 0, 0), x);
            Avx512(_mm512_or_si512(one, two))
        }
    }
}
