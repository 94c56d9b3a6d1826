//! The text forms of positions and moves, and the diagram of a board.

mod moves;
mod position;
