//! Entries seen from another side of the board: the values at g r instead of r, for a symmetry g of
//! the whole board, which takes the rotation of quadrant q to quadrant g(q), negated if it is a
//! mirror image.
//!
//! A half super is indexed by bits: r1 is bits 0 and 1, h bit 2, r2 bits 3 and 4, r3 bits 5 and 6
//! (the last chooses the 64-bit word). Exchanging two axes exchanges bits of the index, which takes
//! a few masked shifts; the low bit of r0 isn't there, it follows from the others and the parity.
//! All symmetries are products of two mirror images of the axes and their negation.

#![allow(unsafe_code)]

use super::Whole;
use super::portable::EVEN;
use crate::kernel::lanes::Pack;

/// The values at g r, for g = `global` (0 to 7), of entries at r.
///
/// # Safety
/// The processor has the vectors.
#[inline(always)]
pub(super) unsafe fn pull<V: Whole>(entries: &mut [Pack], global: u8) {
    // SAFETY: as above.
    unsafe {
        match global {
            0 => {}
            1 => all::<V, 1>(entries),
            2 => all::<V, 2>(entries),
            3 => all::<V, 3>(entries),
            4 => all::<V, 4>(entries),
            5 => all::<V, 5>(entries),
            6 => all::<V, 6>(entries),
            _ => all::<V, 7>(entries),
        }
    }
}

/// # Safety
/// The processor has the vectors.
#[inline(always)]
unsafe fn all<V: Whole, const GLOBAL: u8>(entries: &mut [Pack]) {
    for entry in entries {
        // Products as in `Element`: what stands on the right is done last to the values, and first
        // to the board.
        // SAFETY: the processor has the vectors; the entry is a reference.
        unsafe {
            let x = V::load(entry);
            let pulled = match GLOBAL {
                1 => swap_1_2(swap_01_23(x)),
                2 => swap_0_3(swap_1_2(x)),
                3 => swap_01_23(swap_1_2(x)),
                4 => negated(swap_1_2(x)),
                5 => negated(swap_0_3(swap_1_2(swap_01_23(x)))),
                6 => negated(swap_0_3(x)),
                _ => negated(swap_01_23(x)),
            };
            pulled.store(entry);
        }
    }
}

/// A word everywhere.
///
/// # Safety
/// The processor has the vectors.
#[inline(always)]
unsafe fn all_words<V: Whole>(word: u64) -> V {
    // SAFETY: as above.
    unsafe { V::words([word; 2], [word; 2]) }
}

/// A word in the halves of parity 0, its complement in those of parity 1.
///
/// # Safety
/// The processor has the vectors.
#[inline(always)]
unsafe fn by_parity<V: Whole>(word: u64) -> V {
    // SAFETY: as above.
    unsafe { V::words([word; 2], [!word; 2]) }
}

/// Exchanges the bits of `mask` with those `BY` places above.
///
/// # Safety
/// The processor has the vectors.
#[inline(always)]
unsafe fn exchange<V: Whole, const BY: u32>(x: V, mask: u64) -> V {
    // SAFETY: as above.
    unsafe {
        let [low, high] = [all_words::<V>(mask), all_words::<V>(mask << BY)];
        low.select(x.right::<BY>(), high.select(x.left::<BY>(), x))
    }
}

/// Exchanges the bits of `mask` of the second word of each half with those `BY` places above in the
/// first.
///
/// # Safety
/// The processor has the vectors.
#[inline(always)]
unsafe fn exchange_words<V: Whole, const BY: u32>(x: V, mask: u64) -> V {
    // SAFETY: as above.
    unsafe {
        let other = x.other_words();
        let first = V::words([mask << BY, 0], [mask << BY, 0]);
        let second = V::words([0, mask], [0, mask]);
        first.select(other.left::<BY>(), second.select(other.right::<BY>(), x))
    }
}

/// r1 and r2 for each other.
///
/// # Safety
/// The processor has the vectors.
#[inline(always)]
unsafe fn swap_1_2<V: Whole>(x: V) -> V {
    // SAFETY: as above.
    unsafe { exchange::<V, 14>(exchange::<V, 7>(x, 0x00aa_00aa_00aa_00aa), 0x0000_cccc_0000_cccc) }
}

/// r0 and r3 for each other.
///
/// # Safety
/// The processor has the vectors.
#[inline(always)]
unsafe fn swap_0_3<V: Whole>(x: V) -> V {
    // SAFETY: as above.
    unsafe {
        // h with the high bit of r3; the low bit of r0 differs from that of r3 where parity, r1 and
        // r2 add up to an odd number.
        let x = exchange_words::<V, 4>(x, 0x0f0f_0f0f_0f0f_0f0f);
        by_parity::<V>(0x55aa_55aa_55aa_55aa).select(x.left::<32>().or(x.right::<32>()), x)
    }
}

/// r0 and r1, r2 and r3 for each other.
///
/// # Safety
/// The processor has the vectors.
#[inline(always)]
unsafe fn swap_01_23<V: Whole>(x: V) -> V {
    // SAFETY: as above.
    unsafe {
        let x = exchange_words::<V, 16>(x, 0x0000_ffff_0000_ffff);
        let x = exchange::<V, 24>(x, 0x0000_0000_ff00_ff00);
        let x = exchange::<V, 2>(x, 0x0c0c_0c0c_0c0c_0c0c);
        let neighbours = all_words::<V>(0x5555_5555_5555_5555).select(x.right::<1>(), x.left::<1>());
        // The low bit of r0 differs from that of r1 where parity, r2 and r3 add up to an odd number.
        by_parity::<V>(0x00ff_00ff_ff00_ff00).select(neighbours, x)
    }
}

/// Every rotation counted the other way.
///
/// # Safety
/// The processor has the vectors.
#[inline(always)]
unsafe fn negated<V: Whole>(x: V) -> V {
    // SAFETY: as above.
    unsafe {
        let x = all_words::<V>(0xffff_ffff_0000_0000).select(x.other_words(), x);
        let x = exchange::<V, 16>(x, 0x0000_ff00_0000_ff00);
        let x = exchange::<V, 2>(x, 0x2222_2222_2222_2222);
        by_parity::<V>(EVEN).select(x, x.shifted::<0, 2>())
    }
}
