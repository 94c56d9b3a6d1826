//! Pente: the rules with all their options, notation, forced wins by proof, and exact values of small
//! boards.
#![forbid(unsafe_code)]

pub mod rules;
mod state;
pub mod table;

pub use rules::{Color, Move, Outcome, Position, Rules};
