//! Compares the numbers of wins, draws and losses in the tables of a complete game with known
//! numbers.
//!
//! Known counts are wins of X and of O ([`Results`]). Tables count wins and losses of the side to
//! move. Every board counts once, in each rotation of its quadrants. Boards of finished games and
//! unreachable boards are counted as well. The results of a slice are the sum over its standard
//! sections. The results of each section are multiplied by the number of its symmetric images.
//!
//! | file | contents |
//! |---|---|
//! | `known` | the published results of all slices |
//! | `file` | files with results by section: TSV and .npy |
//! | `stored` | the results in tables, and their comparison with known results |
//! | `mini` | the values of all reachable positions of Mini-Pentago |

pub mod file;
pub mod known;
pub mod mini;
pub mod stored;

pub use file::{BySection, CountsError, read_all as read_counts};
pub use stored::{Compared, Difference, SliceCounts, StoredError, of_table, published, recount, stored};

use pentago_core::values::WdlCounts;
use std::fmt;
use std::ops::AddAssign;

/// The numbers of boards that X wins, that are drawn, and that O wins, with perfect play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// The number of boards that X wins. X is the player who moved first.
    pub x_wins: u64,
    /// The number of drawn boards.
    pub draws: u64,
    /// The number of boards that O wins.
    pub o_wins: u64,
}

impl Results {
    /// Converts wins and losses of the side to move to wins of X and O. All boards have `marbles`
    /// marbles, which determines the side to move.
    pub fn of(counts: WdlCounts, marbles: u8) -> Results {
        let WdlCounts { wins, draws, losses } = counts;
        let (x_wins, o_wins) = if marbles.is_multiple_of(2) { (wins, losses) } else { (losses, wins) };
        Results { x_wins, draws, o_wins }
    }

    /// Returns the total number of boards, or `None` if the sum overflows.
    pub fn total(self) -> Option<u64> {
        self.x_wins.checked_add(self.draws)?.checked_add(self.o_wins)
    }

    /// Returns the results with all three numbers multiplied by `n`.
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
