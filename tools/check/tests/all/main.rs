//! Tests of the checker: the inputs that it refuses, and the answers that it gives.

mod judgement;
mod refusals;
mod sealed;
