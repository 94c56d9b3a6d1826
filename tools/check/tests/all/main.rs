//! The checker: what it refuses to read, its answers.

mod judgement;
mod refusals;
mod sealed;
