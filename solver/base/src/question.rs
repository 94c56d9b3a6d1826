//! The question about a position. All games share the type, from the command line to the solver.

use std::time::Duration;

/// The values of a position that the caller requests, and the limits of the search.
///
/// The default requests the value of the position and of each move, without a time limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The maximum depth of the search in plies, or `None` for no limit.
    pub depth: Option<u32>,
    /// Requires the exact value: the solver searches to the end of the game, or fails.
    pub exact: bool,
    /// Requests the distances to the end of the game, and a line of best moves.
    pub distance: bool,
    /// The time limit of searches that don't reach the end of the game. A deeper search that is
    /// expected to exceed the limit isn't started. Proofs run first and take at most nine tenths of
    /// the time.
    pub time: Option<Duration>,
    /// The maximum number of boards that proofs may compute; 0 disables proofs. The default is 2
    /// billion, or as many boards as the time allows. Unless time or memory runs out first, the
    /// same number gives the same answer.
    pub proof_boards: Option<u64>,
    /// Restricts the search to proofs if the full solution doesn't fit in memory. The proofs then
    /// use all of the time.
    pub proofs_only: bool,
    /// The maximum number of boards that a guess may evaluate; 0 disables guesses. The default is
    /// half a million, or as many boards as the time allows. A guess sorts the moves if no best
    /// move is known.
    pub guess_boards: Option<u64>,
    /// Takes values from tables and rules only, without computing or guessing any. If there are no
    /// tables, this option disables the guess alone.
    pub tables_only: bool,
}
