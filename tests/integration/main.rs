//! All integration tests, in one binary: the solver is compared with the slow reference, with
//! published results, and with itself on other kernels and thread counts. Tables are also read by a
//! second decoder.

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
mod refusals;
mod sameness;
mod sections;
mod shards;
mod tables;
mod values;
