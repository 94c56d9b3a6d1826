//! Checks certificates: does the attacker, with the moves of the certificate, reach his goal
//! against every defence?
//!
//! This shares no code with the programs that write certificates. It knows the rules of the three
//! games in their plainest form, and the format (`certificate-format.md`).
//!
//! | module | what it holds |
//! |---|---|
//! | `rules` | what a game is: positions, moves, and who has which place at the end |
//! | `blocks` | Pentago, Mini-Pentago and Pentago XL |
//! | `pente` | Pente |
//! | `certificate` | reading a certificate |
//! | `walk` | playing every reply |
//! | `command` | the program: its argument, what it prints, its exit status |
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
