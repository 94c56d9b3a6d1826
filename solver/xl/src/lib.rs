//! Pentago XL: rules, notation and exact values of positions, for two to four seats.
//!
//! The board has 9x9 sockets in nine blocks. The centre block never turns. A move places a marble
//! and turns one of the other blocks by 90 degrees. Five marbles in a line win. Seats play alone,
//! or two against two.
//!
//! ```
//! use pentago_xl::{Control, Kernel, Limits, Request, Rules, Seat, Solver, Value};
//!
//! let rules: Rules = "xl:seats=4".parse()?;
//! let position = rules.parse_position("BBBB5/9/CCCC5/9/DDDD5/9/9/9/AAAA5 a")?;
//! let played = rules.play(&position, rules.parse_move("e1")?)?;
//! assert_eq!(played.outcome.unwrap().to_string(), "A1 B2 C2 D2");
//!
//! let limits = Limits { table_bytes: 1 << 20, ..Limits::default() };
//! let mut solver = Solver::new(rules, limits, Kernel::best())?;
//! let answer = solver.solve(&position, &Request::default(), &Control::new())?;
//! assert_eq!(answer.of(Seat::A).value(), Some(Value::Win));
//! assert_eq!(answer.engine.name(), "look-ahead");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This table lists the files of the crate. A file uses only files in earlier rows or in its own
//! row.
//!
//! | file | content |
//! |---|---|
//! | [`geometry`] | sockets, blocks, turns, the 140 lines |
//! | `kernel` | the inner loops, compiled for several instruction sets |
//! | `fives` | the test for five in a line |
//! | `seat`, `options`, `outcome`, `position` | seats, rules, outcomes and positions |
//! | `moves`, `pending`, `perft` | legal moves and their uses |
//! | [`symmetry`] | the 8 symmetries of the board, alone and with turns of blocks |
//! | `notation` | the text forms of positions and moves |
//! | `lookahead` | the search for an immediate win |
//! | `random` | random positions |
//! | `walk` | the walk through all play: the points that each seat can force |
//! | `forward`, `within` | forward proofs |
//! | `lemmas` | forward proofs by patterns, for few marbles |
//! | `dense` | the values of all boards below a position, at all their rotations |
//! | `answer`, `solver` | the answer about a position, and the choice of the engine |
//! | [`tables`] | the values of everything below a position, in files |
//!
//! In a free for all, the value of a seat is the result that the seat can force when all others
//! play against it. The value is a *win* if the seat takes first place alone. The value is a *draw*
//! if the seat gets at least half of the best points: it shares first place, or the marbles are
//! used up. Otherwise, the value is a *loss*.
#![deny(unsafe_code)]

mod answer;
mod dense;
mod fives;
mod forward;
pub mod geometry;
mod kernel;
mod lemmas;
mod lookahead;
mod moves;
mod notation;
mod options;
mod outcome;
mod pending;
mod perft;
mod position;
mod random;
mod seat;
mod solver;
pub mod symmetry;
#[cfg(feature = "tables")]
pub mod tables;
#[cfg(test)]
mod tests;
mod walk;
mod within;

pub use answer::{Answer, Bounds, Engine, MoveValue};
pub use dense::{DenseEstimate, dense_estimate};
pub use forward::Duel;
pub use geometry::{Socket, SocketSet, Turn};
pub use lemmas::{LEMMAS_FIRST_LINE, LemmaBook, LemmaJournal, prove_by_lemmas, win_by_lemmas};
pub use moves::{Move, Played};
pub use options::{Mode, Rules};
pub use outcome::{Outcome, Value};
pub use pending::Moment;
pub use pentago_base::{Budget, Control, Kernel, MAX_TEXT, ParseError, RandomError, Refusal, Stopped};
pub use position::Position;
pub use seat::{Seat, Seats};
pub use solver::{Limits, Request, Solver};
pub use within::WinSearch;
