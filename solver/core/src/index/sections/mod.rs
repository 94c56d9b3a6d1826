//! The index of a board in the whole game: the sections (`section`), and the patterns of one
//! quadrant that lie along an axis of a section's array (`patterns`).

pub mod patterns;
pub mod section;

pub use patterns::{Pattern, Patterns};
pub use section::{Address, Section, Sections};
