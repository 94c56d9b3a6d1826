//! The searches on games whose values are known by brute force.

mod boards;
mod checker;
mod graph;
mod mini;
mod plain;
mod replay;
mod stopping;
