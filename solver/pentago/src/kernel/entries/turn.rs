//! Entries seen from another side of the board: the values at g r instead of r, for a symmetry g of
//! the whole board, which takes the rotation of quadrant q to quadrant g(q), negated if it is a
//! mirror image.
//!
//! A half super is indexed by bits: r1 is bits 0 and 1, h bit 2, r2 bits 3 and 4, r3 bits 5 and 6
//! (the last chooses the 64-bit word). Exchanging two axes exchanges bits of the index, which takes
//! a few masked shifts; the low bit of r0 isn't there, it follows from the others and the parity.
//! All symmetries are products of two mirror images of the axes and their negation.

use super::portable::EVEN;
use crate::kernel::lanes::Pack;
use crate::kernel::portable::other_h;
use crate::supers::Half;

/// The values at g r, for g = `global` (0 to 7), of entries at r.
#[inline(always)]
pub(super) fn pull(entries: &mut [Pack], global: u8) {
    // Products as in `Element`: what stands on the right is done last to the values, and first to
    // the board.
    match global {
        0 => {}
        1 => map(entries, |x, p| swap_1_2(swap_01_23(x, p))),
        2 => map(entries, |x, p| swap_0_3(swap_1_2(x), p)),
        3 => map(entries, |x, p| swap_01_23(swap_1_2(x), p)),
        4 => map(entries, |x, p| negated(swap_1_2(x), p)),
        5 => map(entries, |x, p| negated(swap_0_3(swap_1_2(swap_01_23(x, p)), p), p)),
        6 => map(entries, |x, p| negated(swap_0_3(x, p), p)),
        _ => map(entries, |x, p| negated(swap_01_23(x, p), p)),
    }
}

type Words = [u64; 2];

#[inline(always)]
fn map(entries: &mut [Pack], f: impl Fn(Words, u64) -> Words) {
    for entry in entries {
        for (i, half) in entry.0.iter_mut().enumerate() {
            // All ones for the halves of odd parity.
            *half = Half(f(half.0, if i % 2 == 0 { 0 } else { !0 }));
        }
    }
}

/// Exchanges the bits of `mask` with those `by` places above.
#[inline(always)]
fn exchange(x: u64, by: u32, mask: u64) -> u64 {
    let t = (x ^ x >> by) & mask;
    x ^ t ^ t << by
}

/// Exchanges the bits of `mask` of the second word with those `by` places above in the first.
#[inline(always)]
fn exchange_words([a, b]: Words, by: u32, mask: u64) -> Words {
    let t = (a >> by ^ b) & mask;
    [a ^ t << by, b ^ t]
}

/// r1 and r2 for each other.
#[inline(always)]
fn swap_1_2(x: Words) -> Words {
    x.map(|x| exchange(exchange(x, 7, 0x00aa_00aa_00aa_00aa), 14, 0x0000_cccc_0000_cccc))
}

/// r0 and r3 for each other.
#[inline(always)]
fn swap_0_3(x: Words, odd: u64) -> Words {
    // h with the high bit of r3; the low bit of r0 differs from that of r3 where parity, r1 and r2
    // add up to an odd number.
    let differ = 0x55aa_55aa_55aa_55aa ^ odd;
    exchange_words(x, 4, 0x0f0f_0f0f_0f0f_0f0f).map(|x| x & !differ | x.rotate_left(32) & differ)
}

/// r0 and r1, r2 and r3 for each other.
#[inline(always)]
fn swap_01_23(x: Words, odd: u64) -> Words {
    // The low bit of r0 differs from that of r1 where parity, r2 and r3 add up to an odd number.
    let differ = 0x00ff_00ff_ff00_ff00 ^ odd;
    exchange_words(x, 16, 0x0000_ffff_0000_ffff).map(|x| {
        let x = exchange(exchange(x, 24, 0x0000_0000_ff00_ff00), 2, 0x0c0c_0c0c_0c0c_0c0c);
        let neighbours = x >> 1 & 0x5555_5555_5555_5555 | x << 1 & 0xaaaa_aaaa_aaaa_aaaa;
        x & !differ | neighbours & differ
    })
}

/// Every rotation counted the other way.
#[inline(always)]
fn negated(x: Words, odd: u64) -> Words {
    let [a, b] = x;
    let t = (a ^ b) & 0xffff_ffff_0000_0000;
    let same_h = EVEN ^ odd;
    [a ^ t, b ^ t].map(|x| {
        let x = exchange(exchange(x, 16, 0x0000_ff00_0000_ff00), 2, 0x2222_2222_2222_2222);
        x & same_h | other_h(x) & !same_h
    })
}
