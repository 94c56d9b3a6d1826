//! Pentago XL, as slow and plain as the rest of this crate: a literal grid of 9x9, two to four
//! seats.

mod game;
mod values;

pub use game::{XlAfter, XlOptions, XlState};
pub use values::{Points, XlSolver};
