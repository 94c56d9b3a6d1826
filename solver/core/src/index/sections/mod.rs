//! The index of boards in the complete game: sections, and the patterns of a quadrant along each
//! axis of their arrays.

pub mod patterns;
pub mod section;

pub use patterns::{Pattern, Patterns};
pub use section::{Address, Section, Sections};
