//! Forward proofs for two-sided games without cycles, written once for all games of the project.
#![forbid(unsafe_code)]

mod game;

pub use game::{Game, Goal, Notation, Outcome, Side};
