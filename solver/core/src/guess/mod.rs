//! Guesses for positions of unknown value: the most promising move, and how promising it is.
//!
//! A guess is an expected score between a loss and a win, not a proven value. A search of a few
//! plies evaluates the boards at its last ply with an [`Evaluation`] and backs the scores up. The
//! evaluation was learned from solved positions.
//!
//! | file | contents |
//! |---|---|
//! | `terms` | the patterns on a board that an evaluation looks at |
//! | `evaluation` | the weights of the patterns |
//! | `sums` | sums of weights at all 128 rotations of a board at once |
//! | `search` | a search of a few plies, which backs up scores from the evaluation |
//! | `lines` | an order of moves that needs no learned weights |
//! | `scores` | the 128 scores of a board, and their change by a turn |
//! | `weights.bin` | the learned weights, written by `bench/examples/train_guess.rs` |

mod evaluation;
mod lines;
mod scores;
mod search;
mod sums;
mod terms;

pub use evaluation::{Evaluation, STAGES, UNIT, Weights};
pub use lines::prospects;
pub use scores::{DRAW, LOSS, Scores, WIN};
pub use search::{Guess, GuessSearch, guess};
pub use sums::Sums;
pub use terms::{TERMS, WEIGHTS, terms};

#[cfg(test)]
mod tests;
