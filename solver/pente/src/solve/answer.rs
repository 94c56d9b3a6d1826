//! What is found out about a position.

use std::fmt;

use pentago_base::counted;

use crate::rules::{Color, Move, Position};
use crate::table::Value;

/// The value for the side to move, if it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The side to move loses, whatever it plays.
    Loss,
    /// It can hold a draw, and no more.
    Draw,
    /// Not known: [`Answer::proved`] says what is.
    Unknown,
    /// It wins by force.
    Win,
}

impl Verdict {
    /// The value for the other side.
    #[must_use]
    pub const fn negate(self) -> Verdict {
        match self {
            Verdict::Loss => Verdict::Win,
            Verdict::Draw => Verdict::Draw,
            Verdict::Unknown => Verdict::Unknown,
            Verdict::Win => Verdict::Loss,
        }
    }

    /// The word for it: `win`, `draw`, `loss` or `unknown`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Verdict::Loss => "loss",
            Verdict::Draw => "draw",
            Verdict::Unknown => "unknown",
            Verdict::Win => "win",
        }
    }

    /// The value of a position from the values of its moves: the best of them, if what is not known
    /// cannot be better. (`None` where there is no move.)
    pub(super) fn best(moves: impl IntoIterator<Item = Verdict>) -> Option<Verdict> {
        // The order of the variants says it: unknown is above draw and loss, and below win.
        moves.into_iter().max()
    }
}

impl From<Value> for Verdict {
    fn from(value: Value) -> Verdict {
        match value {
            Value::Loss => Verdict::Loss,
            Value::Draw => Verdict::Draw,
            Value::Win => Verdict::Win,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

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
pub enum Proved {
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

impl fmt::Display for Proved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proved::NoWinWithin { player, plies } => {
                write!(f, "{player} has no forced win within {plies} plies")
            }
            Proved::NoThreatsWithin { plies } => write!(f, "no win by threats within {plies} plies"),
            Proved::NoQuietWinFound { quiet, plies } => {
                let quiet = counted(*quiet, "quiet move");
                write!(f, "no win found by threats and {quiet} within {plies} plies")
            }
            Proved::NotWon { player } => write!(f, "{player} has no forced win"),
        }
    }
}

/// A legal move with what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveAnswer {
    /// The move.
    pub m: Move,
    /// Its value for the player who makes it.
    pub value: Verdict,
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
    pub value: Verdict,
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
    pub proved: Vec<Proved>,
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
            Verdict::Win => Some(self.position.to_move()),
            Verdict::Loss => Some(self.position.to_move().other()),
            Verdict::Draw | Verdict::Unknown => None,
        }
    }
}
