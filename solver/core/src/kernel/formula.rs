//! How five in a row and the values of the children make the value of a board: the variants that
//! the kernels are compiled for.

use crate::rules::{Both, Dir, Reply, Rules};

/// Turns in both directions are legal.
pub(crate) const BOTH: u8 = 0;
/// Only clockwise turns are legal. The results are at rotations of even parity.
pub(crate) const CW_EVEN: u8 = 1;
/// Only clockwise turns are legal. The results are at rotations of odd parity.
pub(crate) const CW_ODD: u8 = 2;

/// The legal turns. With clockwise turns only, a kernel must know the parity of the rotations at
/// which the results are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// Each quadrant turns in either direction.
    Both,
    /// Quadrants turn clockwise only, and the results are at rotations of this parity, 0 or 1.
    Clockwise(u8),
}

impl Turns {
    /// Returns the legal turns for results at rotations of parity `parity`.
    pub(crate) fn of(rules: Rules, parity: u8) -> Turns {
        match rules.dir {
            Dir::Both => Turns::Both,
            Dir::Cw => Turns::Clockwise(parity),
        }
    }

    /// Returns [`BOTH`], [`CW_EVEN`] or [`CW_ODD`].
    pub(crate) fn index(self) -> usize {
        usize::from(match self {
            Turns::Both => BOTH,
            Turns::Clockwise(0) => CW_EVEN,
            Turns::Clockwise(_) => CW_ODD,
        })
    }
}

/// The formula that makes the value of a board from five in a row and the values of the children.
///
/// `P`: some placement of the mover makes five. `M`: the mover has five already. `N`: the other
/// player has five already. `R`: some turn leads to a child that is good for the mover. Each
/// formula says where the board is good for the mover. Kernels store the negation, so that a parent
/// can unite the stored values of its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// `not N and (P or R)`.
    Unless,
    /// `M where N, otherwise P or R`: the other player's five alone loses, five of both players
    /// doesn't.
    Mixed,
    /// `P or (not N and R)`: a placement that makes five answers the other player's five.
    Answer,
    /// `P and not (M and N), or (not N and R)`: like `Answer`, but five of both players loses.
    AnswerAlone,
}

pub(crate) const UNLESS: u8 = Combine::Unless as u8;
pub(crate) const MIXED: u8 = Combine::Mixed as u8;
pub(crate) const ANSWER: u8 = Combine::Answer as u8;
pub(crate) const ANSWER_ALONE: u8 = Combine::AnswerAlone as u8;

impl Combine {
    /// Returns the formula for one chain of slices: the chain of the player to move (`own`), or of
    /// the other player.
    pub fn of(rules: Rules, own: bool) -> Combine {
        match (own, rules.both, rules.reply) {
            (true, _, _) | (false, Both::Mover, Reply::None) => Combine::Unless,
            (false, Both::Draw, Reply::None) => Combine::Mixed,
            (false, Both::Draw, Reply::Place) => Combine::Answer,
            (false, Both::Mover, Reply::Place) => Combine::AnswerAlone,
        }
    }

    /// Returns the formula for "doesn't lose" on a full board, where `P` means that the mover has
    /// five already.
    #[cfg(feature = "parallel")]
    pub fn of_full(rules: Rules) -> Combine {
        Combine::of(Rules { reply: Reply::None, ..rules }, false)
    }
}

/// The formula of a board without children: a leaf of a truncated solution, or a full board. `M`,
/// `N` and `P` are as in [`Combine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// Good for the mover: `M and not N`.
    Won,
    /// Good for the mover: `not (N and not M)`.
    NotLost,
    /// Good for the mover: `not N`.
    NotBehind,
    /// Good for the mover: `not (N and not P)`.
    NotUnanswered,
    /// Good for the mover: `not (N and (M or not P))`.
    NotUnansweredNorBoth,
}
