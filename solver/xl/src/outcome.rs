//! How a game ended.

use std::fmt;

use crate::options::{Mode, Rules};
use crate::seat::{Seat, Seats};
pub use pentago_base::Wdl as Value;

/// The result of a game that is over: the place of each seat, or the team that won.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Everyone for himself: the place of each seat, 1 the best; joint places are equal, and the
    /// next one leaves a gap (1, 1, 3). The entries of seats that do not play are 0.
    Places([u8; 4]),
    /// Two against two: the first seat of the team that won, A or B, or nobody.
    Teams(Option<Seat>),
}

/// The value of a result to a seat that gets `half_points` half points, where the first place alone is
/// worth `best`: a draw is at least half of the best points, as for a shared first place, but not all.
pub(crate) const fn of_points(half_points: u8, best: u8) -> Value {
    if half_points >= best {
        Value::Win
    } else if 2 * half_points >= best {
        Value::Draw
    } else {
        Value::Loss
    }
}

impl Outcome {
    /// The end by a first five of the seats in `first`, of which there is at least one, or with
    /// none by marbles used up: they share the first place, all others the next.
    #[must_use]
    pub fn of_fives(rules: &Rules, first: Seats) -> Outcome {
        if rules.mode() == Mode::Teams {
            let [a, b] = [Seat::A, Seat::B].map(|seat| !first.and(rules.side_of(seat)).is_empty());
            return Outcome::Teams(match (a, b) {
                (true, false) => Some(Seat::A),
                (false, true) => Some(Seat::B),
                _ => None,
            });
        }
        let mut places = [0; 4];
        for seat in rules.everyone().iter() {
            places[seat.index()] =
                if first.is_empty() || first.has(seat) { 1 } else { 1 + first.len() as u8 };
        }
        Outcome::Places(places)
    }

    /// Returns what the result is worth to a seat, in half points: place r of p seats is worth
    /// p - r points, and seats that share places share their mean. A team game counts as one of two
    /// seats.
    ///
    /// The mean of two or four neighbouring places is a whole number of half points, of three a
    /// whole number of points.
    #[must_use]
    pub fn half_points(&self, seat: Seat) -> u8 {
        match self {
            Outcome::Places(places) => {
                let seats = places.iter().filter(|&&place| place > 0).count() as u8;
                let place = places[seat.index()];
                let sharing = places.iter().filter(|&&other| other == place).count() as u8;
                // The mean of p - r over r = place .. place + sharing - 1, twice.
                (2 * (seats - place.min(seats)) + 1).saturating_sub(sharing)
            }
            Outcome::Teams(None) => 1,
            Outcome::Teams(Some(winner)) => {
                if winner.index() % 2 == seat.index() % 2 {
                    2
                } else {
                    0
                }
            }
        }
    }

    /// Returns what the result is worth to a seat.
    #[must_use]
    pub fn value(&self, rules: &Rules, seat: Seat) -> Value {
        of_points(self.half_points(seat), rules.best_half_points())
    }
}

impl Rules {
    /// Half points of the first place alone: twice one less than the number of seats; two against
    /// two count as two seats.
    #[must_use]
    pub fn best_half_points(&self) -> u8 {
        match self.mode() {
            Mode::FreeForAll => 2 * (self.seats() as u8 - 1),
            Mode::Teams => 2,
        }
    }
}

/// `A1 B2 C2 D2`: the place of each seat; in a team game `AC`, `BD` or `draw`.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Outcome::Places(places) => {
                let each = Seat::ALL.iter().zip(places).filter(|(_, place)| **place > 0);
                each.map(|(seat, place)| format!("{seat}{place}")).collect::<Vec<_>>().join(" ")
            }
            Outcome::Teams(Some(Seat::A | Seat::C)) => String::from("AC"),
            Outcome::Teams(Some(Seat::B | Seat::D)) => String::from("BD"),
            Outcome::Teams(None) => String::from("draw"),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_places_share_their_mean() {
        for (places, half) in [
            ([1, 2, 0, 0], [2, 0, 0, 0]),
            ([1, 1, 0, 0], [1, 1, 0, 0]),
            ([1, 1, 1, 0], [2, 2, 2, 0]),
            ([1, 2, 2, 0], [4, 1, 1, 0]),
            ([2, 2, 2, 1], [2, 2, 2, 6]),
            ([1, 1, 3, 3], [5, 5, 1, 1]),
            ([1, 1, 1, 1], [3, 3, 3, 3]),
            ([1, 4, 2, 2], [6, 0, 3, 3]),
            ([1, 2, 3, 4], [6, 4, 2, 0]),
            ([4, 1, 1, 1], [0, 4, 4, 4]),
        ] {
            for seat in Seat::ALL {
                if places[seat.index()] > 0 {
                    let outcome = Outcome::Places(places);
                    assert_eq!(outcome.half_points(seat), half[seat.index()], "{outcome} {seat}");
                }
            }
        }
    }
}
