//! Exact solutions of Pentago positions.

#![deny(clippy::undocumented_unsafe_blocks, unsafe_op_in_unsafe_fn)]

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
mod threads;
pub mod values;
pub mod verify;

mod error;

pub use error::{Error, ErrorKind};
pub use rules::{ParseError, Position};
