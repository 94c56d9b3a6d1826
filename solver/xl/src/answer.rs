//! What is known about a position: values, or bounds of them where the work did not suffice.

use crate::moves::Move;
use crate::outcome::{Outcome, Value};
use crate::seat::Seat;

/// Bounds of a value: it lies between both, and is known if they are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// At least this is forced.
    pub low: Value,
    /// More than this can be prevented.
    pub high: Value,
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Bounds = Bounds { low: Value::Loss, high: Value::Win };

    /// The value is known.
    #[must_use]
    pub const fn exactly(value: Value) -> Bounds {
        Bounds { low: value, high: value }
    }

    /// The value, if it is known.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        (self.low == self.high).then_some(self.low)
    }

    /// From what is known about winning and about not losing.
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

    /// The same for the other of two sides.
    #[must_use]
    pub(crate) fn other_side(&self) -> Bounds {
        Bounds { low: self.high.negate(), high: self.low.negate() }
    }
}

/// Which engine gave the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// The game is over: there was nothing to compute.
    Over,
    /// The look-ahead of one ply.
    LookAhead,
    /// Forward proofs.
    Forward,
    /// The dense solution of all boards below.
    Dense,
    /// The walk through all play (`continue=yes`).
    Walk,
    /// None: the work did not suffice, and there are bounds only.
    None,
}

impl Engine {
    /// A short name: `over`, `look-ahead`, `forward`, `dense`, `walk` or `none`.
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

/// A legal move, or a turn that is pending, and what is known about it for the side that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveValue<M = Move> {
    /// The move.
    pub m: M,
    /// Its value for the mover's side.
    pub bounds: Bounds,
    /// The plies to the end, this move included, if the mover's side wins or loses by force with it
    /// and distances were asked for.
    pub plies: Option<u32>,
}

/// The max^n vector: the points of each seat when everyone takes the most for himself, and among
/// equals gives the next seat as few as possible, then the one after it, and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxnVector {
    /// Half points of each seat.
    pub half_points: [u8; 4],
    /// Whether the opposite rule for equals (as many as possible) gives another vector.
    pub depends_on_ties: bool,
}

/// What is known about a position; where its turn is pending, the moves are [`Turn`](crate::Turn)s.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<M = Move> {
    /// How the game has ended, if it is over.
    pub outcome: Option<Outcome>,
    /// What each seat, or its team, can be sure of against all others; loss for seats that do not
    /// play.
    pub seats: [Bounds; 4],
    /// The half points that each seat can be sure of, where all play was walked through.
    pub half_points: Option<[u8; 4]>,
    /// Every legal move, if they were asked for.
    pub moves: Vec<MoveValue<M>>,
    /// A move that keeps the value of the side to move, where that is known: a win that wins, a
    /// draw that draws. Not looked for where the position is lost.
    pub best: Option<M>,
    /// The plies to the end if a side wins by force and the distance was asked for: the winner
    /// hurries, all others delay.
    pub plies: Option<u32>,
    /// No side can force a win within this number of plies, where this was proved and says more
    /// than the bounds.
    pub no_win_within: Option<u32>,
    /// The max^n vector, if it was asked for and all play could be walked through.
    pub vector: Option<MaxnVector>,
    /// The engine that gave the values of the seats.
    pub engine: Engine,
    /// Moves that forward searches made.
    pub nodes: u64,
}

impl<M: Copy> Answer<M> {
    /// The answer before anything is known: no values, and a loss for every seat.
    pub(crate) const EMPTY: Answer<M> = Answer {
        outcome: None,
        seats: [Bounds::exactly(Value::Loss); 4],
        half_points: None,
        moves: Vec::new(),
        best: None,
        plies: None,
        no_win_within: None,
        vector: None,
        engine: Engine::None,
        nodes: 0,
    };

    /// Returns what is known about a seat.
    #[must_use]
    pub fn of(&self, seat: Seat) -> Bounds {
        self.seats[seat.index()]
    }

    /// The moves that keep the best value that is known, in the order of [`Answer::moves`]; of
    /// those that win the fastest and of those that lose the slowest, where distances are known.
    #[must_use]
    pub fn best_moves(&self) -> Vec<M> {
        let best = self.moves.iter().map(|m| rank(m.bounds, m.plies)).max();
        self.moves.iter().filter(|m| Some(rank(m.bounds, m.plies)) == best).map(|m| m.m).collect()
    }
}

/// Returns how good a move is for who makes it: by its value, then fast wins and slow losses.
fn rank(bounds: Bounds, plies: Option<u32>) -> (Value, i64) {
    let plies = i64::from(plies.unwrap_or(0));
    let hurry = match bounds.value() {
        Some(Value::Win) => -plies,
        Some(Value::Loss) => plies,
        _ => 0,
    };
    (bounds.low, hurry)
}
