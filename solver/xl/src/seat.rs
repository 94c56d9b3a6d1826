//! The seats of a game, A to D, which move in this order.

use std::fmt;

/// A player of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Seat {
    /// The first player.
    A,
    /// The second player.
    B,
    /// The third player, in games of three or four seats.
    C,
    /// The fourth player, in games of four seats.
    D,
}

impl Seat {
    /// All four possible seats in turn order.
    pub const ALL: [Seat; 4] = [Seat::A, Seat::B, Seat::C, Seat::D];

    /// Returns the seat with this index: 0 for A to 3 for D. Returns `None` for a larger index.
    pub const fn numbered(number: usize) -> Option<Seat> {
        if number < 4 { Some(Seat::ALL[number]) } else { None }
    }

    /// Returns the index of the seat: 0 for A to 3 for D.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the lower-case letter of the seat, which stands for the side to move in the text of
    /// a position.
    pub const fn letter(self) -> char {
        (b'a' + self as u8) as char
    }
}

/// Writes the capital letter of the seat, which stands for a marble in the text of a position.
impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(["A", "B", "C", "D"][self.index()])
    }
}

/// A set of seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Seats(u8);

impl Seats {
    /// Returns the set that contains only this seat.
    pub const fn only(seat: Seat) -> Seats {
        Seats(1 << seat as u8)
    }

    /// Returns the set of the first `count` seats in turn order.
    pub const fn first(count: usize) -> Seats {
        Seats((1 << count) - 1)
    }

    /// Returns `true` if the set contains the seat.
    pub const fn has(self, seat: Seat) -> bool {
        self.0 >> seat as u8 & 1 != 0
    }

    /// Returns the seats that are in both sets.
    #[must_use]
    pub const fn and(self, other: Seats) -> Seats {
        Seats(self.0 & other.0)
    }

    /// Returns the seats of this set that are not in the other set.
    #[must_use]
    pub const fn without(self, other: Seats) -> Seats {
        Seats(self.0 & !other.0)
    }

    /// Returns the set as a bit mask with one bit for each seat. Seat A is the lowest bit.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Returns the number of seats in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns `true` if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the seats of the set in turn order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        Seat::ALL.into_iter().filter(move |&seat| self.has(seat))
    }
}

impl FromIterator<Seat> for Seats {
    fn from_iter<T: IntoIterator<Item = Seat>>(seats: T) -> Seats {
        Seats(seats.into_iter().fold(0, |set, seat| set | Seats::only(seat).0))
    }
}

/// Writes the capital letters of the seats in turn order, such as `AC`.
impl fmt::Display for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|seat| write!(f, "{seat}"))
    }
}
