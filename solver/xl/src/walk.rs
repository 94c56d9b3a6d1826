//! The walk through all play: the points that each seat can be sure of, in any game, and the max^n
//! vector. Exact where few sockets are free; the number of positions is limited.

use std::collections::HashMap;

use crate::options::Rules;
use crate::outcome::Outcome;
use crate::position::Position;
use crate::seat::Seat;
use pentago_base::{Budget, Stopped};

/// What the walk finds about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WalkValues {
    /// What each seat (with its partner) is sure of against all others.
    pub sure: [u8; 4],
    /// Everyone for himself; among equals the next seat gets little.
    pub vector: [u8; 4],
    /// The same, but the next seat gets much.
    pub friendly: [u8; 4],
}

/// A walk, which remembers positions.
pub(crate) struct Walk {
    rules: Rules,
    known: HashMap<Position, WalkValues>,
    budget: Budget,
}

impl Walk {
    /// A walk within a budget.
    pub fn new(rules: &Rules, budget: Budget) -> Walk {
        Walk { rules: *rules, known: HashMap::new(), budget }
    }

    /// Of a position where the game goes on.
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

    /// Of what a legal move leads to.
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

    /// Both together: each question takes what its rule says.
    fn better(&self, mover: Seat, a: &WalkValues, b: &WalkValues) -> WalkValues {
        let own = self.rules.side_of(mover);
        let sure = std::array::from_fn(|seat| {
            let (a, b) = (a.sure[seat], b.sure[seat]);
            if own.has(Seat::ALL[seat]) { a.max(b) } else { a.min(b) }
        });
        // In turn order from the mover: many points for the mover, then few (or many) for the others.
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
