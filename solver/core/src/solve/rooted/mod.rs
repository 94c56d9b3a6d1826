//! Computes the values of all positions below one position, slice by slice from the last slice back
//! to the root.

mod chain;
mod collect;
mod context;
pub mod downstream;
mod error;
pub mod gpu;
pub mod plan;
mod request;
mod slice;
mod solver;
mod spill_store;
#[cfg(test)]
mod tests;
mod unit;
mod win_tables;

pub use error::SolveError;
pub use plan::board_count;
pub use solver::{RootedSolver, Solution};
pub use spill_store::{HalfSlice, SpillStore};
