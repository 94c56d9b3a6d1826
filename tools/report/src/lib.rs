//! What the command line and the server say alike, so that each thing is said in one place.
//!
//! | file | what it represents |
//! |---|---|
//! | [`pentago`] | the answer for a position as a JSON object |
//! | [`presets`] | the rule sets with a name, each with a title and a sentence |
//! | [`boards`] | the board of a game as data: rows, columns, blocks, seats |
#![forbid(unsafe_code)]

pub mod boards;
pub mod pentago;
pub mod presets;

pub use self::pentago::Report;
