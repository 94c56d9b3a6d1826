//! The index of boards in the whole game: sections, and the patterns of one quadrant along each
//! axis of the array of a section.

pub mod patterns;
pub mod section;

pub use patterns::{Pattern, Patterns};
pub use section::{Address, Section, Sections};
