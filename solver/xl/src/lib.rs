//! Pentago XL: rules, notation and exact values of positions.
#![deny(unsafe_code)]

mod error;
pub mod geometry;
mod kernel;
mod lookahead;
mod moves;
mod notation;
mod options;
mod outcome;
mod perft;
mod position;
mod random;
mod seat;
pub mod symmetry;
#[cfg(test)]
mod tests;

pub use error::{MAX_TEXT, ParseError};
pub use kernel::{KERNEL_VARIABLE, Kernel, UnknownKernel};
pub use geometry::{Set, Socket, Turn};
pub use moves::{IllegalMove, Move, Played};
pub use notation::Game;
pub use options::{Mode, Rules, RulesError};
pub use outcome::{Outcome, Value};
pub use position::{Impossible, Position};
pub use random::{RandomError, TRIES};
pub use seat::{Seat, Seats};
