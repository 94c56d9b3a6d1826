//! The boards below one root: their layout in memory, slice by slice (`layout`), and their index
//! in tables ([`Root`], [`Ternary`]).

pub(crate) mod cycles;
pub(crate) mod layout;
pub(crate) mod low;
mod root;
mod ternary;

pub use layout::BoardGroup;
pub use layout::Frame;
pub(crate) use layout::Layout;
pub use root::{BelowRoot, Root};
pub use ternary::Ternary;
