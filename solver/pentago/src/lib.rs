//! Exact solutions of Pentago positions.

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

pub use rules::{ParseError, Position};
