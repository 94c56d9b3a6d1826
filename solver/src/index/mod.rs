//! Where it lives: the boards below one root, slice by slice, in memory (`layout`, `low`) and in tables (`below`).

pub mod below;
pub mod layout;
pub mod low;

pub use below::Below;
pub use layout::{Frame, Layout};
pub use low::{Low, Player};
