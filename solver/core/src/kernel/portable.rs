//! The portable kernel. It processes one half super at a time, in two 64-bit words, without
//! intrinsics. It runs on every CPU, and is the reference for the other kernels.

use super::formula::{BOTH, CW_EVEN};
use super::lanes::{Lanes, Pack};
use crate::supers::Half;

/// The bits of a word at which `r1` is even. Bit `4h + r1` of each byte belongs to h and r1.
const EVEN_R1: u64 = 0x5555_5555_5555_5555;
/// The bytes of a word at which `r2 + r3` is even. The mask is valid for both words, because a word
/// has either the values `r3 = 0, 1` or `r3 = 2, 3`.
const EVEN_R23: u64 = 0xff00_ff00_00ff_00ff;

/// The vector of the portable kernel: one half super.
#[derive(Clone, Copy)]
pub(super) struct Portable(pub(super) [u64; 2]);

impl Portable {
    #[inline(always)]
    fn map(self, f: impl Fn(u64) -> u64) -> Self {
        Portable([f(self.0[0]), f(self.0[1])])
    }
}

/// In each byte, moves the value at `r1 + 1` to `r1` (modulo 4).
#[inline(always)]
pub(super) fn next_r1(x: u64) -> u64 {
    (x >> 1) & 0x7777_7777_7777_7777 | (x << 3) & 0x8888_8888_8888_8888
}

/// In each byte, moves the value at `r1 - 1` to `r1` (modulo 4).
#[inline(always)]
pub(super) fn previous_r1(x: u64) -> u64 {
    (x << 1) & 0xeeee_eeee_eeee_eeee | (x >> 3) & 0x1111_1111_1111_1111
}

/// In each byte, exchanges the values at `h = 0` with the values at `h = 1`.
#[inline(always)]
pub(super) fn other_h(x: u64) -> u64 {
    (x >> 4) & 0x0f0f_0f0f_0f0f_0f0f | (x << 4) & 0xf0f0_f0f0_f0f0_f0f0
}

/// In each 32-bit word, moves the byte at `r2 + 1` to `r2` (modulo 4).
#[inline(always)]
fn next_r2(x: u64) -> u64 {
    (x >> 8) & 0x00ff_ffff_00ff_ffff | (x << 24) & 0xff00_0000_ff00_0000
}

/// In each 32-bit word, moves the byte at `r2 - 1` to `r2` (modulo 4).
#[inline(always)]
fn previous_r2(x: u64) -> u64 {
    (x << 8) & 0xffff_ff00_ffff_ff00 | (x >> 24) & 0x0000_00ff_0000_00ff
}

// SAFETY: the trait requires that the methods access only the given part of a line. The methods do
// so, and run on every CPU.
unsafe impl Lanes for Portable {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        Portable([word; 2])
    }
    #[inline(always)]
    unsafe fn load(p: *const Pack, part: usize) -> Self {
        // SAFETY: the caller guarantees that `p` is valid for reading and has a part with index
        // `part`.
        Portable(unsafe { *p.cast::<Half>().add(part) }.0)
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut Pack, part: usize) {
        // SAFETY: the caller guarantees that `p` is valid for writing and has a part with index
        // `part`.
        unsafe { *p.cast::<Half>().add(part) = Half(self.0) }
    }
    #[inline(always)]
    fn or(self, b: Self) -> Self {
        Portable([self.0[0] | b.0[0], self.0[1] | b.0[1]])
    }
    #[inline(always)]
    fn and(self, b: Self) -> Self {
        Portable([self.0[0] & b.0[0], self.0[1] & b.0[1]])
    }
    #[inline(always)]
    fn not(self) -> Self {
        self.map(|x| !x)
    }
    #[inline(always)]
    fn rotation_max<const TURNS: u8>(self) -> Self {
        let [a, b] = self.0;
        // All values with the same r3 are one 32-bit word, so a turn of quadrant 3 rotates these
        // words.
        let next_r3 = [a >> 32 | b << 32, b >> 32 | a << 32];
        let previous_r3 = [a << 32 | b >> 32, b << 32 | a >> 32];
        let mut out = [0; 2];
        for w in 0..2 {
            let x = self.0[w];
            out[w] = next_r1(x) | next_r2(x) | next_r3[w];
            if TURNS == BOTH {
                out[w] |= x | other_h(x) | previous_r1(x) | previous_r2(x) | previous_r3[w];
            } else {
                // A clockwise turn of quadrant 0 preserves h where r0 is even, and changes h where
                // r0 is odd.
                let stays = if TURNS == CW_EVEN { EVEN_R23 } else { !EVEN_R23 };
                let stays = !(stays ^ EVEN_R1);
                out[w] |= x & stays | other_h(x) & !stays;
            }
        }
        Portable(out)
    }
}

/// Returns the rotations at which the player has five in a row.
/// [`Passes::fives`](super::Passes::fives) explains the argument and the result.
pub(super) fn fives(lines: &[[u32; 4]; 4]) -> [Half; 2] {
    let [a, b, c, d] = lines;
    // Word 4h + r1 of each list has the lines that quadrants 0 and 1 complete together. Quadrant 1
    // is at rotation r1. Quadrant 0 is at the rotation with this h whose low bit is the low bit of
    // r1 (first list) or of r1 + 1 (second list).
    let mut pairs = [[0u32; 8]; 2];
    for (low, pairs) in pairs.iter_mut().enumerate() {
        for (i, word) in pairs.iter_mut().enumerate() {
            let (h, r1) = (i / 4, i % 4);
            *word = a[2 * h + ((low + r1) & 1)] & b[r1];
        }
    }
    let mut out = [[0u8; 16]; 2];
    for r3 in 0..4 {
        for r2 in 0..4 {
            let rest = c[r2] & d[r3];
            for (p, out) in out.iter_mut().enumerate() {
                let words = &pairs[(p + r2 + r3) & 1];
                out[4 * r3 + r2] = (0..8).fold(0, |byte, i| byte | u8::from(words[i] & rest != 0) << i);
            }
        }
    }
    out.map(Half::from_bytes)
}
