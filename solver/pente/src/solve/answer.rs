//! The answer of the solver about a position.

use std::fmt;

use pentago_base::{Value, counted, counted_plies};

use crate::rules::{Color, Point, Position};

/// The engine that found a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The rules alone: the game is over.
    Rules,
    /// The values of the moves: one move wins immediately, or the values of all moves are known.
    Moves,
    /// A table of the whole board, solved by retrograde analysis.
    Table,
    /// Proof-number search to the end of the game.
    ProofSearch,
    /// A forced win by threats and a few quiet moves, checked by the plain rules.
    Threats,
    /// A proof that both players can block all lines of the other player.
    Blocking,
    /// A full-width search to a limited number of plies.
    FullWidth,
    /// No engine: the value is unknown.
    None,
}

impl Engine {
    /// Returns the name of the engine for reports.
    pub const fn word(self) -> &'static str {
        match self {
            Engine::Rules => "rules",
            Engine::Moves => "look-ahead",
            Engine::Table => "table",
            Engine::ProofSearch => "proof-number search",
            Engine::Threats => "threat search",
            Engine::Blocking => "blocking",
            Engine::FullWidth => "full-width search",
            Engine::None => "none",
        }
    }
}

/// A proved fact about a position of unknown value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProvedFact {
    /// A player has no forced win within a number of plies, counted from this position. The search
    /// tried all moves and all replies.
    NoWinWithin {
        /// The player who has no win.
        player: Color,
        /// The number of plies that the search looked ahead.
        plies: u32,
    },
    /// The side to move has no win by threats alone within a number of plies. Other wins may exist.
    NoThreatsWithin {
        /// The number of plies that the search looked ahead.
        plies: u32,
    },
    /// The search found no win of the side to move by threats and quiet moves. Other wins may
    /// exist.
    NoQuietWinFound {
        /// The largest number of quiet moves in a line of play.
        quiet: u8,
        /// The number of plies that the search looked ahead.
        plies: u32,
    },
    /// A player has no forced win of any length.
    NotWon {
        /// The player who has no win.
        player: Color,
    },
}

impl fmt::Display for ProvedFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ProvedFact::NoWinWithin { player, plies } => {
                write!(f, "{player} has no forced win within {}", counted_plies(plies as usize))
            }
            ProvedFact::NoThreatsWithin { plies } => {
                write!(f, "no win by threats within {}", counted_plies(plies as usize))
            }
            ProvedFact::NoQuietWinFound { quiet, plies } => {
                let quiet = counted(quiet, "quiet move");
                write!(f, "no win found by threats and {quiet} within {}", counted_plies(plies as usize))
            }
            ProvedFact::NotWon { player } => write!(f, "{player} has no forced win"),
        }
    }
}

/// A legal move with its value and distance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveAnswer {
    /// The point of the new stone.
    pub m: Point,
    /// The value of the move for the player who makes the move.
    pub value: Value,
    /// The number of plies to the end of the game, this move included. `None` if not requested or
    /// unknown.
    pub distance: Option<u32>,
    /// The number of stones that the move captures.
    pub captures: u16,
    /// The position after the move.
    pub position: Position,
}

/// The results of all searches for one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The position.
    pub position: Position,
    /// The value for the side to move.
    pub value: Value,
    /// The number of plies to the end of the game if the winner hurries and the loser delays. 0 if
    /// the game is over, `None` if not requested or unknown.
    pub distance: Option<u32>,
    /// A number of plies within which a win is proved, or `None` if no search proved such a bound.
    /// A shorter win may exist.
    pub wins_within: Option<u32>,
    /// All legal moves, the best first. Moves of equal value are sorted by known distance, then by
    /// point.
    pub moves: Vec<MoveAnswer>,
    /// The number of moves that keep the value of the position, or 0 if the value is unknown.
    pub best: usize,
    /// The engine that found the value.
    pub engine: Engine,
    /// The facts that are proved although the value is unknown. Empty if the value is known.
    pub proved: Vec<ProvedFact>,
    /// The number of moves that the searches made.
    pub nodes: u64,
}

impl Answer {
    /// Returns the moves that keep the value of the position, or nothing if the value is unknown.
    pub fn best_moves(&self) -> &[MoveAnswer] {
        &self.moves[..self.best]
    }
}
