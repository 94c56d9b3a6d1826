//! Where it lives: the boards below one root, slice by slice, in memory ([`layout`]) and in tables ([`Ternary`]); and
//! those of the whole game, by sections.

pub mod layout;
pub mod low;
pub mod patterns;
pub mod section;
mod ternary;

pub use layout::{Frame, Layout};
pub use low::{Low, Player};
pub use patterns::{Pattern, Patterns};
pub use section::{Address, Section, Sections};
pub use ternary::Ternary;
