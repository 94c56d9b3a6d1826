//! The text of positions, moves and games, and diagrams.

mod game;
mod moves;
mod position;

pub use game::Game;
