//! The exact value of a position by full-width search, or what is proved of it.

use crate::deepening::{Deepening, Distance};
use crate::{Budget, Game, Goal, Outcome, Side, Table};

/// What full-width search knows about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// How the game ends with best play, if that is known.
    pub outcome: Option<Outcome>,
    /// The plies to a win of the first and of the second side.
    pub distances: [Distance; 2],
}

impl Value {
    /// The plies to a win of this side.
    #[must_use]
    pub fn distance(&self, side: Side) -> Distance {
        self.distances[usize::from(side == Side::Second)]
    }

    /// The plies to the end if somebody wins.
    #[must_use]
    pub fn plies(&self) -> Option<u32> {
        self.distances.into_iter().find_map(|distance| match distance {
            Distance::Exactly(plies) => Some(plies),
            Distance::MoreThan(_) | Distance::Never => None,
        })
    }
}

/// Searches for wins of both sides, one ply deeper at a time, to at most `limit` plies: the value
/// and the exact distance, or how far neither side can force a win.
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
            // Where one side wins in n plies, the other never does.
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
