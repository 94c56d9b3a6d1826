//! A walk through all play from a position. It computes the exact number of points that each seat
//! can force, under any rules. A budget limits the number of moves, so the walk is only useful if
//! few sockets are free.

use std::collections::HashMap;

use crate::moves::Move;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::Seat;
use pentago_base::{Budget, Stopped};

/// The number of half points that each seat can force against all others, indexed by seat. A seat
/// with a partner plays together with the partner.
type SurePoints = [u8; 4];

/// A walk through all play. It stores the points of every position that it has visited.
pub(crate) struct Walk {
    rules: Rules,
    known: HashMap<Position, SurePoints>,
    budget: Budget,
}

impl Walk {
    /// Creates a walk. The budget limits the number of moves.
    pub fn new(rules: &Rules, budget: Budget) -> Walk {
        Walk { rules: *rules, known: HashMap::new(), budget }
    }

    /// Returns the half points that each seat can force from a position. The game must not be over.
    pub fn position(&mut self, p: &Position) -> Result<SurePoints, Stopped> {
        if let Some(found) = self.known.get(p) {
            return Ok(*found);
        }
        let own = self.rules.side_of(p.to_move);
        let mut best: Option<SurePoints> = None;
        for m in self.rules.moves(p) {
            let found = self.after(p, m)?;
            best = Some(best.map_or(found, |best| {
                let choose = |seat| if own.has(seat) { Ord::max } else { Ord::min };
                Seat::ALL.map(|seat| choose(seat)(best[seat.index()], found[seat.index()]))
            }));
        }
        let best = best.ok_or(Stopped)?;
        self.known.insert(*p, best);
        Ok(best)
    }

    /// Returns the half points that each seat can force after a legal move.
    pub fn after(&mut self, p: &Position, m: Move) -> Result<SurePoints, Stopped> {
        self.budget.tick()?;
        let played = self.rules.play(p, m).map_err(|_| Stopped)?;
        match played.outcome {
            Some(outcome) => Ok(Seat::ALL.map(|seat| outcome.half_points(seat))),
            None => self.position(&played.position),
        }
    }
}
