//! A guess for positions whose value is unknown: which move looks best, and how good it looks.
//!
//! A guess is no value. It is an expected score, which a search of a few plies backs up from an
//! [`Evaluation`] of the boards where it ends; the evaluation was learned from positions that
//! were solved.
//!
//! | file | what it represents |
//! |---|---|
//! | `terms` | the patterns on a board that an evaluation looks at |
//! | `evaluation` | what they are worth |
//! | `sums` | the same at all 128 rotations of a board at once |
//! | `search` | scores of a truncated solution, backed up from the evaluation |
//! | `lines` | the order of moves without anything learned |
//! | `scores` | the 128 scores of a board, and the turn that lies between two boards |
//! | `weights.bin` | the numbers that were learned: `bench/examples/train_guess.rs` |

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
