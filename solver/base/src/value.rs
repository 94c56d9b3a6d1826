//! The outcomes of games and the values of positions.

use std::fmt;

use crate::Color;

/// The outcome of a finished game between two players.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The given player has won the game.
    Win(Color),
    /// The game has ended in a draw.
    Draw,
}

/// The known value of a position for the side to move: win, draw or loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wdl {
    /// The side to move loses against perfect play.
    Loss,
    /// Neither side can force a win.
    Draw,
    /// The side to move wins with perfect play.
    Win,
}

impl Wdl {
    /// Returns the value of a finished game from the point of view of `player`.
    pub fn of(outcome: Outcome, player: Color) -> Wdl {
        match outcome {
            Outcome::Win(winner) if winner == player => Wdl::Win,
            Outcome::Win(_) => Wdl::Loss,
            Outcome::Draw => Wdl::Draw,
        }
    }

    /// Returns the number that arrays and files store: 1 for a win, 0 for a draw, -1 for a loss.
    pub const fn number(self) -> i8 {
        self as i8 - 1
    }

    /// Returns the value for the opponent: a win becomes a loss, and a loss becomes a win.
    #[must_use]
    pub const fn negate(self) -> Wdl {
        match self {
            Wdl::Loss => Wdl::Win,
            Wdl::Draw => Wdl::Draw,
            Wdl::Win => Wdl::Loss,
        }
    }
}

/// Writes `win`, `draw` or `loss`.
impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Value::from(*self).fmt(f)
    }
}

/// The value of a position or a move for the side to move at the root. The values are listed from
/// best to worst. An unknown move may turn out better than a draw, but is ranked only above moves
/// that are known to lose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move wins with perfect play.
    Win,
    /// Neither side can force a win.
    Draw,
    /// Undecided: neither a proof nor a limited search has found the value.
    #[default]
    Unknown,
    /// The side to move loses against perfect play.
    Loss,
}

impl Value {
    /// Returns the value of a finished game from the point of view of `player`.
    pub fn of(outcome: Outcome, player: Color) -> Value {
        Wdl::of(outcome, player).into()
    }

    /// Returns the win, draw or loss, or `None` if the value is unknown.
    pub const fn known(self) -> Option<Wdl> {
        match self {
            Value::Win => Some(Wdl::Win),
            Value::Draw => Some(Wdl::Draw),
            Value::Loss => Some(Wdl::Loss),
            Value::Unknown => None,
        }
    }

    /// Returns the value of a position whose moves have the values `moves`. If no move wins and the
    /// value of some move is unknown, the result is unknown. Returns `None` if there are no moves.
    pub fn best_of(moves: impl IntoIterator<Item = Value>) -> Option<Value> {
        moves.into_iter().min_by_key(|value| value.best_case())
    }

    /// Returns the rank of the best value that this value may turn out to be: 0 for a win, 1 for an
    /// unknown value, 2 for a draw, 3 for a loss. An unknown value ranks above a draw, because it
    /// may turn out to be a win.
    pub const fn best_case(self) -> u8 {
        match self {
            Value::Win => 0,
            Value::Unknown => 1,
            Value::Draw => 2,
            Value::Loss => 3,
        }
    }

    /// Returns the value for the opponent: a win becomes a loss, and a loss becomes a win.
    #[must_use]
    pub const fn negate(self) -> Value {
        match self {
            Value::Win => Value::Loss,
            Value::Loss => Value::Win,
            Value::Draw | Value::Unknown => self,
        }
    }

    /// Returns the rank of a value, from best to worst: 0 for a win, 1 for a draw, 2 for an unknown
    /// value, 3 for a loss.
    pub const fn rank(self) -> u8 {
        self as u8
    }

    /// Returns the key by which moves are sorted, best first. Wins are sorted by ascending
    /// distance, and losses by descending distance. A missing distance counts as the largest
    /// distance.
    pub fn order(self, distance: Option<usize>) -> (u8, i64) {
        let distance = distance.map_or(i64::MAX, |plies| plies as i64);
        (self.rank(), if self == Value::Loss { -distance } else { distance })
    }

    /// Returns `win`, `draw`, `loss` or `unknown`.
    pub const fn name(self) -> &'static str {
        match self {
            Value::Win => "win",
            Value::Draw => "draw",
            Value::Loss => "loss",
            Value::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl From<Wdl> for Value {
    fn from(wdl: Wdl) -> Value {
        match wdl {
            Wdl::Win => Value::Win,
            Wdl::Draw => Value::Draw,
            Wdl::Loss => Value::Loss,
        }
    }
}
