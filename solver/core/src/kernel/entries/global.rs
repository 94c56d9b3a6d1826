//! Entries seen from another side of the board: the values at g r instead of r, for a symmetry g of
//! the whole board, which takes the rotation of quadrant q to quadrant g(q), negated if it is a
//! mirror image.
//!
//! A half super is indexed by bits: r1 is bits 0 and 1, h bit 2, r2 bits 3 and 4, r3 bits 5 and 6
//! (the last chooses the 64-bit word). Exchanging two axes exchanges bits of the index, which takes
//! a few masked shifts; the low bit of r0 isn't there, it follows from the others and the parity.
//! All symmetries are products of two mirror images of the axes and their negation.

#![allow(unsafe_code)]

use super::portable::EVEN;
use super::whole::Whole;

/// Returns the values at g r, for g = `GLOBAL` (0 to 7), of an entry at r.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn seen<V: Whole, const GLOBAL: u8>(x: V) -> V {
    // Products as in `Element`: what stands on the right is done last to the values, and first to the
    // board.
    // SAFETY: as above.
    unsafe {
        match GLOBAL {
            0 => x,
            1 => swap_1_2(swap_01_23(x)),
            2 => swap_0_3(swap_1_2(x)),
            3 => swap_01_23(swap_1_2(x)),
            4 => negated(swap_1_2(x)),
            5 => negated(swap_0_3(swap_1_2(swap_01_23(x)))),
            6 => negated(swap_0_3(x)),
            _ => negated(swap_01_23(x)),
        }
    }
}

/// Byte r2 + 4 r3 of a half super comes from that of r3 and r2.
const SWAPPED_2_3: [u8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
/// From that of -r2 and -r3.
const NEGATED_2_3: [u8; 16] = [0, 3, 2, 1, 12, 15, 14, 13, 8, 11, 10, 9, 4, 7, 6, 5];
/// The two words of a half super exchanged.
const OTHER_WORD: [u8; 16] = [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7];
/// From that of r2 and r3 with its low bit inverted.
const OTHER_LOW_3: [u8; 16] = [4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11];

/// Returns a word everywhere.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn all_words<V: Whole>(word: u64) -> V {
    // SAFETY: as above.
    unsafe { V::words([word; 2], [word; 2]) }
}

/// Returns a word in the halves of parity 0, its complement in those of parity 1.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn by_parity<V: Whole>(word: u64) -> V {
    // SAFETY: as above.
    unsafe { V::words([word; 2], [!word; 2]) }
}

/// Exchanges the bits of `mask` with those `BY` places above.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
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
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn exchange_words<V: Whole, const BY: u32>(x: V, mask: u64) -> V {
    // SAFETY: as above.
    unsafe {
        let other = x.bytes(&OTHER_WORD);
        let first = V::words([mask << BY, 0], [mask << BY, 0]);
        let second = V::words([0, mask], [0, mask]);
        first.select(other.left::<BY>(), second.select(other.right::<BY>(), x))
    }
}

/// r1 and r2 for each other.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn swap_1_2<V: Whole>(x: V) -> V {
    // SAFETY: as above.
    unsafe { exchange::<V, 14>(exchange::<V, 7>(x, 0x00aa_00aa_00aa_00aa), 0x0000_cccc_0000_cccc) }
}

/// r0 and r3 for each other.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn swap_0_3<V: Whole>(x: V) -> V {
    // SAFETY: as above.
    unsafe {
        // h with the high bit of r3; the low bit of r0 differs from that of r3 where parity, r1 and
        // r2 add up to an odd number.
        let x = exchange_words::<V, 4>(x, 0x0f0f_0f0f_0f0f_0f0f);
        by_parity::<V>(0x55aa_55aa_55aa_55aa).select(x.bytes(&OTHER_LOW_3), x)
    }
}

/// r0 and r1, r2 and r3 for each other.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn swap_01_23<V: Whole>(x: V) -> V {
    // SAFETY: as above.
    unsafe {
        let x = exchange::<V, 2>(x.bytes(&SWAPPED_2_3), 0x0c0c_0c0c_0c0c_0c0c);
        let neighbours = all_words::<V>(0x5555_5555_5555_5555).select(x.right::<1>(), x.left::<1>());
        // The low bit of r0 differs from that of r1 where parity, r2 and r3 add up to an odd number.
        by_parity::<V>(0x00ff_00ff_ff00_ff00).select(neighbours, x)
    }
}

/// Returns every rotation counted the other way.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn negated<V: Whole>(x: V) -> V {
    // SAFETY: as above.
    unsafe {
        let x = exchange::<V, 2>(x.bytes(&NEGATED_2_3), 0x2222_2222_2222_2222);
        by_parity::<V>(EVEN).select(x, x.shifted::<0, 2>())
    }
}
