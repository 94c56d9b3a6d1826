//! How often each value occurs.

use std::ops::AddAssign;

/// How many positions are won, drawn and lost for the side to move. What counts as one position is
/// the matter of the domain: below a root each board at each of the 256 rotations; in a whole game
/// each board of the section once, however its quadrants are turned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WdlCounts {
    /// Won by the side to move.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the side to move.
    pub losses: u64,
}

impl WdlCounts {
    /// Returns all of them.
    #[must_use]
    pub fn total(&self) -> u128 {
        u128::from(self.wins) + u128::from(self.draws) + u128::from(self.losses)
    }

    /// Returns the sum; none where it overflows.
    #[must_use]
    pub fn checked_add(self, more: WdlCounts) -> Option<WdlCounts> {
        Some(WdlCounts {
            wins: self.wins.checked_add(more.wins)?,
            draws: self.draws.checked_add(more.draws)?,
            losses: self.losses.checked_add(more.losses)?,
        })
    }
}

impl AddAssign for WdlCounts {
    fn add_assign(&mut self, more: WdlCounts) {
        *self = WdlCounts {
            wins: self.wins + more.wins,
            draws: self.draws + more.draws,
            losses: self.losses + more.losses,
        };
    }
}
