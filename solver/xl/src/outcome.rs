//! The outcome of a game, and its value for each seat.

use std::fmt;

use crate::options::{Mode, Rules};
use crate::seat::{Seat, Seats};
pub use pentago_base::Wdl as Value;

/// The outcome of a finished game: the place of each seat, or the winning team of a team game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The outcome of a free for all: the place of each seat, indexed by seat. The best place is 1.
    /// Seats that share a place have equal numbers, and the next places are left out: after 1 and 1
    /// comes 3. A seat that is not in the game has 0.
    Places([u8; 4]),
    /// The outcome of a team game: the first seat of the winning team, A or B. `None` means a draw.
    Teams(Option<Seat>),
}

/// Returns the value for a seat that gets `half_points`. `best` is the number of half points for
/// first place alone. The value is a win for all of these half points, a draw for at least half of
/// them, and otherwise a loss. A shared first place is therefore a draw.
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
    /// Returns the outcome of a game in which the seats in `first` are the first to make five in a
    /// line. These seats share first place, and all other seats share the next place. If `first` is
    /// empty, the marbles are used up, and all seats share first place.
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

    /// Returns the number of half points of a seat. In a game of p seats, place r is worth p - r
    /// points. Seats that share a place get the mean of the places that they take up. A team game
    /// counts as a game of two seats.
    ///
    /// The result is always whole: the mean of two or four adjacent places is a whole number of
    /// half points, and the mean of three adjacent places is a whole number of points.
    pub fn half_points(&self, seat: Seat) -> u8 {
        match self {
            Outcome::Places(places) => {
                let seats = places.iter().filter(|&&place| place > 0).count() as u8;
                let place = places[seat.index()];
                let sharing = places.iter().filter(|&&other| other == place).count() as u8;
                // Twice the mean of p - r, where r runs from `place` to `place + sharing - 1`.
                (2 * (seats - place.min(seats)) + 1).saturating_sub(sharing)
            }
            Outcome::Teams(None) => 1,
            Outcome::Teams(Some(winner)) => 2 * u8::from(winner.index() % 2 == seat.index() % 2),
        }
    }

    /// Returns the value of this outcome for a seat.
    pub fn value(&self, rules: &Rules, seat: Seat) -> Value {
        of_points(self.half_points(seat), rules.best_half_points())
    }
}

impl Rules {
    /// Returns the number of half points for first place alone: 2(p - 1) in a game of p seats. A
    /// team game counts as a game of two seats.
    pub fn best_half_points(&self) -> u8 {
        match self.mode() {
            Mode::FreeForAll => 2 * (self.seats() as u8 - 1),
            Mode::Teams => 2,
        }
    }
}

/// Writes the place of each seat, such as `A1 B2 C2 D2`. For a team game, writes the winning team
/// (`AC` or `BD`) or `draw`.
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
