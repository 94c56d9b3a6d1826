//! The walk through all play: the points that each seat can be sure of, in any game, and the max^n
//! vector. Exact where few sockets are free; the number of positions is limited.

use std::collections::HashMap;

use crate::options::Rules;
use crate::outcome::Outcome;
use crate::position::Position;
use crate::seat::Seat;
use pentago_base::{Budget, Stopped};

/// Half points of each seat.
pub(crate) type Points = [u8; 4];

/// What the walk finds about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WalkValues {
    /// What each seat (with its partner) is sure of against all others.
    pub sure: Points,
    /// Everyone for himself; among equals the next seat gets little.
    pub vector: Points,
    /// The same, but the next seat gets much.
    pub friendly: Points,
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
            best = Some(match best {
                None => found,
                Some(best) => self.better(mover, &best, &found),
            });
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
        let sure = std::array::from_fn(|seat| {
            let own = self.rules.side_of(mover).has(Seat::ALL[seat]);
            if own { a.sure[seat].max(b.sure[seat]) } else { a.sure[seat].min(b.sure[seat]) }
        });
        // From the mover on, in turn order: much for the mover, then little (or much) for the
        // others.
        let order = |points: &Points, friendly: bool| -> Points {
            std::array::from_fn(|i| {
                let seats = self.rules.seats();
                if i >= seats {
                    return 0;
                }
                let points = points[(mover.index() + i) % seats];
                if i == 0 || friendly { points } else { u8::MAX - points }
            })
        };
        let choose = |a: &Points, b: &Points, friendly: bool| {
            if order(b, friendly) > order(a, friendly) { *b } else { *a }
        };
        WalkValues {
            sure,
            vector: choose(&a.vector, &b.vector, false),
            friendly: choose(&a.friendly, &b.friendly, true),
        }
    }
}
