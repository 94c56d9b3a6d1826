//! The SIMD128 kernel, for WebAssembly. A vector of 128 bits contains one half super.

use super::formula::{BOTH, CW_EVEN};
use super::lanes::{Lanes, Pack};
use super::tables::{BOTH_TURNS, CLOCKWISE, EVEN_BYTES, Nibbles};
use core::arch::wasm32::*;

/// The vector of the SIMD128 kernel: one half super.
#[derive(Clone, Copy)]
pub(super) struct Simd128(pub(super) v128);

/// Loads a table of 16 bytes into a vector.
#[inline(always)]
fn table(t: &'static [u8; 16]) -> v128 {
    // SAFETY: the load reads the 16 bytes of the array, and needs no alignment.
    unsafe { v128_load(t.as_ptr().cast()) }
}

// SAFETY: the trait requires that the methods access only the given part of a line. The methods do
// so, and use only SIMD128, which the target enables.
unsafe impl Lanes for Simd128 {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        Simd128(u64x2_splat(word))
    }
    #[inline(always)]
    unsafe fn load(p: *const Pack, part: usize) -> Self {
        // SAFETY: the caller guarantees that `p` is valid for reading and has a part with index
        // `part`.
        Simd128(unsafe { v128_load(p.cast::<v128>().add(part)) })
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut Pack, part: usize) {
        // SAFETY: the caller guarantees that `p` is valid for writing and has a part with index
        // `part`.
        unsafe { v128_store(p.cast::<v128>().add(part), self.0) }
    }
    #[inline(always)]
    fn or(self, b: Self) -> Self {
        Simd128(v128_or(self.0, b.0))
    }
    #[inline(always)]
    fn and(self, b: Self) -> Self {
        Simd128(v128_and(self.0, b.0))
    }
    #[inline(always)]
    fn not(self) -> Self {
        Simd128(v128_not(self.0))
    }
    #[inline(always)]
    fn rotation_max<const TURNS: u8>(self) -> Self {
        let x = self.0;
        let nibble = u8x16_splat(15);
        let (low, high) = (v128_and(x, nibble), u8x16_shr(x, 4));
        let look = |t: &'static Nibbles| {
            v128_or(i8x16_swizzle(table(&t[0]), low), i8x16_swizzle(table(&t[1]), high))
        };
        let inside = if TURNS == BOTH {
            look(&BOTH_TURNS)
        } else {
            let (even, odd) = if TURNS == CW_EVEN { (0, 1) } else { (1, 0) };
            v128_bitselect(look(&CLOCKWISE[even]), look(&CLOCKWISE[odd]), table(&EVEN_BYTES))
        };
        // All values with the same r3 are one 32-bit word. All values with the same r2 are one byte
        // of each word.
        let next_r2 = v128_or(u32x4_shr(x, 8), u32x4_shl(x, 24));
        let next_r3 = i32x4_shuffle::<1, 2, 3, 0>(x, x);
        let mut out = v128_or(inside, v128_or(next_r2, next_r3));
        if TURNS == BOTH {
            let previous_r2 = v128_or(u32x4_shl(x, 8), u32x4_shr(x, 24));
            let previous_r3 = i32x4_shuffle::<3, 0, 1, 2>(x, x);
            out = v128_or(out, v128_or(previous_r2, previous_r3));
        }
        Simd128(out)
    }
}
