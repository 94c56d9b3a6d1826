//! Tests of the crate against the slow reference, which shares no code with it, and of its engines
//! against each other.

mod certificates;
#[path = "../../../../tools/check/tests/all/mutate.rs"]
mod mutate;
mod rules;
mod values;
