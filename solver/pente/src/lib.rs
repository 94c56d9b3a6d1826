//! Pente: the rules with all their options, notation, forced wins by proof, and exact values of
//! small boards.
//!
//! ```
//! use pentago_pente::{Limits, Rules, Solver, Value};
//!
//! let rules: Rules = "pente:n=5,k=4,opening=free".parse()?;
//! let position = rules.parse_position("5/1O3/1OX2/2XO1/4X x")?;
//! let mut solver = Solver::new(&rules, 1 << 24)?;
//! let answer = solver.solve(&position, Limits::default());
//! assert_eq!(answer.value, Value::Win);
//! for best in answer.best_moves() {
//!     println!("{} wins and captures {}", rules.format_move(best.m), best.captures);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`rules`] | points, positions, moves, options, notation, random positions |
//! | `board` | the search board, whose counters change with each stone |
//! | `game` | [`PenteGame`]: the search board for the searches of `pentago-search` |
//! | [`forced`] | forced wins within a number of plies, by threats or by all moves, with proofs |
//! | [`table`] | small boards by retrograde analysis, in slices with two bits per position |
//! | `blocking` | proofs that a player can't complete a line, without captures |
//! | [`solve`] | one entry point for all boards: [`Solver::solve`] |
//! | [`tables`] | tables of small boards in files |
//!
//! Each module uses only the modules listed above it. A value is for the side to move, and comes
//! from a proof. On boards that are too large for a proof the value is [`Value::Unknown`], and
//! [`Answer::proved`] lists the searches that were complete.
#![forbid(unsafe_code)]

mod blocking;
mod board;
pub mod forced;
mod game;
pub mod rules;
pub mod solve;
pub mod table;
#[cfg(feature = "tables")]
pub mod tables;

pub use board::TakenStones;
pub use game::{PenteGame, side};
pub use pentago_base::{Budget, Control, Stopped, Value, Wdl};
pub use rules::{Color, Outcome, Point, Position, Rules};
pub use solve::{Answer, Engine, Limits, Solver};
