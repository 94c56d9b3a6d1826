//! Everything that is written and read: positions in their several forms, and moves.
//!
//! There is one canonical text of a position and of a move, and only that is written; other forms
//! are read. No text makes the readers panic: what cannot be read gives a [`ParseError`] that
//! points at the place.

mod forms;
mod moves;
mod position;
