//! The question about a position. All games use the same type, from the command line to the solver.

use std::time::Duration;

/// The requested information about a position, and the limits of the search.
///
/// The default requests the value of the position and of each move, without a time limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The maximum depth of the search in plies, or `None` for no limit.
    pub depth: Option<u32>,
    /// `true` to require the exact value: the solver searches to the end of the game, or fails.
    pub exact: bool,
    /// `true` to request the distances to the end of the game, and a line of best moves.
    pub distance: bool,
    /// The time limit. When the time is up, the answer contains the values and bounds found so far.
    /// A solution that would probably exceed the limit isn't started. Proofs run first, and may
    /// take nine tenths of the time.
    pub time: Option<Duration>,
    /// If this field is set, `time` limits only proofs and deepening. A full solution that fits in
    /// memory, or a solution of the depth `depth`, then takes as long as necessary. The full
    /// solution isn't started if it would probably exceed the time in this field.
    pub finish: Option<Duration>,
    /// The maximum number of boards that proofs may compute; 0 disables proofs. The default is 2
    /// billion, or as many boards as the time allows. With the same limit, the answer is the same
    /// on every run, unless time or memory runs out first.
    pub proof_boards: Option<u64>,
    /// `true` to search only for proofs if the full solution doesn't fit in memory. The proofs may
    /// then use the whole time limit.
    pub proofs_only: bool,
    /// The maximum number of boards that a guess may evaluate; 0 disables guesses. The default is
    /// half a million, or as many boards as the time allows. A guess sorts the moves if no best
    /// move is known.
    pub guess_boards: Option<u64>,
    /// `true` to take values only from tables and from the rules, without computing or guessing any
    /// value. If there are no tables, this option disables only the guess.
    pub tables_only: bool,
}
