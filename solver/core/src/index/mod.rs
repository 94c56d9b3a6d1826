//! The index of a board: below one root ([`rooted`]), or in a section of the whole game
//! ([`sections`]).

pub mod rooted;
pub mod sections;

pub use rooted::{BelowRoot, Root, Ternary};
pub(crate) use rooted::{Frame, Layout};
pub use sections::section::EDGE;
pub use sections::{Address, Pattern, Patterns, Section, Sections};
