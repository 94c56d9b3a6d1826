//! One binary for all integration tests: the solver against the slow reference, against the
//! published facts, and against itself with other kernels and threads; the tables against a second
//! reader of their format.

mod canonical;
mod cases;
mod closures;
mod common;
mod counts;
mod distances;
mod imported;
mod leaf;
mod open_bits;
mod probing;
mod published;
mod refusals;
mod sameness;
mod sections;
mod shards;
mod tables;
mod values;
