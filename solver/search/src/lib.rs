//! Forward proofs for two-sided games without cycles, shared by all games of the project.
//!
//! A game implements [`Game`] and can then use:
//!
//! | question | search |
//! |---|---|
//! | Can a side force a goal? Searches few positions, to any depth. | [`ProofNumbers`] |
//! | Within how many plies? Searches every move and every reply. | [`Deepening`] |
//! | Is the position won, drawn or lost, and in how many plies? | [`value`] |
//! | What is a proof that a separate program can check? | [`prove`], [`certify`] |
//!
//! Only the full-width search can state that there is no forced win within n plies. All searches
//! are limited by a [`Budget`] and keep their results in a [`Table`] of fixed size. No search reads
//! a clock or allocates memory per position.
//!
//! The example is the smallest game: each player takes one or two stones from a heap, and the
//! player who takes the last stone wins.
//!
//! ```
//! use pentago_search::{Budget, Game, Goal, Outcome, ProofNumbers, Side, Table, Verdict};
//! use pentago_search::{Deepening, Distance};
//!
//! struct Heap { stones: u32, side: Side }
//!
//! impl Game for Heap {
//!     type Move = u32;
//!     type Undo = ();
//!
//!     fn side(&self) -> Side { self.side }
//!     fn outcome(&self) -> Option<Outcome> {
//!         (self.stones == 0).then_some(Outcome::Win(self.side.other()))
//!     }
//!     fn plies_left(&self) -> u32 { self.stones }
//!     fn moves(&mut self, out: &mut Vec<u32>) { self.all_moves(out) }
//!     fn all_moves(&mut self, out: &mut Vec<u32>) { out.extend(1..=self.stones.min(2)) }
//!     fn make(&mut self, taken: u32) {
//!         self.stones -= taken;
//!         self.side = self.side.other();
//!     }
//!     fn unmake(&mut self, taken: u32, (): ()) {
//!         self.stones += taken;
//!         self.side = self.side.other();
//!     }
//!     fn winning_move(&mut self) -> Option<u32> { (self.stones <= 2).then_some(self.stones) }
//!     fn key(&self) -> u128 {
//!         u128::from(self.stones) << 1 | u128::from(self.side == Side::First)
//!     }
//! }
//!
//! let mut table = Table::new(1 << 16)?;
//! let goal = Goal::win(Side::First);
//! let mut lost = Heap { stones: 9, side: Side::First };
//! let verdict = ProofNumbers::new(&mut table, goal).solve(&mut lost, &mut Budget::nodes(1000))?;
//! assert_eq!(verdict, Verdict::Refuted);
//! let mut won = Heap { stones: 10, side: Side::First };
//! let distance = Deepening::new(&mut table, goal).shortest(&mut won, 9, &mut Budget::nodes(1000));
//! assert_eq!(distance, Distance::Exactly(7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod certificate;
mod deepening;
mod game;
mod proof_numbers;
mod table;
mod tag_set;
mod value;

pub use certificate::{Certificate, Method, NoCertificate, certify, prove, sealed};
pub use deepening::{Deepening, Distance};
pub use game::{Game, Goal, Notation, Outcome, Side};
pub use pentago_base::{Budget, Stopped};
pub use proof_numbers::{ProofNumbers, Verdict};
pub use table::{Table, TableTooLarge};
pub use value::{Value, value};
