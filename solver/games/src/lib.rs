//! What a front end needs of a game, said once: the trait [`Game`], which Pentago (with
//! Mini-Pentago), Pentago XL and Pente implement alike.
//!
//! A front end reads rules and gets a game; it never asks which one it is.
//!
//! ```
//! use pentago_games::{Question, read_rules};
//! use std::time::Duration;
//!
//! let game = read_rules("pente:n=5,k=4,opening=free")?;
//! let position = game.read("5/1O3/1OX2/2XO1/4X x")?;
//! let control = pentago::Control::new();
//! let question = Question::new(Duration::from_secs(10), 100_000_000, &control);
//! let answer = game.answer(&position, &question)?;
//! assert_eq!((answer.value.name(), answer.best.as_slice()), ("win", &["C4".to_owned()][..]));
//! let next = game.play(&position, &answer.best[0])?;
//! assert_eq!(next.text, "5/1OX2/1OX2/2XO1/4X o");
//! # Ok::<(), pentago::Error>(())
//! ```
//!
//! | file | what it represents |
//! |---|---|
//! | [`Game`] | the trait, and what its methods speak of: positions, questions, moves |
//! | [`Answer`] | what is known about a position, as JSON |
//! | [`Board`] | the board as data, from which a program can draw any of the games |
//! | [`Kind`] | a game without its rules: its name, its presets, its options; [`KINDS`] lists them |
//! | [`Tables`] | the tables of a folder, of all games |
//! | [`Device`] | a graphics processor outside of the process, and what it is to do |
//! | [`Record`] | a game from its start to the current position, and its text |
//! | [`Review`] | a game that was played, judged move by move |
//! | `cells` | boards as numbers |
//! | `plain` | what the methods do that a game leaves out, by its moves alone |
//! | `pentago`, `xl`, `pente` | the games |
#![forbid(unsafe_code)]

mod answer;
mod board;
#[cfg(feature = "build")]
mod build;
mod cells;
mod game;
mod kind;
mod pentago;
mod pente;
mod plain;
mod record;
mod review;
#[cfg(feature = "tables")]
mod tables;
mod xl;

pub use ::pentago::ask::NotEnoughMemory;
pub use ::pentago_core::solve::ProofCache as Kept;
pub use ::pentago_core::solve::rooted::gpu::Outside;
pub use answer::{Answer, Found, Full, MoveAnswer, Proved, Source};
pub use board::{Block, Board, SeatOf};
#[cfg(feature = "build")]
pub use build::{Build, Built, Estimate, Machine, Order, Rates, SlicePlan, TooLittleMemory, Wanted};
pub use game::{Draw, Drawn, Ending, Game, Orbit, Position, Question, Thought};
pub use kind::{Choice, KINDS, Kind, Meaning, Preset, Sheet, read_rules, read_rules_of};
pub use pentago::{Device, Task};
pub use plain::Plain;
pub use record::{Format, MAX_RECORD, Note, Record};
pub use review::{Mark, Review, Reviewed, Summary};
#[cfg(feature = "tables")]
pub use tables::{Compared, KnownCounts, Opened, Sample, Set, TableInfo, Tables};
#[cfg(feature = "tables")]
pub use {::pentago::make::Resources, pentago_store::Access, pentago_store::VerifyError};

use ::pentago::{Error, ErrorKind};

/// What a method gives: an error has a stable kind.
pub type Result<T> = std::result::Result<T, Error>;

/// Input that makes no sense, with what to do about it.
fn bad_input(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Input, text.into())
}

/// What is asked for isn't there.
fn missing(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Missing, text.into())
}

#[cfg(test)]
mod tests;
