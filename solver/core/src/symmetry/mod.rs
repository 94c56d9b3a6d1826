//! Symmetries: the 8 symmetries of the board, the rotations of its quadrants, and the group of
//! 2,048 that both generate.
//!
//! ```text
//! G = Z4^4 x| D4
//! (l, g):  first g acts on the board, then quadrant q makes l_q clockwise quarter turns
//! (l, g) after (l', g')  =  (l + g.l', g g')
//! (g.l')_q               =  +-l'_(g^-1 q), minus if g is a reflection
//! ```
//!
//! The 8 symmetries of the board preserve lines, and therefore the value of a position. With
//! `dir=cw`, reflections don't preserve values, because they make clockwise turns counterclockwise.
//! Only the 4 rotations of the board preserve values. A rotation of a single quadrant breaks lines,
//! so the group of 2,048 doesn't preserve values. The group preserves the *set* of the 256 boards
//! that differ by rotations of quadrants. The same group acts on 4x4 boards with 2x2 quadrants.
//!
//! | file | what it represents |
//! |---|---|
//! | `element` | one element of the group: compose, invert, apply |
//! | `rotation` | the rotations of the four quadrants |
//! | `group` | the groups of 4, 8, 1,024 and 2,048: canonical form, orbits and stabilisers |

mod element;
mod group;
mod rotation;

#[cfg(test)]
mod tests;

pub use element::Element;
pub use group::Group;
pub use rotation::{Rotation, parity, turned};
