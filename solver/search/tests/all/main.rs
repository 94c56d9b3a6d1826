//! The searches on games whose values are known by brute force.

mod checker;
mod graph;
mod mini;
mod replay;
mod stopping;
