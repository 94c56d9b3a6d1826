//! 256 values at once.
//!
//! Fix the sockets of a root and forget rotations: a board is a pair of disjoint sets of sockets together with
//! all of L = Z4^4, the 256 ways to have turned its four quadrants. A *super* is a function L -> {0, 1}, kept as a
//! set of 256 bits; a *half super* is its restriction to the 128 rotations of one parity. Placing a marble keeps
//! the rotation, a turn adds +-1 to one coordinate, so a step back is
//!
//! ```text
//! rmax(f)(r) = OR over the turns t of f(r + t)
//! ```
//!
//! applied to the union of the children (Irving 2014, "Pentago is a first player win", arXiv:1404.0743).

mod full;
pub mod half;
pub mod win_masks;

pub use full::Super;
pub use half::Half;
pub use win_masks::WinMasks;
