//! Supers: 256 truth values at once.
//!
//! Fix the empty sockets of a root and disregard rotations: a board is then a pair of disjoint sets
//! of sockets, together with all of L = Z4^4, the 256 rotations of its four quadrants. A *super* is
//! a function L -> {0, 1}, stored as 256 bits. A *half super* is its restriction to the 128
//! rotations of one parity. Placing a marble preserves the rotation, and a turn adds +-1 to one
//! coordinate. So one step of retrograde analysis is
//!
//! ```text
//! rmax(f)(r) = OR over the turns t of f(r + t)
//! ```
//!
//! applied to the union of the children (Irving 2014, "Pentago is a first player win",
//! arXiv:1404.0743).

mod full;
pub mod half;
pub mod win_masks;

pub use full::Super;
pub use half::Half;
pub use win_masks::WinMasks;
