//! The game: points, positions, moves, captures, how a game ends, the rule options, and the
//! notation of it all. Written to be read: the fast states of the searches and tables are
//! elsewhere, and are tested against this.
//!
//! | file | what it represents |
//! |---|---|
//! | `points` | points of the board, and sets of them |
//! | `options` | [`Rules`]: the options, with their text |
//! | `position` | [`Position`], whether games lead to it, and whether the game is over |
//! | `lines` | directions, runs of stones and winning lines |
//! | `moves` | which moves are legal, and what they lead to; perft |
//! | `symmetry` | the rotations and reflections of the board |
//! | [`random`] | random positions, the same from the same seed everywhere |
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

pub use moves::{IllegalMove, MoveResult};
pub use options::{BadRules, Capture, MAX_SIDE, MAX_WIN, Opening, Overline, RuleOptions, Rules};
pub(crate) use options::{CAPTURES, OPENINGS, OVERLINES};
pub use pentago_base::{Color, MAX_TEXT, Outcome, ParseError, RandomError};
pub use points::{MAX_POINTS, Point, PointSet};
pub use position::{ImpossiblePosition, Position};
pub use symmetry::Symmetry;
