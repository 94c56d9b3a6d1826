//! The operations of proofs for the portable vector: one half super at a time.

use super::lanes::ProofLanes;
use crate::kernel::lanes::Pack;
use crate::kernel::portable::Portable;
use crate::supers::Half;

// SAFETY: the methods read exactly the memory that the trait allows, and use only instructions of
// this instruction set.
unsafe impl ProofLanes for Portable {
    #[inline(always)]
    unsafe fn broadcast(x: &Half) -> Self {
        Portable(x.0)
    }
    #[inline(always)]
    unsafe fn collect(table: *const Half, sets: [u32; 4], part: usize) -> Self {
        // SAFETY: the caller guarantees the CPU support and valid pointers.
        Portable(unsafe { *table.add(sets[part] as usize) }.0)
    }
    #[inline(always)]
    unsafe fn spread_even(p: *const Half, part: usize) -> Self {
        // SAFETY: the caller guarantees the CPU support and valid pointers.
        if part.is_multiple_of(2) { Portable(unsafe { *p.add(part / 2) }.0) } else { Portable([0; 2]) }
    }
    #[inline(always)]
    unsafe fn spread_first(p: *const Half, part: usize) -> Self {
        // SAFETY: the caller guarantees the CPU support and valid pointers.
        if part < 2 { Portable(unsafe { *p.add(part) }.0) } else { Portable([0; 2]) }
    }
    #[inline(always)]
    unsafe fn above(p: *const Pack, part: usize) -> Self {
        // SAFETY: the caller guarantees the CPU support and valid pointers.
        let [_, a, b, c] = unsafe { (*p).0 };
        Portable(match part {
            0 => (a | b).0,
            1 | 2 => c.0,
            _ => [0; 2],
        })
    }
}
