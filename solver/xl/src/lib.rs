//! Pentago XL: rules, notation and exact values of positions.
#![deny(unsafe_code)]

mod answer;
mod control;
mod dense;
mod error;
mod forward;
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
mod solver;
pub mod symmetry;
#[cfg(test)]
mod tests;
mod walk;

pub use answer::{Answer, Bounds, Engine, MoveValue, Vector};
pub use control::{Cancelled, Control};
pub use dense::{DenseError, DenseEstimate, dense_estimate};
pub use error::{MAX_TEXT, ParseError};
pub use forward::Duel;
pub use geometry::{Set, Socket, Turn};
pub use kernel::{KERNEL_VARIABLE, Kernel, UnknownKernel};
pub use moves::{IllegalMove, Move, Played};
pub use notation::Game;
pub use options::{Mode, Rules, RulesError};
pub use outcome::{Outcome, Value};
pub use position::{Impossible, Position};
pub use random::{RandomError, TRIES};
pub use seat::{Seat, Seats};
pub use solver::{Limits, Request, SolveError, Solver};
