//! The text of positions, moves and games, and diagrams.

mod moves;
mod position;
