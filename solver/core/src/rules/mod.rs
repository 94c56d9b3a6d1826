//! The game: sockets, lines, positions, moves, outcomes, rule options, and notation.
//!
//! A board is two sets of sockets, one for each colour. A set is a `u64` with one lane of 16 bits
//! for each quadrant: socket `16 * quadrant + cell` is bit `16 * quadrant + cell`. Turning a
//! quadrant therefore replaces one lane by its image in a small table. A line is a set, too: a
//! colour holds the line if `set & line == line`.
//!
//! All differences between the rule sheets are fields of [`Rules`]. All other types are plain data
//! with the same meaning under any rules.
//!
//! ```
//! use pentago_core::rules::{Color, Outcome, Rules};
//!
//! let rules: Rules = "pentago:dir=cw".parse()?;
//! let position = rules.parse_position("OO1OO1/6/6/6/6/XXX2X x")?;
//! let played = rules.play(&position, rules.parse_move("f2/4+")?)?;
//! assert_eq!(rules.format_position(&played.position), "OO1OO1/6/6/6/6/XXXXX1 o");
//! assert_eq!(played.outcome, Some(Outcome::Win(Color::X)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each file uses only the files listed above it in this table:
//!
//! | file | what it represents |
//! |---|---|
//! | `pattern` | the marbles of one quadrant, and their images under rotation and reflection |
//! | `lines` | the sets of sockets that win |
//! | `sockets` | sockets |
//! | `shape` | the board of a game: its sockets and quadrants, 6x6 or 4x4 |
//! | `options` | [`Rules`]: the shape, the options and the presets, with their text |
//! | `position` | [`Board`] and [`Position`] |
//! | `cells` | boards as numbers, row by row |
//! | `outcome` | the end of a game, and its winner |
//! | `moves` | legal moves, and playing them |
//! | `perft` | the number of games of each length, the standard test of a move generator |
//! | [`random`] | random positions, reproducible from a seed |
//! | `notation` | the text of positions and moves, and diagrams |

mod cells;
mod lines;
mod moves;
mod notation;
mod options;
mod outcome;
mod pattern;
mod perft;
mod position;
pub mod random;
mod shape;
mod sockets;

#[cfg(test)]
pub mod tests;

pub use moves::{IllegalMove, Move, Played, TurnPart};
pub use options::{Both, DONT_FIT, Dir, Last, Place, Reply, Rules, Skip};
pub use pentago_base::{Color, MAX_TEXT, Outcome, ParseError, RandomError};
pub use position::{Board, Impossible, Position};
pub use shape::{Shape, Turn};
pub use sockets::Socket;
