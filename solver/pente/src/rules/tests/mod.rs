//! Tests of the rules: the cases of the rule sheets, perft, notation, records, random positions.

mod cases;
mod notation;
mod play;
mod reference;
