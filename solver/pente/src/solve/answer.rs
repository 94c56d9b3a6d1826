//! What is found out about a position.

use std::fmt;

use pentago_base::{Value, counted, counted_plies};

use crate::rules::{Color, Point, Position};

/// What gave a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The rules: the game is over.
    Rules,
    /// The moves of the position: one wins at once, or their values say it.
    Moves,
    /// A table of the whole board, solved from the end.
    Table,
    /// Proof-number search to the end of the game.
    ProofSearch,
    /// A forced win by threats and a few quiet moves, checked by the plain rules.
    Threats,
    /// Search of all moves and all replies to a number of plies.
    FullWidth,
    /// None: the value is not known.
    None,
}

impl Engine {
    /// The word for it in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Engine::Rules => "rules",
            Engine::Moves => "look-ahead",
            Engine::Table => "table",
            Engine::ProofSearch => "proof-number search",
            Engine::Threats => "threat search",
            Engine::FullWidth => "full-width search",
            Engine::None => "none",
        }
    }
}

/// Something that is proved about a position without giving its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProvedFact {
    /// A player has no forced win within this number of plies, counted from this position: all
    /// moves and all replies were searched.
    NoWinWithin {
        /// The player.
        player: Color,
        /// Plies.
        plies: u32,
    },
    /// The side to move has no win by threats alone within this number of plies. There may be other
    /// wins.
    NoThreatsWithin {
        /// Plies.
        plies: u32,
    },
    /// The same with up to this number of quiet moves among those that were tried.
    NoQuietWinFound {
        /// Quiet moves.
        quiet: u8,
        /// Plies.
        plies: u32,
    },
    /// A player does not win by force.
    NotWon {
        /// The player.
        player: Color,
    },
}

impl fmt::Display for ProvedFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProvedFact::NoWinWithin { player, plies } => {
                write!(f, "{player} has no forced win within {}", counted_plies(*plies as usize))
            }
            ProvedFact::NoThreatsWithin { plies } => {
                write!(f, "no win by threats within {}", counted_plies(*plies as usize))
            }
            ProvedFact::NoQuietWinFound { quiet, plies } => {
                let quiet = counted(*quiet, "quiet move");
                write!(f, "no win found by threats and {quiet} within {}", counted_plies(*plies as usize))
            }
            ProvedFact::NotWon { player } => write!(f, "{player} has no forced win"),
        }
    }
}

/// A legal move with what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveAnswer {
    /// The move.
    pub m: Point,
    /// Its value for the player who makes it.
    pub value: Value,
    /// The plies to the end, this move included, if they were asked for and are known.
    pub distance: Option<u32>,
    /// Stones that it captures.
    pub captures: u16,
    /// The position after it.
    pub position: Position,
}

/// What is known about a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The position.
    pub position: Position,
    /// Its value for the side to move.
    pub value: Value,
    /// The plies to the end, if the winner hurries and the loser delays: if it was asked for, and
    /// is known. 0 where the game is over.
    pub distance: Option<u32>,
    /// A win is proved within this number of plies; the shortest can be shorter.
    pub wins_within: Option<u32>,
    /// All legal moves, the best first. Those of one value are ordered by the distance, where it is
    /// known, then by their points.
    pub moves: Vec<MoveAnswer>,
    /// How many of the moves are best: as good as the position. 0 if its value is not known.
    pub best: usize,
    /// What gave the value.
    pub engine: Engine,
    /// What else is proved.
    pub proved: Vec<ProvedFact>,
    /// Moves made by the searches.
    pub nodes: u64,
}

impl Answer {
    /// The stones captured by X and by O.
    #[must_use]
    pub fn captures(&self) -> [u16; 2] {
        [self.position.captured(Color::X), self.position.captured(Color::O)]
    }

    /// The best moves; empty if the value is not known.
    #[must_use]
    pub fn best_moves(&self) -> &[MoveAnswer] {
        &self.moves[..self.best]
    }

    /// The player who wins, if somebody does.
    #[must_use]
    pub fn winner(&self) -> Option<Color> {
        match self.value {
            Value::Win => Some(self.position.to_move()),
            Value::Loss => Some(self.position.to_move().other()),
            Value::Draw | Value::Unknown => None,
        }
    }
}
