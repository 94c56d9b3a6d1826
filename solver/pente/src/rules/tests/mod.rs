//! Tests of the rules: notation, play, and a comparison with the slow reference.

mod notation;
mod play;
mod reference;
