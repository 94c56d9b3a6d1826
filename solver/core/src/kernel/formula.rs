//! The formulas that compute the value of a board from five in a row and from the values of its
//! children. The kernels are compiled for each of these variants.

use crate::rules::{Both, Dir, Reply, Rules};

/// The variant of a kernel for rules with turns in both directions.
pub(crate) const BOTH: u8 = 0;
/// The variant of a kernel for rules with clockwise turns only, if the results are at rotations of
/// even parity.
pub(crate) const CW_EVEN: u8 = 1;
/// The variant of a kernel for rules with clockwise turns only, if the results are at rotations of
/// odd parity.
pub(crate) const CW_ODD: u8 = 2;

/// The legal turns. If only clockwise turns are legal, a kernel also needs the parity of the
/// rotations for which it computes results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// Each quadrant turns in either direction.
    Both,
    /// Quadrants turn only clockwise. The field is the parity, 0 or 1, of the rotations of the
    /// results.
    Clockwise(u8),
}

impl Turns {
    /// Returns the legal turns under `rules`, for results at rotations of parity `parity`.
    pub(crate) fn of(rules: Rules, parity: u8) -> Turns {
        match rules.dir {
            Dir::Both => Turns::Both,
            Dir::Cw => Turns::Clockwise(parity),
        }
    }

    /// Returns the variant of the kernel for these turns: [`BOTH`], [`CW_EVEN`] or [`CW_ODD`].
    pub(crate) fn index(self) -> usize {
        usize::from(match self {
            Turns::Both => BOTH,
            Turns::Clockwise(0) => CW_EVEN,
            Turns::Clockwise(_) => CW_ODD,
        })
    }
}

/// The formula that computes the value of a board from five in a row and the values of its
/// children.
///
/// `P` means that some placement of the mover makes five. `M` means that the mover already has
/// five. `N` means that the other player already has five. `R` means that some turn leads to a
/// child that is good for the mover. Each formula decides where the board is good for the mover.
/// Kernels store the negation, so that a parent can unite the stored values of its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// `not N and (P or R)`: if the other player already has five, the board isn't good for the
    /// mover.
    Unless,
    /// `M where N, otherwise P or R`: the mover loses if only the other player has five, but not if
    /// both players have five.
    Mixed,
    /// `P or (not N and R)`: a placement that makes five answers the other player's five.
    Answer,
    /// `P and not (M and N), or (not N and R)`: like `Answer`, but the mover loses if both players
    /// already have five.
    AnswerAlone,
}

pub(crate) const UNLESS: u8 = Combine::Unless as u8;
pub(crate) const MIXED: u8 = Combine::Mixed as u8;
pub(crate) const ANSWER: u8 = Combine::Answer as u8;
pub(crate) const ANSWER_ALONE: u8 = Combine::AnswerAlone as u8;

impl Combine {
    /// Returns the formula for one chain of slices. If `own` is `true`, the chain decides whether
    /// the player to move wins. Otherwise the chain decides whether the other player wins.
    pub fn of(rules: Rules, own: bool) -> Combine {
        match (own, rules.both, rules.reply) {
            (true, _, _) | (false, Both::Mover, Reply::None) => Combine::Unless,
            (false, Both::Draw, Reply::None) => Combine::Mixed,
            (false, Both::Draw, Reply::Place) => Combine::Answer,
            (false, Both::Mover, Reply::Place) => Combine::AnswerAlone,
        }
    }

    /// Returns the formula for "doesn't lose" on a full board. On a full board, `P` means that the
    /// mover already has five.
    pub fn of_full(rules: Rules) -> Combine {
        Combine::of(Rules { reply: Reply::None, ..rules }, false)
    }
}

/// The formula for a board without children: a leaf of a truncated solution, or a full board.
/// [`Combine`] explains `M`, `N` and `P`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// The board is good for the mover if `M and not N`.
    Won,
    /// The board is good for the mover if `not (N and not M)`.
    NotLost,
    /// The board is good for the mover if `not N`.
    NotBehind,
    /// The board is good for the mover if `not (N and not P)`.
    NotUnanswered,
    /// The board is good for the mover if `not (N and (M or not P))`.
    NotUnansweredNorBoth,
}
