//! Tests of the checker: its refusals and its answers.

mod judgement;
mod refusals;
mod sealed;
