//! Guesses for positions of unknown value: the most promising move, and how promising it is.
//!
//! A guess is no value. It is an expected score: a search of a few plies backs it up from an
//! [`Evaluation`] of the boards at its end. The evaluation was learned from solved positions.
//!
//! | file | contents |
//! |---|---|
//! | `terms` | the patterns on a board that an evaluation looks at |
//! | `evaluation` | the weights of the patterns |
//! | `sums` | sums of weights at all 128 rotations of a board at once |
//! | `search` | scores of a truncated solution, backed up from the evaluation |
//! | `lines` | an order of moves that needs no learned weights |
//! | `scores` | the 128 scores of a board, and the turn between two boards |
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
