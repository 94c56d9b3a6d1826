//! The rules of Pente: points, positions, moves, captures, outcomes, the rule options, and the
//! notation.
//!
//! This code favors clarity over speed. Searches and tables use faster code of their own, and tests
//! compare that code with this module.
//!
//! | file | what it represents |
//! |---|---|
//! | `points` | points of the board, and sets of points |
//! | `options` | [`Rules`]: the rule options, with their text |
//! | `lines` | directions, runs of stones and winning lines |
//! | `position` | [`Position`], checks of its counts, and the outcome of a game |
//! | `moves` | legal moves, captures and their results; perft |
//! | `symmetry` | the rotations and reflections of the board |
//! | [`random`] | random positions, reproducible from a seed on every machine |
//! | `notation` | the text of positions and moves, and diagrams |

pub(crate) mod lines;
mod moves;
mod notation;
mod options;
mod points;
mod position;
pub mod random;
mod symmetry;

#[cfg(test)]
mod tests;

pub use moves::MoveResult;
#[cfg(feature = "tables")]
pub(crate) use options::{CAPTURES, OPENINGS, OVERLINES};
pub use options::{Capture, MAX_SIDE, MAX_WIN, Opening, Overline, RuleOptions, Rules};
pub use pentago_base::{Color, MAX_TEXT, Outcome, ParseError, RandomError, Refusal};
pub use points::{MAX_POINTS, Point, PointSet};
pub use position::Position;
pub use symmetry::Symmetry;
