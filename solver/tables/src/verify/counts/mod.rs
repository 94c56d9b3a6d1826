//! Wins, draws and losses of a complete game: the counts of tables, compared with known counts.
//!
//! Known counts take the view of the two players ([`Results`]). Tables take the view of the side to
//! move. Every board counts once, in all rotations of its quadrants; finished games and unreachable
//! boards count, too. The results of a slice are the sum over its standard sections, each weighted
//! by its number of images under the symmetries of the board.
//!
//! | file | contents |
//! |---|---|
//! | `known` | the published results of all slices |
//! | `file` | results by section, read from TSV and .npy |
//! | `stored` | the results in tables, and comparisons |
//! | `mini` | Mini-Pentago: the values of all reachable positions |

pub mod file;
pub mod known;
pub mod mini;
pub mod stored;

pub use file::{BySection, CountsError, read_all as read_counts};
pub use stored::{Compared, Difference, SliceCounts, StoredError, of_table, published, recount, stored};

use pentago_core::values::WdlCounts;
use std::fmt;
use std::ops::AddAssign;

/// The numbers of boards that each player wins, and that are drawn, with perfect play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Boards won by X, who moved first.
    pub x_wins: u64,
    /// Drawn boards.
    pub draws: u64,
    /// Boards won by O.
    pub o_wins: u64,
}

impl Results {
    /// Converts counts for the side to move, on boards with `marbles` marbles.
    #[must_use]
    pub fn of(counts: WdlCounts, marbles: u8) -> Results {
        let WdlCounts { wins, draws, losses } = counts;
        let (x_wins, o_wins) = if marbles.is_multiple_of(2) { (wins, losses) } else { (losses, wins) };
        Results { x_wins, draws, o_wins }
    }

    /// Returns the number of all boards, or `None` if the sum overflows.
    #[must_use]
    pub fn total(self) -> Option<u64> {
        self.x_wins.checked_add(self.draws)?.checked_add(self.o_wins)
    }

    /// Returns the results multiplied by `n`.
    #[must_use]
    pub fn times(self, n: u64) -> Results {
        Results { x_wins: n * self.x_wins, draws: n * self.draws, o_wins: n * self.o_wins }
    }
}

impl AddAssign for Results {
    fn add_assign(&mut self, more: Results) {
        self.x_wins += more.x_wins;
        self.draws += more.draws;
        self.o_wins += more.o_wins;
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "X wins: {}, draws: {}, O wins: {}", self.x_wins, self.draws, self.o_wins)
    }
}
