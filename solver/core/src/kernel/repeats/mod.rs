//! What takes the time in the codec of temporary files (`codec::repeats`): half supers that have
//! occurred before are found and repeated, and the others become differences to similar ones.

mod differences;
mod occurrences;

pub use differences::{Differences, add};
pub use occurrences::{find, repeat};

/// In a list of distances: no distance, but a new half super.
pub const LITERAL: u8 = 0;
/// In a list of distances: one that takes two bytes.
pub const FAR: u8 = 255;
