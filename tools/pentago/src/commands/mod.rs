//! The commands, a file for each.

pub mod bench;
pub mod build;
pub mod completions;
pub mod man;
pub mod perft;
pub mod play;
pub mod random;
pub mod rules;
pub mod solve;
pub mod symmetries;

mod batch;
