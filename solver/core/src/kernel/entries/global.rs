//! Images of entries under a symmetry g of the whole board. At rotation r, the image has the value
//! of the entry at g r. The symmetry moves the rotation of quadrant q to quadrant g(q). If g is a
//! reflection, the symmetry also negates the rotation.
//!
//! The index of a bit in a half super consists of r1 (bits 0 and 1), h (bit 2), r2 (bits 3 and 4)
//! and r3 (bits 5 and 6; bit 6 selects the 64-bit word). To exchange two axes, exchange bits of the
//! index, which takes a few masked shifts. The index lacks the low bit of r0, which follows from
//! the other parts and the parity. Each symmetry is a product of exchanges of axes and of the
//! negation of all axes.

use super::portable::EVEN;
use super::whole::Whole;

/// Returns the image of an entry under the symmetry g = `GLOBAL` (0 to 7). At rotation r, the image
/// has the value of the entry at g r.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn seen<V: Whole, const GLOBAL: u8>(x: V) -> V {
    // Each symmetry is the same product of generators as in `Element`. The rightmost factor acts on
    // the board first, and on the values last.
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`.
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

/// The permutation of the bytes of a half super that exchanges r2 and r3. The byte of r2 and r3 has
/// index r2 + 4 r3.
const SWAPPED_2_3: [u8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
/// The permutation of the bytes of a half super that negates r2 and r3.
const NEGATED_2_3: [u8; 16] = [0, 3, 2, 1, 12, 15, 14, 13, 8, 11, 10, 9, 4, 7, 6, 5];
/// The permutation of the bytes of a half super that exchanges its two 64-bit words.
const OTHER_WORD: [u8; 16] = [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7];
/// The permutation of the bytes of a half super that inverts the low bit of r3.
const OTHER_LOW_3: [u8; 16] = [4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11];

/// Returns an entry in which every 64-bit word is `word`.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn all_words<V: Whole>(word: u64) -> V {
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`.
    unsafe { V::words([word; 2], [word; 2]) }
}

/// Returns an entry in which every 64-bit word of parity 0 is `word`, and every 64-bit word of
/// parity 1 is its complement.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn by_parity<V: Whole>(word: u64) -> V {
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`.
    unsafe { V::words([word; 2], [!word; 2]) }
}

/// In each 64-bit word, exchanges the bits under `mask` with the bits that are `BY` positions
/// higher.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn exchange<V: Whole, const BY: u32>(x: V, mask: u64) -> V {
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`.
    unsafe {
        let [low, high] = [all_words::<V>(mask), all_words::<V>(mask << BY)];
        low.select(x.right::<BY>(), high.select(x.left::<BY>(), x))
    }
}

/// In each half super, exchanges the bits under `mask` in the second word with bits of the first
/// word that are `BY` positions higher.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn exchange_words<V: Whole, const BY: u32>(x: V, mask: u64) -> V {
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`.
    unsafe {
        let other = x.bytes(&OTHER_WORD);
        let first = V::words([mask << BY, 0], [mask << BY, 0]);
        let second = V::words([0, mask], [0, mask]);
        first.select(other.left::<BY>(), second.select(other.right::<BY>(), x))
    }
}

/// Exchanges the coordinates r1 and r2 of all rotations.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn swap_1_2<V: Whole>(x: V) -> V {
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`.
    unsafe { exchange::<V, 14>(exchange::<V, 7>(x, 0x00aa_00aa_00aa_00aa), 0x0000_cccc_0000_cccc) }
}

/// Exchanges the coordinates r0 and r3 of all rotations.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn swap_0_3<V: Whole>(x: V) -> V {
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`.
    unsafe {
        // The first step exchanges h and the high bit of r3. The second step exchanges the low bits
        // of r0 and r3 where they differ: where the sum of the parity, r1 and r2 is odd.
        let x = exchange_words::<V, 4>(x, 0x0f0f_0f0f_0f0f_0f0f);
        by_parity::<V>(0x55aa_55aa_55aa_55aa).select(x.bytes(&OTHER_LOW_3), x)
    }
}

/// Exchanges the coordinates r0 and r1, and the coordinates r2 and r3, of all rotations.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn swap_01_23<V: Whole>(x: V) -> V {
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`.
    unsafe {
        let x = exchange::<V, 2>(x.bytes(&SWAPPED_2_3), 0x0c0c_0c0c_0c0c_0c0c);
        let neighbours = all_words::<V>(0x5555_5555_5555_5555).select(x.right::<1>(), x.left::<1>());
        // Exchange the low bits of r0 and r1 where they differ: where the sum of the parity, r2 and
        // r3 is odd.
        by_parity::<V>(0x00ff_00ff_ff00_ff00).select(neighbours, x)
    }
}

/// Negates all four coordinates of all rotations, modulo 4.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn negated<V: Whole>(x: V) -> V {
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`.
    unsafe {
        let x = exchange::<V, 2>(x.bytes(&NEGATED_2_3), 0x2222_2222_2222_2222);
        by_parity::<V>(EVEN).select(x, x.shifted::<0, 2>())
    }
}
