//! All games behind one trait: [`Game`], which Pentago (with Mini-Pentago), Pentago XL and Pente
//! implement alike.
//!
//! A front end parses rules, receives a [`Game`], and needs no code for any particular game.
//!
//! ```
//! use pentago::{Control, Question};
//! use pentago_games::{SearchContext, read_rules};
//! use std::time::Duration;
//!
//! let game = read_rules("pente:n=5,k=4,opening=free")?;
//! let position = game.read("5/1O3/1OX2/2XO1/4X x")?;
//! let question = Question { time: Some(Duration::from_secs(10)), ..Question::default() };
//! let control = Control::new();
//! let answer = game.answer(&position, &question, &SearchContext::new(100_000_000, &control))?;
//! assert_eq!((answer.value.name(), answer.best.as_slice()), ("win", &["C4".to_owned()][..]));
//! let next = game.play(&position, &answer.best[0])?;
//! assert_eq!(next.text, "5/1OX2/1OX2/2XO1/4X o");
//! # Ok::<(), pentago::Error>(())
//! ```
//!
//! | item | content |
//! |---|---|
//! | [`Game`], [`Kind`] | a game with its rules, and its kind; [`KINDS`] lists all kinds |
//! | [`Position`] | a parsed position |
//! | [`Question`], [`SearchContext`] | a question about a position, and resources for the answer |
//! | [`Answer`] | the values of a position, as JSON |
//! | [`Board`] | the board as data, from which a program can draw any of the games |
//! | [`Preset`], [`Choice`], [`Sheet`] | named rule sets, rule options, and their lists |
//! | [`Tablebase`] | the tables of all games in a folder |
//! | [`Device`] | a GPU outside of the process, and its work |
//! | [`Record`] | a game from its start to the current position, and its text |
//! | [`Review`] | a finished game, judged move by move |
//! | `cells` | boards as arrays of numbers |
//! | `search` | certificates by forward search |
//! | `pentago`, `xl`, `pente` | the games |
#![forbid(unsafe_code)]
// Without the feature, the functions that only builds, proofs and verification call are unused.
#![cfg_attr(not(feature = "build"), allow(dead_code, unused_imports))]

mod answer;
mod board;
#[cfg(feature = "build")]
mod build;
mod cells;
mod context;
mod error;
mod game;
mod kinds;
mod options;
mod pentago;
mod pente;
mod position;
mod record;
mod review;
mod search;
mod tables;
mod xl;

pub use ::pentago::{NotEnoughMemory, Question};
pub use ::pentago_core::solve::rooted::gpu::Outside;
pub use ::pentago_core::solve::{ProofCache, SolveError};
pub use answer::{Answer, Evidence, MoveAnswer, Proved};
pub use board::{Block, Board, SeatOf};
#[cfg(feature = "build")]
pub use build::{Build, Order, Rates, Scope};
pub use context::SearchContext;
pub use error::Result;
pub use game::{Draw, Drawn, Game, Kind, Orbit, Thought, searched_answer, think_by_answer, wins_at_once};
pub use kinds::{Sheet, read_rules_of};
pub use options::{Choice, Meaning, Preset};
pub use pentago::take_openings;
pub use pentago::{Device, Task};
pub use position::{Ending, Position};
pub use record::{FORMATS, Format, MAX_RECORD, Note, Record};
pub use review::{Mark, Review, Reviewed, Summary};
pub use tables::{Compared, GameTables, KnownCounts, Sample, TableInfo, Tablebase, TargetTables};
pub use xl::open_certificate;
pub use {::pentago::make::Resources, pentago_store::VerifyError};

use std::sync::Arc;

/// The kinds of all games of this crate.
pub static KINDS: &[&Kind] = &[&pentago::KIND, &xl::KIND, &pente::KIND];

/// Parses the rules of any game of this crate.
///
/// # Errors
/// [`Input`](::pentago::ErrorKind::Input) if the text doesn't describe rules of these games.
pub fn read_rules(text: &str) -> Result<Arc<dyn Game>> {
    read_rules_of(KINDS, text)
}

#[cfg(test)]
mod tests;
