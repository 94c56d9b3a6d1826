//! The operations on vectors that the passes of proofs need in addition to [`Lanes`], and the
//! formula that both kinds of proofs share.

use crate::kernel::lanes::{Lanes, Pack};
use crate::rules::{Both, Reply, Rules};
use crate::supers::Half;

/// A vector with the operations that the passes of proofs need. The default implementations are for
/// vectors of one half super.
///
/// # Safety
/// Implementations must read exactly the half supers that each method describes. A method may be
/// called only if the CPU supports the instruction set of the implementation, and if `part` is less
/// than [`PLACES`](crate::kernel::PLACES) `/` [`Lanes::LANES`].
pub(in super::super) unsafe trait ProofLanes: Lanes {
    /// Returns a vector in which every half super is `x`.
    ///
    /// # Safety
    /// The CPU supports the instruction set.
    unsafe fn broadcast(x: &Half) -> Self;
    /// Returns one part of a pack. Half super j of the pack is the element `sets[j]` of the table.
    ///
    /// # Safety
    /// The CPU supports the instruction set. All elements of `sets` are less than the length of the
    /// table.
    #[inline(always)]
    unsafe fn collect(table: *const Half, sets: [u32; 4], part: usize) -> Self {
        const { assert!(Self::LANES == 1) };
        // SAFETY: the caller has checked that the CPU supports the instruction set, and that each
        // index is less than the length of the table.
        unsafe { Self::broadcast(&*table.add(sets[part] as usize)) }
    }
    /// Returns one part of a pack. Half supers 0 and 2 of the pack are the two half supers at `p`.
    /// Half supers 1 and 3 are zero.
    ///
    /// # Safety
    /// The CPU supports the instruction set. `p` is valid for reading two half supers.
    #[inline(always)]
    unsafe fn spread_even(p: *const Half, part: usize) -> Self {
        const { assert!(Self::LANES == 1) };
        // SAFETY: the caller has checked that the CPU supports the instruction set, and that two
        // half supers are at `p`.
        unsafe { if part.is_multiple_of(2) { Self::broadcast(&*p.add(part / 2)) } else { Self::splat(0) } }
    }
    /// Returns one part of a pack. Half supers 0 and 1 of the pack are the two half supers at `p`.
    /// Half supers 2 and 3 are zero.
    ///
    /// # Safety
    /// The requirements of [`ProofLanes::spread_even`] are met.
    #[inline(always)]
    unsafe fn spread_first(p: *const Half, part: usize) -> Self {
        const { assert!(Self::LANES == 1) };
        // SAFETY: the caller has checked that the CPU supports the instruction set, and that two
        // half supers are at `p`.
        unsafe { if part < 2 { Self::broadcast(&*p.add(part)) } else { Self::splat(0) } }
    }
    /// Returns one part of a pack. Half super j of this pack is the union of the half supers at `p`
    /// whose index is j with one more bit set.
    ///
    /// # Safety
    /// The CPU supports the instruction set. `p` is valid for reading.
    #[inline(always)]
    unsafe fn above(p: *const Pack, part: usize) -> Self {
        const { assert!(Self::LANES == 1) };
        // SAFETY: the caller has checked that the CPU supports the instruction set, and that `p` is
        // valid for reading a pack.
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
// SAFETY: the trait requires that methods read only the half supers that they describe. `broadcast`
// reads only its argument.
unsafe impl ProofLanes for crate::kernel::portable::Portable {
    #[inline(always)]
    unsafe fn broadcast(x: &Half) -> Self {
        Self(x.0)
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
// SAFETY: the trait requires that methods read only the half supers that they describe. `broadcast`
// reads only its argument.
unsafe impl ProofLanes for crate::kernel::simd128::Simd128 {
    #[inline(always)]
    unsafe fn broadcast(x: &Half) -> Self {
        // SAFETY: a reference to a half super is valid for reading 16 bytes.
        Self(unsafe { core::arch::wasm32::v128_load((&raw const *x).cast()) })
    }
}

/// The formula for the value of a board with the defender to move. The formula depends on the rules
/// for fives after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Defence {
    /// If both players have five, the game is a draw.
    Draw,
    /// If both players have five, the attacker wins, because the attacker has turned.
    Mover,
    /// A placement may answer the attacker's five. If both players have five, the formula doesn't
    /// count a win. The result is exact or too cautious, because a counted five of the defender may
    /// not exist.
    Answer,
}

impl Defence {
    /// Returns the formula for these rules.
    pub fn of(rules: Rules) -> Defence {
        match (rules.reply, rules.both) {
            (Reply::Place, _) => Defence::Answer,
            (Reply::None, Both::Draw) => Defence::Draw,
            (Reply::None, Both::Mover) => Defence::Mover,
        }
    }
}

/// Returns g of boards with the defender to move. `won` means that the attacker has five, and `has`
/// that the defender has five. `five` means that a placement of the defender makes five. `bad`
/// means that a turn after a placement leads to a board that the attacker doesn't win. `DEFENCE` is
/// a [`Defence`].
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
