//! Checks certificates of forced wins: the moves of a certificate must reach the attacker's goal
//! against every defence.
//!
//! This crate shares no code with the programs that write certificates. It implements the rules of
//! the three games in their plainest form, and the format `certificate-format.md`.
//!
//! | module | content |
//! |---|---|
//! | `rules` | the interface to a game: positions, moves, and the places of the seats at the end |
//! | `blocks` | the rules of Pentago, Mini-Pentago and Pentago XL |
//! | `pente` | the rules of Pente |
//! | `certificate` | the parser of certificates, and the check of their claims |
//! | `failure` | the error of a failed check |
//! | `walk` | the walk that plays every reply |
//! | `command` | the program: its argument, its output and its exit status |
#![forbid(unsafe_code)]

pub mod blocks;
mod certificate;
pub mod command;
mod failure;
pub mod pente;
pub mod rules;
mod walk;

pub use certificate::{Proved, check};
pub use failure::Failure;
