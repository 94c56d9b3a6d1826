//! Where it lives: the boards below one root, slice by slice, in memory ([`layout`]) and in tables ([`Root`], [`Ternary`]); and
//! those of the whole game, by [`section`]s.

pub mod layout;
pub mod low;
pub mod patterns;
mod root;
pub mod section;
mod ternary;

pub use layout::{Frame, Layout};
pub use low::{Low, Player};
pub use patterns::{Pattern, Patterns};
pub use root::{BelowRoot, Root};
pub use section::{Address, Section, Sections};
pub use ternary::Ternary;
