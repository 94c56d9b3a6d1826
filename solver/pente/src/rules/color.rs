//! The two players.

use std::fmt;

/// A player: X began, O is the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Color {
    /// The player who began (White, in Pente's own words).
    X,
    /// The other player.
    O,
}

impl Color {
    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Color {
        match self {
            Color::X => Color::O,
            Color::O => Color::X,
        }
    }

    /// 0 for X and 1 for O.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter of the side to move: `x` or `o`.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Color::X => 'x',
            Color::O => 'o',
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Color::X => "X",
            Color::O => "O",
        })
    }
}
