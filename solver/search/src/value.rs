//! Computes the exact value of a position by full-width search. If the search is limited, computes
//! bounds on the distances to a win.

use crate::deepening::{Deepening, Distance};
use crate::{Budget, Game, Goal, Outcome, Side, Table};

/// The result of a full-width search for a win of either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The outcome with best play, or `None` if the search didn't decide the outcome.
    pub outcome: Option<Outcome>,
    /// The distance to a win of the first side, then the distance to a win of the second side.
    pub distances: [Distance; 2],
}

impl Value {
    /// Returns the distance to a win of `side`.
    pub fn distance(&self, side: Side) -> Distance {
        self.distances[usize::from(side == Side::Second)]
    }

    /// Returns the number of plies to the end of the game if one side wins by force. Returns `None`
    /// for a draw or an undecided position.
    pub fn plies(&self) -> Option<u32> {
        self.distances.into_iter().find_map(|distance| match distance {
            Distance::Exactly(plies) => Some(plies),
            Distance::MoreThan(_) | Distance::Never => None,
        })
    }
}

/// Searches for wins of both sides, one ply deeper at a time, up to `limit` plies. Returns the
/// value with its exact distance. If the limit or the budget ends the search, returns the number of
/// plies within which neither side can force a win.
pub fn value<G: Game>(game: &mut G, table: &mut Table, limit: u32, budget: &mut Budget) -> Value {
    let mut distances = [Distance::MoreThan(0); 2];
    let sides = [game.side(), game.side().other()];
    let decided = |distances: &[Distance; 2]| {
        let exact = |distance: &Distance| matches!(distance, Distance::Exactly(_));
        distances.iter().any(exact) || *distances == [Distance::Never; 2]
    };
    for plies in 0..=limit.min(game.plies_left()) {
        for side in sides {
            let at = usize::from(side == Side::Second);
            let Distance::MoreThan(proved) = distances[at] else { continue };
            let mut search = Deepening::new(table, Goal::win(side));
            let found = search.shortest_from(game, proved, plies, budget);
            distances[at] = found;
            // One side wins by force, so the other side never can.
            if let Distance::Exactly(_) = found {
                distances[1 - at] = Distance::Never;
            }
            let stopped = matches!(found, Distance::MoreThan(proved) if proved < plies);
            if stopped || decided(&distances) {
                return Value { outcome: outcome(&distances), distances };
            }
        }
    }
    Value { outcome: outcome(&distances), distances }
}

fn outcome(distances: &[Distance; 2]) -> Option<Outcome> {
    match distances {
        [Distance::Exactly(_), _] => Some(Outcome::Win(Side::First)),
        [_, Distance::Exactly(_)] => Some(Outcome::Win(Side::Second)),
        [Distance::Never, Distance::Never] => Some(Outcome::Draw),
        _ => None,
    }
}
