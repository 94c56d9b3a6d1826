//! Where it lives: the boards below one root, slice by slice, in memory ([`layout`]) and in tables ([`Ternary`]).

pub mod layout;
pub mod low;
mod ternary;

pub use layout::{Frame, Layout};
pub use low::{Low, Player};
pub use ternary::Ternary;
