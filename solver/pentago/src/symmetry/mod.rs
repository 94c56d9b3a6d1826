//! What is the same: the 8 symmetries of the whole board, the quarter turns of its quadrants, and the
//! group of 2,048 that both generate.
//!
//! ```text
//! G = Z4^4 x| D4
//! (l, g):  first the whole board by g, then quadrant q by l_q quarter turns clockwise
//! (l, g) after (l', g')  =  (l + g.l', g g')
//! (g.l')_q               =  +-l'_(g^-1 q), minus if g is a mirror image
//! ```
//!
//! The 8 symmetries of the whole board keep lines, and so keep the value of a position; with
//! `dir=cw` the mirror images do not, as they make a clockwise turn a counter-clockwise one, and
//! only the 4 quarter turns are left. A turn of one quadrant breaks lines: the group of 2,048 keeps no
//! values, it keeps the *set* of the 256 boards that the turns of the quadrants make of one board. The
//! same group acts on 4x4 boards of 2x2 quadrants.
//!
//! | file | what it represents |
//! |---|---|
//! | `element` | one element of the group: compose, invert, apply |
//! | `rotation` | the turns of the four quadrants alone |
//! | `group` | the groups of 4, 8, 1,024 and 2,048: canonical form, orbits and stabilisers |

mod element;
mod group;
mod rotation;

#[cfg(test)]
mod tests;

pub use element::Element;
pub use group::{Canonical, Group};
pub use rotation::{Rotation, parity, turned};
