//! A walk through all play from a position. It computes exactly the points that each seat can
//! force, under any rules, and the max^n vector. A budget limits the number of moves, so the walk
//! is only useful if few sockets are free.

use std::collections::HashMap;

use crate::options::Rules;
use crate::outcome::Outcome;
use crate::position::Position;
use crate::seat::Seat;
use pentago_base::{Budget, Stopped};

/// The half points of each seat after a position, under three assumptions about the play. Each
/// array is indexed by seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WalkValues {
    /// The half points that each seat can force, together with its partner, against all others.
    pub sure: [u8; 4],
    /// The max^n vector. Among equal moves, a seat chooses the move that gives the next seat few
    /// points.
    pub vector: [u8; 4],
    /// The max^n vector if a seat, among equal moves, chooses the move that gives the next seat
    /// many points.
    pub friendly: [u8; 4],
}

/// A walk through all play. It remembers the values of the positions that it has visited.
pub(crate) struct Walk {
    rules: Rules,
    known: HashMap<Position, WalkValues>,
    budget: Budget,
}

impl Walk {
    /// Makes a walk with a budget of moves.
    pub fn new(rules: &Rules, budget: Budget) -> Walk {
        Walk { rules: *rules, known: HashMap::new(), budget }
    }

    /// Returns the values of a position in which the game is not over.
    pub fn position(&mut self, p: &Position) -> Result<WalkValues, Stopped> {
        if let Some(found) = self.known.get(p) {
            return Ok(*found);
        }
        let mover = p.to_move;
        let mut best: Option<WalkValues> = None;
        for m in self.rules.moves(p) {
            let found = self.after(p, m)?;
            best = Some(best.map_or(found, |best| self.better(mover, &best, &found)));
        }
        let best = best.ok_or(Stopped)?;
        self.known.insert(*p, best);
        Ok(best)
    }

    /// Returns the values after a legal move.
    pub fn after(&mut self, p: &Position, m: crate::Move) -> Result<WalkValues, Stopped> {
        self.budget.tick()?;
        let played = self.rules.play(p, m).map_err(|_| Stopped)?;
        match played.outcome {
            Some(outcome) => Ok(self.ended(&outcome)),
            None => self.position(&played.position),
        }
    }

    fn ended(&self, outcome: &Outcome) -> WalkValues {
        let mut points = [0; 4];
        self.rules.everyone().iter().for_each(|seat| points[seat.index()] = outcome.half_points(seat));
        WalkValues { sure: points, vector: points, friendly: points }
    }

    /// Combines the values of two moves of `mover`: each value by the rule for that value.
    fn better(&self, mover: Seat, a: &WalkValues, b: &WalkValues) -> WalkValues {
        let own = self.rules.side_of(mover);
        let sure = std::array::from_fn(|seat| {
            let (a, b) = (a.sure[seat], b.sure[seat]);
            if own.has(Seat::ALL[seat]) { a.max(b) } else { a.min(b) }
        });
        // Compare the points in turn order from the mover: the mover wants many points, and prefers
        // few (or many) points for the others.
        let order = |points: [u8; 4], friendly: bool| -> [u8; 4] {
            std::array::from_fn(|i| {
                let points = points[self.rules.seat_after(mover, i).index()];
                if i == 0 || friendly { points } else { u8::MAX - points }
            })
        };
        let choose = |a, b, friendly| if order(b, friendly) > order(a, friendly) { b } else { a };
        WalkValues {
            sure,
            vector: choose(a.vector, b.vector, false),
            friendly: choose(a.friendly, b.friendly, true),
        }
    }
}
