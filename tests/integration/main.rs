//! All integration tests in one binary. The tests compare the solver with the slow reference, with
//! published results, and with itself under other kernels and thread counts. A second decoder also
//! reads the tables.

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
