//! The solution of everything downstream of one position, slice by slice from the end back to the
//! root.

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
