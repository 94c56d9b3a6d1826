//! Tests of the searches, on games whose values brute force can compute.

mod boards;
mod checker;
mod graph;
mod mini;
mod plain;
mod replay;
mod stopping;
