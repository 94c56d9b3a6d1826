//! Exact solutions of Pentago positions.

pub mod block;
pub mod build;
pub mod counts;
pub mod index;
pub mod probe;
pub mod published;
pub mod rules;
pub mod solve;
pub mod supers;
pub mod symmetry;
pub mod table;
