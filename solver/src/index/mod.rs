//! Where it lives: the boards below one root, slice by slice, in memory.

pub mod layout;
pub mod low;

pub use layout::{Frame, Layout};
pub use low::{Low, Player};
