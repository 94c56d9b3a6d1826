//! The players: seats A to D, in the order of their turns.

use std::fmt;

/// A player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Seat {
    /// The player who begins.
    A,
    /// The second.
    B,
    /// The third, with three or four seats.
    C,
    /// The fourth.
    D,
}

impl Seat {
    /// All seats that there can be, in the order of their turns.
    pub const ALL: [Seat; 4] = [Seat::A, Seat::B, Seat::C, Seat::D];

    /// The seat of this number, A is 0.
    #[must_use]
    pub const fn numbered(number: usize) -> Option<Seat> {
        if number < 4 { Some(Seat::ALL[number]) } else { None }
    }

    /// Its number, A is 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its lower-case letter, as the side to move is written.
    #[must_use]
    pub const fn letter(self) -> char {
        (b'a' + self as u8) as char
    }
}

/// The capital letter, as marbles are written.
impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Seat::A => "A",
            Seat::B => "B",
            Seat::C => "C",
            Seat::D => "D",
        })
    }
}

/// A set of seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Seats(u8);

impl Seats {
    /// No seat.
    pub const NONE: Seats = Seats(0);

    /// One seat alone.
    #[must_use]
    pub const fn only(seat: Seat) -> Seats {
        Seats(1 << seat as u8)
    }

    /// The first `count` seats.
    #[must_use]
    pub const fn first(count: usize) -> Seats {
        Seats((1 << count) - 1)
    }

    /// Returns whether the seat is one of them.
    #[must_use]
    pub const fn has(self, seat: Seat) -> bool {
        self.0 >> seat as u8 & 1 != 0
    }

    /// These and one more.
    #[must_use]
    pub const fn with(self, seat: Seat) -> Seats {
        Seats(self.0 | 1 << seat as u8)
    }

    /// The seats in both sets.
    #[must_use]
    pub const fn and(self, other: Seats) -> Seats {
        Seats(self.0 & other.0)
    }

    /// The seats of this set that are not in the other.
    #[must_use]
    pub const fn without(self, other: Seats) -> Seats {
        Seats(self.0 & !other.0)
    }

    /// One bit for each seat, A the lowest.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Returns how many there are.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The seats in the order of their turns.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        Seat::ALL.into_iter().filter(move |&seat| self.has(seat))
    }
}

impl FromIterator<Seat> for Seats {
    fn from_iter<T: IntoIterator<Item = Seat>>(seats: T) -> Seats {
        seats.into_iter().fold(Seats::NONE, Seats::with)
    }
}

/// The letters in order: `AC`.
impl fmt::Display for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|seat| write!(f, "{seat}"))
    }
}
