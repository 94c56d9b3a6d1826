//! A proved value of a position or a move.

use crate::answer::{Origin, Value};

/// A proved value and its proof.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProvedValue {
    pub value: Value,
    /// The number of sockets of the proof; 0 if the value follows from the rules alone.
    pub sockets: u8,
    /// The depth of the search in plies.
    pub depth: u8,
    /// The maximum number of plies to the end of the game.
    pub within: usize,
}

impl ProvedValue {
    /// Converts the value of the position after a move to the value of the move, for the moving
    /// player.
    pub fn before(self) -> ProvedValue {
        ProvedValue { value: self.value.negate(), within: self.within + 1, ..self }
    }

    /// Converts the value of a move to the value of the position after the move, for its side to
    /// move.
    pub fn after(self) -> ProvedValue {
        ProvedValue { value: self.value.negate(), within: self.within.saturating_sub(1), ..self }
    }

    /// Returns the origin of the value for an answer.
    pub fn origin(&self) -> Origin {
        Origin::Proof { sockets: self.sockets, depth: self.depth, within: self.within }
    }
}
