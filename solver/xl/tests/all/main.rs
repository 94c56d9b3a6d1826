//! Tests of this crate. The slow reference shares no code with the crate and must agree with it.
//! The engines of the crate must agree with each other.

mod certificates;
mod lemmas;
#[path = "../../../../tools/check/tests/all/mutate.rs"]
mod mutate;
mod rules;
mod values;
