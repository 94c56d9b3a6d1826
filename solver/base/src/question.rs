//! The question about a position: the same type for every game, from the command line to the
//! solver.

use std::time::Duration;

/// The wanted values of a position, and the limits of the search for them.
///
/// The default asks for the value of the position and of each move, without a time limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The largest depth of the search, in plies.
    pub depth: Option<u32>,
    /// Requires the exact value: the solver searches to the end of the game, or fails.
    pub exact: bool,
    /// Asks for distances to the end of the game and for a line of best moves.
    pub distance: bool,
    /// The time limit of work that doesn't reach the end of the game. A deeper search that is
    /// expected to exceed the limit isn't started. Proofs, which come first, take at most nine
    /// tenths.
    pub time: Option<Duration>,
    /// The largest number of boards that proofs may compute; 0 for no proofs. By default, 2
    /// billion, or as many as the time allows. Unless time or memory runs out first, the same
    /// number gives the same answer.
    pub proof_boards: Option<u64>,
    /// Where the full solution doesn't fit in memory, only proofs are tried, for all of the time.
    pub proofs_only: bool,
    /// The largest number of boards that a guess may evaluate; 0 for no guess. By default, half a
    /// million, or as many as the time allows. Guesses order the moves where no best move is known.
    pub guess_boards: Option<u64>,
    /// Only tables and rules give values; nothing is computed or guessed. Without tables, only the
    /// guess is omitted.
    pub tables_only: bool,
}
