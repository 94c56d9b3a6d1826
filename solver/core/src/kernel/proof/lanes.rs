//! The operations on vectors that the passes of proofs need besides [`Lanes`], and the formula that
//! both kinds of proofs share.

use crate::kernel::lanes::{Lanes, Pack};
use crate::rules::{Both, Reply, Rules};
use crate::supers::Half;

/// A vector with the operations for the passes of proofs. The defaults are for vectors of one half
/// super.
///
/// # Safety
/// Implementations must read exactly the half supers that each method describes. A method may be
/// called only if the CPU supports the instruction set of the implementation, and `part` is less
/// than [`PLACES`](crate::kernel::PLACES) `/` [`Lanes::LANES`].
pub(in super::super) unsafe trait ProofLanes: Lanes {
    /// Returns a half super in all places.
    ///
    /// # Safety
    /// The CPU supports the instruction set.
    unsafe fn broadcast(x: &Half) -> Self;
    /// Returns a part of the pack that has the half supers with the indices `sets` of a table.
    ///
    /// # Safety
    /// The CPU supports the instruction set; all indices are less than the length of the table.
    #[inline(always)]
    unsafe fn collect(table: *const Half, sets: [u32; 4], part: usize) -> Self {
        const { assert!(Self::LANES == 1) };
        // SAFETY: the caller has checked the CPU and the indices.
        unsafe { Self::broadcast(&*table.add(sets[part] as usize)) }
    }
    /// Returns a part of the pack that has the two half supers at `p` in places 0 and 2, and zeros
    /// in places 1 and 3.
    ///
    /// # Safety
    /// The CPU supports the instruction set; `p` is valid for reading two half supers.
    #[inline(always)]
    unsafe fn spread_even(p: *const Half, part: usize) -> Self {
        const { assert!(Self::LANES == 1) };
        // SAFETY: the caller has checked the CPU, and that there are two half supers.
        unsafe { if part.is_multiple_of(2) { Self::broadcast(&*p.add(part / 2)) } else { Self::splat(0) } }
    }
    /// Returns a part of the pack that has the two half supers at `p` in places 0 and 1, and zeros
    /// in places 2 and 3.
    ///
    /// # Safety
    /// The requirements of [`ProofLanes::spread_even`].
    #[inline(always)]
    unsafe fn spread_first(p: *const Half, part: usize) -> Self {
        const { assert!(Self::LANES == 1) };
        // SAFETY: the caller has checked the CPU, and that there are two half supers.
        unsafe { if part < 2 { Self::broadcast(&*p.add(part)) } else { Self::splat(0) } }
    }
    /// Returns a part of the pack whose place j is a union of places of the pack at `p`: all places
    /// whose index is j with one more bit set.
    ///
    /// # Safety
    /// The CPU supports the instruction set; `p` is valid for reading.
    #[inline(always)]
    unsafe fn above(p: *const Pack, part: usize) -> Self {
        const { assert!(Self::LANES == 1) };
        // SAFETY: the caller has checked the CPU, and that the pack is valid for reading.
        unsafe {
            match part {
                0 => Self::load(p, 1).or(Self::load(p, 2)),
                1 | 2 => Self::load(p, 3),
                _ => Self::splat(0),
            }
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
// SAFETY: `broadcast` reads only its argument.
unsafe impl ProofLanes for crate::kernel::portable::Portable {
    #[inline(always)]
    unsafe fn broadcast(x: &Half) -> Self {
        Self(x.0)
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
// SAFETY: `broadcast` reads only its argument.
unsafe impl ProofLanes for crate::kernel::simd128::Simd128 {
    #[inline(always)]
    unsafe fn broadcast(x: &Half) -> Self {
        // SAFETY: a reference to a half super is valid for reading 16 bytes.
        Self(unsafe { core::arch::wasm32::v128_load((&raw const *x).cast()) })
    }
}

/// The formula for a board with the defender to move. It depends on the rules for fives after a
/// turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Defence {
    /// Five of both players is a draw.
    Draw,
    /// Five of both players is a win of the attacker, who has turned.
    Mover,
    /// A placement may answer the attacker's five. Five of both players doesn't count as a win.
    /// This is exact or cautious, because a counted five of the defender may not exist.
    Answer,
}

impl Defence {
    /// Returns the formula of the rules.
    pub fn of(rules: Rules) -> Defence {
        match (rules.reply, rules.both) {
            (Reply::Place, _) => Defence::Answer,
            (Reply::None, Both::Draw) => Defence::Draw,
            (Reply::None, Both::Mover) => Defence::Mover,
        }
    }
}

/// Returns g of boards with the defender to move. `won`: the attacker has five. `has`: the defender
/// has five. `five`: the defender gets five by a placement. `bad`: some turn after a placement
/// leads to a board that the attacker doesn't win. `DEFENCE` is a [`Defence`].
#[inline(always)]
pub(super) fn defended<V: ProofLanes, const DEFENCE: u8>(won: V, has: V, five: V, bad: V) -> V {
    if DEFENCE == Defence::Draw as u8 {
        has.or(five.or(bad).and(won.not())).not()
    } else if DEFENCE == Defence::Mover as u8 {
        won.or(has.or(five).or(bad).not())
    } else {
        has.or(five).or(bad.and(won.not())).not()
    }
}
