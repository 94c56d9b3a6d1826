//! How the boards of a whole game end: what tables hold, against what is known from elsewhere.
//!
//! Known counts take the view of the two players, tables that of the side to move; [`Results`] is the former. Every filling of the
//! sockets counts once, however its blocks are turned; finished games and boards that play doesn't reach count too. The results
//! of a slice are those of its standard sections, each as often as it has different images under the symmetries of the board.
//!
//! | file | what it represents |
//! |---|---|
//! | `known` | the published results of all slices |
//! | `file` | published results by section, read from TSV and .npy |
//! | `stored` | the results that tables hold, and how they compare |
//! | `mini` | Mini-Pentago: what the positions are worth that play reaches |

pub mod file;
pub mod known;
pub mod mini;
mod stored;

pub use file::{BadCounts, BySection, CountsError};
pub use stored::{Compared, Difference, SliceCounts, StoredError, recount, stored};

use crate::values::WdlCounts;
use std::fmt;
use std::ops::AddAssign;

/// How many boards each player wins with best play from there, and how many are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Won by X, the player who began.
    pub x_wins: u64,
    /// Won by neither.
    pub draws: u64,
    /// Won by O.
    pub o_wins: u64,
}

impl Results {
    /// What counts for the side to move mean with so many marbles on the board.
    #[must_use]
    pub fn of(counts: WdlCounts, marbles: u8) -> Results {
        let WdlCounts { wins, draws, losses } = counts;
        let (x_wins, o_wins) = if marbles.is_multiple_of(2) { (wins, losses) } else { (losses, wins) };
        Results { x_wins, draws, o_wins }
    }

    /// All boards; None if they are more than any game has.
    #[must_use]
    pub fn total(self) -> Option<u64> {
        self.x_wins.checked_add(self.draws)?.checked_add(self.o_wins)
    }

    /// So many times as many boards.
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
        write!(f, "X wins {}, drawn {}, O wins {}", self.x_wins, self.draws, self.o_wins)
    }
}
