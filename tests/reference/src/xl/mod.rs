//! A slow reference for Pentago XL, with a plain grid of 9x9 sockets and two to four seats.

mod game;
mod values;

pub use game::{XlAfter, XlOptions, XlState};
pub use values::{Points, XlSolver};
