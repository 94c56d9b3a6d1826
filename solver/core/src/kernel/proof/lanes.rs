//! What both passes of proofs need besides [`Lanes`], and the formula that they share.

use crate::kernel::lanes::{Lanes, Pack};
use crate::rules::{Both, Reply, Rules};
use crate::supers::Half;

/// Vectors for the passes of proofs.
///
/// # Safety
/// Implementations read exactly what their pointers are said to lead to, and may be called only where
/// the processor has the instruction set that they are written for. `part` is less than
/// [`PLACES`](crate::kernel::PLACES) `/` [`Lanes::LANES`].
#[allow(unsafe_code)]
pub(in super::super) unsafe trait ProofLanes: Lanes {
    /// Returns the same half super in all places.
    ///
    /// # Safety
    /// The CPU supports the instruction set.
    unsafe fn broadcast(x: &Half) -> Self;
    /// Returns the part of the pack of the half supers with these numbers in the table.
    ///
    /// # Safety
    /// The CPU supports the instruction set; the table at the pointer is longer than all numbers.
    unsafe fn collect(table: *const Half, sets: [u32; 4], part: usize) -> Self;
    /// Returns the part of the pack with the two half supers at `p` in the places 0 and 2, and nothing
    /// elsewhere.
    ///
    /// # Safety
    /// The CPU supports the instruction set; `p` is valid for reading two half supers.
    unsafe fn spread_even(p: *const Half, part: usize) -> Self;
    /// Returns the same with the places 0 and 1.
    ///
    /// # Safety
    /// As for [`ProofLanes::spread_even`].
    unsafe fn spread_first(p: *const Half, part: usize) -> Self;
    /// Returns the part of the pack whose place j unites the places of the pack at `p` whose number has one
    /// bit more than j.
    ///
    /// # Safety
    /// The CPU supports the instruction set; `p` is valid for reading.
    unsafe fn above(p: *const Pack, part: usize) -> Self;
}

/// How a board with the defender to move is decided, by the rules of fives after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Defence {
    /// Both fives are a draw.
    Draw,
    /// Both fives are won by the attacker, who has turned.
    Mover,
    /// The attacker's five may be answered by a placement. Both fives are taken for no win, which
    /// is right or cautious: the defender's five may be one of the counted ones that isn't there.
    Answer,
}

impl Defence {
    pub fn of(rules: Rules) -> Defence {
        match (rules.reply, rules.both) {
            (Reply::Place, _) => Defence::Answer,
            (Reply::None, Both::Draw) => Defence::Draw,
            (Reply::None, Both::Mover) => Defence::Mover,
        }
    }
}

/// g of boards with the defender to move, by the [`Defence`]. `won`, `has`: the attacker, the
/// defender has five; `five`: the defender gets it by a placement; `bad`: some turn after a placement
/// leads to a board that the attacker doesn't win.
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
