//! The operations of proofs for the SIMD128 vector: one half super in 128 bits.

use super::lanes::ProofLanes;
use crate::kernel::lanes::Pack;
use crate::kernel::simd128::Simd128;
use crate::supers::Half;
use core::arch::wasm32::*;

/// Loads the half super at `p`.
///
/// # Safety
/// `p` is valid for reading.
#[inline(always)]
unsafe fn half(p: *const Half) -> v128 {
    // SAFETY: the caller guarantees the CPU support and valid pointers.
    unsafe { v128_load(p.cast()) }
}

/// Returns a half super that is false everywhere.
#[inline(always)]
fn nothing() -> v128 {
    u64x2_splat(0)
}

// SAFETY: the methods read exactly the memory that the trait allows, and use only instructions of
// this instruction set.
unsafe impl ProofLanes for Simd128 {
    #[inline(always)]
    unsafe fn broadcast(x: &Half) -> Self {
        // SAFETY: a reference is valid for reading.
        Simd128(unsafe { half(x) })
    }
    #[inline(always)]
    unsafe fn collect(table: *const Half, sets: [u32; 4], part: usize) -> Self {
        // SAFETY: the caller guarantees the CPU support and valid pointers.
        Simd128(unsafe { half(table.add(sets[part] as usize)) })
    }
    #[inline(always)]
    unsafe fn spread_even(p: *const Half, part: usize) -> Self {
        // SAFETY: the caller guarantees the CPU support and valid pointers.
        Simd128(if part.is_multiple_of(2) { unsafe { half(p.add(part / 2)) } } else { nothing() })
    }
    #[inline(always)]
    unsafe fn spread_first(p: *const Half, part: usize) -> Self {
        // SAFETY: the caller guarantees the CPU support and valid pointers.
        Simd128(if part < 2 { unsafe { half(p.add(part)) } } else { nothing() })
    }
    #[inline(always)]
    unsafe fn above(p: *const Pack, part: usize) -> Self {
        // SAFETY: the caller guarantees the CPU support and valid pointers.
        unsafe {
            let at = |place: usize| half(p.cast::<Half>().add(place));
            Simd128(match part {
                0 => v128_or(at(1), at(2)),
                1 | 2 => at(3),
                _ => nothing(),
            })
        }
    }
}
