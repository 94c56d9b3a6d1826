//! Exact solutions of Pentago positions.

pub mod answer;
pub mod codec;
pub mod index;
pub mod kernel;
pub mod pipeline;
pub mod probe;
pub mod published;
pub mod rules;
pub mod solve;
pub mod supers;
pub mod symmetry;
pub mod tables;
pub mod values;
pub mod verify;

mod error;

pub use error::{Error, ErrorKind};
pub use rules::{ParseError, Position};
