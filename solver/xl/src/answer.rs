//! The answer of the solver: exact values, or bounds of values if the budget did not suffice.

use crate::moves::Move;
use crate::outcome::Value;
use crate::seat::Seat;

/// Bounds of a value. The value lies between `low` and `high`, and is known if both are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The value that the side can force at least.
    pub low: Value,
    /// The value that the other sides can hold this side to.
    pub high: Value,
}

impl Bounds {
    /// The bounds of a value of which nothing is known.
    pub const UNKNOWN: Bounds = Bounds { low: Value::Loss, high: Value::Win };

    /// Returns the bounds of a known value.
    #[must_use]
    pub const fn exactly(value: Value) -> Bounds {
        Bounds { low: value, high: value }
    }

    /// Returns the value, or `None` if it is unknown.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        (self.low == self.high).then_some(self.low)
    }

    /// Combines the answers to two questions: does the side win, and does it not lose? `None` means
    /// unknown.
    pub(crate) fn of(wins: Option<bool>, not_loses: Option<bool>) -> Bounds {
        let low = match (wins, not_loses) {
            (Some(true), _) => Value::Win,
            (_, Some(true)) => Value::Draw,
            _ => Value::Loss,
        };
        let high = match (wins, not_loses) {
            (_, Some(false)) => Value::Loss,
            (Some(false), _) => Value::Draw,
            _ => Value::Win,
        };
        Bounds { low, high }
    }

    /// Returns the bounds for the opponent in a game of two sides.
    #[must_use]
    pub(crate) fn other_side(&self) -> Bounds {
        Bounds { low: self.high.negate(), high: self.low.negate() }
    }
}

/// The engine that computed the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// No engine: the game is over, and the outcome gives the values.
    Over,
    /// The look-ahead of one ply.
    LookAhead,
    /// Forward proofs.
    Forward,
    /// The dense solution, which computes all boards below the position.
    Dense,
    /// The walk through all play.
    Walk,
    /// No engine found the values: the budget did not suffice, and the answer has only bounds.
    None,
}

impl Engine {
    /// Returns a short name: `over`, `look-ahead`, `forward`, `dense`, `walk` or `none`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Engine::Over => "over",
            Engine::LookAhead => "look-ahead",
            Engine::Forward => "forward",
            Engine::Dense => "dense",
            Engine::Walk => "walk",
            Engine::None => "none",
        }
    }
}

/// A legal move and its value for the side that makes the move. If a turn is pending, `M` is
/// [`Turn`](crate::Turn).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveValue<M = Move> {
    /// The move.
    pub m: M,
    /// The bounds of the value for the mover's side.
    pub bounds: Bounds,
    /// The number of plies to the end of the game, this move included. Only known if the mover's
    /// side wins or loses by force after the move, and distances were requested.
    pub plies: Option<u32>,
}

/// The answer to a request. If a turn is pending, `M` is [`Turn`](crate::Turn).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<M = Move> {
    /// The value that each seat, or its team, can force against all others, by seat index. Seats
    /// that are not in the game have a loss.
    pub seats: [Bounds; 4],
    /// Every legal move with its value. Empty unless the request includes the moves.
    pub moves: Vec<MoveValue<M>>,
    /// A move that keeps the value of the side to move: a winning move of a won position, or a
    /// drawing move of a drawn position. `None` if the position is lost or the value is unknown.
    pub best: Option<M>,
    /// The number of plies to the end if a side wins by force: the winner hurries, and all others
    /// delay. Only known if the request includes the distance.
    pub plies: Option<u32>,
    /// A number of plies within which no side can force a win. `None` unless this was proved and
    /// adds to the bounds.
    pub no_win_within: Option<u32>,
    /// The engine that computed the values of the seats.
    pub engine: Engine,
    /// The number of moves that forward searches made.
    pub nodes: u64,
}

impl<M: Copy> Answer<M> {
    /// The answer before anything is known, with a loss for every seat.
    pub(crate) const EMPTY: Answer<M> = Answer {
        seats: [Bounds::exactly(Value::Loss); 4],
        moves: Vec::new(),
        best: None,
        plies: None,
        no_win_within: None,
        engine: Engine::None,
        nodes: 0,
    };

    /// Returns the bounds of the value for a seat.
    #[must_use]
    pub fn of(&self, seat: Seat) -> Bounds {
        self.seats[seat.index()]
    }

    /// Returns the moves with the best known value, in the order of [`Answer::moves`]. If distances
    /// are known, only the fastest of the winning moves, or the slowest of the losing moves.
    #[must_use]
    pub fn best_moves(&self) -> Vec<M> {
        let best = self.moves.iter().map(|m| rank(m.bounds, m.plies)).max();
        self.moves.iter().filter(|m| Some(rank(m.bounds, m.plies)) == best).map(|m| m.m).collect()
    }
}

/// Returns the quality of a move for the seat that makes it: the value first, then fast wins and
/// slow losses.
fn rank(bounds: Bounds, plies: Option<u32>) -> (Value, i64) {
    let plies = i64::from(plies.unwrap_or(0));
    let hurry = match bounds.value() {
        Some(Value::Win) => -plies,
        Some(Value::Loss) => plies,
        _ => 0,
    };
    (bounds.low, hurry)
}
