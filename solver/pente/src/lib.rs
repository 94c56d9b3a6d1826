//! Pente: the rules with all their options, notation, forced wins by proof, and exact values of small
//! boards.
#![forbid(unsafe_code)]

pub mod forced;
mod game;
pub mod rules;
pub mod solve;
mod state;
pub mod table;

pub use game::{Game, TakeBack, color, side};
pub use rules::{Color, Move, Outcome, Position, Rules};
pub use solve::{Answer, Engine, Limits, Solver, Verdict};
