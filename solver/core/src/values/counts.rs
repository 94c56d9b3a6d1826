//! The numbers of positions that are won, drawn and lost.

use std::ops::AddAssign;

/// The numbers of positions that are won, drawn and lost for the side to move. Below a root, each
/// board counts as 256 positions, one for each rotation. In the whole game, each board of a section
/// counts once, even if several rotations lead to the same board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WdlCounts {
    /// The number of positions that the side to move wins.
    pub wins: u64,
    /// The number of drawn positions.
    pub draws: u64,
    /// The number of positions that the side to move loses.
    pub losses: u64,
}

impl WdlCounts {
    /// Returns the total number of positions.
    pub fn total(&self) -> u128 {
        u128::from(self.wins) + u128::from(self.draws) + u128::from(self.losses)
    }

    /// Returns the sums of the numbers, or `None` if a sum overflows.
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
