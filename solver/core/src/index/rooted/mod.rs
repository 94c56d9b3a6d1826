//! The boards below one root: their layout in memory, slice by slice ([`layout`]), and their index
//! in tables ([`Root`], [`Ternary`]).

pub mod cycles;
pub mod layout;
pub mod low;
mod root;
mod ternary;

pub use layout::{Frame, Layout};
pub use low::{Low, Player};
pub use root::{BelowRoot, Root};
pub use ternary::Ternary;
