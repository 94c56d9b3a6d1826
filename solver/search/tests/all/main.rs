//! Tests of the searches with games whose values brute force can compute.

mod checker;
mod graph;
mod mini;
mod replay;
mod stopping;
