//! The proved value of a position or of a move.

use crate::answer::{Origin, Value};

/// A proved value and its proof.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProvedValue {
    pub value: Value,
    /// The number of sockets of the proof, or 0 if the value follows from the rules alone.
    pub sockets: u8,
    /// The depth in plies of the search that found the proof.
    pub depth: u8,
    /// An upper bound on the number of plies to the end of the game.
    pub within: usize,
}

impl ProvedValue {
    /// Converts the value of the position after a move, for the side to move there, to the value of
    /// the move for the player who makes it.
    pub fn before(self) -> ProvedValue {
        ProvedValue { value: self.value.negate(), within: self.within + 1, ..self }
    }

    /// Converts the value of a move, for the player who makes it, to the value of the position
    /// after the move for the side to move there.
    pub fn after(self) -> ProvedValue {
        ProvedValue { value: self.value.negate(), within: self.within.saturating_sub(1), ..self }
    }

    /// Returns the proof as the origin of a value in an answer.
    pub fn origin(&self) -> Origin {
        Origin::Proof { sockets: self.sockets, depth: self.depth, within: self.within }
    }
}
