//! The index of a board: among the boards below one root ([`rooted`]), or in a section of the whole
//! game ([`sections`]).

pub mod rooted;
pub mod sections;

pub(crate) use rooted::Layout;
pub use rooted::{BelowRoot, Frame, Root, Ternary};
pub use sections::section::EDGE;
pub use sections::{Address, Pattern, Patterns, Section, Sections};
