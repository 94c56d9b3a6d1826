//! Tests of the rules: perft, notation, random positions.

mod notation;
mod play;
mod reference;
