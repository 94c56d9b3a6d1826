//! Supers: the truth values of a board at all 256 rotations.
//!
//! A board without regard to rotations is a pair of disjoint sets of sockets. Such a pair stands
//! for 256 boards, one for each element of L = Z4^4, the group of rotations of the four quadrants.
//! A *super* is a function L -> {0, 1}, stored as 256 bits. A *half super* is the restriction of a
//! super to the 128 rotations of one parity. Placing a marble preserves the rotation, and a turn
//! adds 1 or -1 to one coordinate. One step of retrograde analysis therefore applies the *rotation
//! max* to the union of the children (Irving 2014, "Pentago is a first player win",
//! arXiv:1404.0743):
//!
//! ```text
//! rmax(f)(r) = OR over the turns t of f(r + t)
//! ```

mod full;
pub mod half;
pub mod win_masks;

pub use full::Super;
pub use half::Half;
pub use win_masks::WinMasks;
