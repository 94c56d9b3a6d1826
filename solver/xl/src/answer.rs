//! The answer of the solver: exact values, or bounds on values if the budget did not suffice.

use crate::moves::Move;
use crate::outcome::Value;
use crate::seat::Seat;

/// Bounds on a value. The value is at least `low` and at most `high`. If both are equal, the value
/// is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The lower bound: a value that the side can force.
    pub low: Value,
    /// The upper bound: the other sides can prevent any better value.
    pub high: Value,
}

impl Bounds {
    /// The bounds on a value about which nothing is known.
    pub const UNKNOWN: Bounds = Bounds { low: Value::Loss, high: Value::Win };

    /// Returns the bounds of a known value.
    pub const fn exactly(value: Value) -> Bounds {
        Bounds { low: value, high: value }
    }

    /// Returns the value if the bounds are equal. Returns `None` if the value is unknown.
    pub fn value(&self) -> Option<Value> {
        (self.low == self.high).then_some(self.low)
    }

    /// Returns the bounds that follow from two answers: whether the side wins, and whether the side
    /// does not lose. `None` means that an answer is unknown.
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

    /// Returns the bounds on the opponent's value in a game of two sides.
    pub(crate) fn other_side(&self) -> Bounds {
        Bounds { low: self.high.negate(), high: self.low.negate() }
    }
}

/// The engine that computed the values of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// No engine: the game is over, and the outcome determines the values.
    Over,
    /// The look-ahead of one ply, which finds immediate wins.
    LookAhead,
    /// The forward proofs, which search from the position towards the end of the game.
    Forward,
    /// The dense solution, which computes all boards below the position.
    Dense,
    /// The walk, which plays all games from the position to their end.
    Walk,
    /// No engine: the budget did not suffice to compute the values, so the answer has only bounds.
    None,
}

impl Engine {
    /// Returns a short name: `over`, `look-ahead`, `forward`, `dense`, `walk` or `none`.
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
    /// The move that is evaluated.
    pub m: M,
    /// The bounds on the value for the side of the mover.
    pub bounds: Bounds,
    /// The number of plies to the end of the game, including this move. `None` unless the request
    /// includes distances, and the mover's side wins or loses by force after this move.
    pub plies: Option<u32>,
}

/// The answer to a request. If a turn is pending, `M` is [`Turn`](crate::Turn).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<M = Move> {
    /// Bounds on the value that each seat or its team can force against all others, indexed by
    /// seat. A seat that is not in the game has a loss.
    pub seats: [Bounds; 4],
    /// Every legal move with its value. Empty unless the request includes the values of the moves.
    pub moves: Vec<MoveValue<M>>,
    /// A move that preserves the value of the side to move: a winning move of a won position, or a
    /// drawing move of a drawn position. `None` if the position is lost or the value is unknown.
    pub best: Option<M>,
    /// The number of plies to the end of the game, if a side wins by force: the winner hurries, and
    /// all others delay. `None` unless the request includes the distance and a side wins.
    pub plies: Option<u32>,
    /// A number of plies within which no side can force a win, as far as proved. `None` if no such
    /// number was proved, or if the bounds already imply this fact.
    pub no_win_within: Option<u32>,
    /// The engine that computed the values of the seats.
    pub engine: Engine,
    /// The number of moves that forward searches made.
    pub nodes: u64,
}

impl<M: Copy> Answer<M> {
    /// The initial answer: no moves, no engine, and a loss for every seat.
    pub(crate) const EMPTY: Answer<M> = Answer {
        seats: [Bounds::exactly(Value::Loss); 4],
        moves: Vec::new(),
        best: None,
        plies: None,
        no_win_within: None,
        engine: Engine::None,
        nodes: 0,
    };

    /// Returns the bounds on the value that `seat` can force.
    pub fn of(&self, seat: Seat) -> Bounds {
        self.seats[seat.index()]
    }

    /// Returns the moves with the best known value, in the order of [`Answer::moves`]. If distances
    /// are known, returns only the fastest winning moves, or only the slowest losing moves.
    pub fn best_moves(&self) -> Vec<M> {
        let best = self.moves.iter().map(|m| rank(m.bounds, m.plies)).max();
        self.moves.iter().filter(|m| Some(rank(m.bounds, m.plies)) == best).map(|m| m.m).collect()
    }
}

/// Returns a sort key for the quality of a move, from the mover's point of view. Better values sort
/// higher. Among equal values, faster wins and slower losses sort higher.
fn rank(bounds: Bounds, plies: Option<u32>) -> (Value, i64) {
    let plies = i64::from(plies.unwrap_or(0));
    let hurry = match bounds.value() {
        Some(Value::Win) => -plies,
        Some(Value::Loss) => plies,
        _ => 0,
    };
    (bounds.low, hurry)
}
