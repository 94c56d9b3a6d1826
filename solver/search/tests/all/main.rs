//! The searches on games whose values are known by brute force.

mod boards;
mod graph;
mod mini;
mod pentago_game;
mod replay;
mod stopping;
