//! The two players of Pentago and Pente, named by their marbles or stones: X moves first.

use std::fmt;

/// A player. X moves first. The actual colours of the marbles differ between editions of the game,
/// so the players are named X and O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Color {
    /// The player who makes the first move.
    X,
    /// The player who makes the second move.
    O,
}

impl Color {
    /// Both players, in the order of [`Color::index`].
    pub const ALL: [Color; 2] = [Color::X, Color::O];

    /// Returns the opponent of this player.
    #[must_use]
    pub const fn other(self) -> Color {
        match self {
            Color::X => Color::O,
            Color::O => Color::X,
        }
    }

    /// Returns 0 for X and 1 for O.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the lower-case letter of the player, which denotes the side to move: `x` or `o`.
    pub const fn letter(self) -> char {
        match self {
            Color::X => 'x',
            Color::O => 'o',
        }
    }
}

/// Writes the upper-case letter, as in a diagram: `X` or `O`.
impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Color::X => "X",
            Color::O => "O",
        })
    }
}
