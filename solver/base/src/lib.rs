//! The basic types and functions that all crates share.
//!
//! | items | purpose |
//! |---|---|
//! | [`Control`], [`Stage`] | watching and cancelling a computation from another thread |
//! | [`Question`] | the question about a position, with the limits of the search |
//! | [`Budget`] | a limit on the number of moves that a search makes |
//! | [`Stopped`] | the error of a computation that ended early |
//! | [`Clock`] | time measurement, on platforms with or without a clock |
//! | [`ParseError`], [`words`], [`Scan`] | parsing, and errors that mark a range of the text |
//! | [`Refusal`] | the reason why rules, a position or a move is refused |
//! | [`Rows`], [`write_rows`] | the notation of boards |
//! | [`RulesText`], [`rules_text`] | the notation of rules: a name and options |
//! | [`Color`], [`Outcome`], [`Value`], [`Wdl`] | players, outcomes of games, values of positions |
//! | [`Random`], [`Draws`] | reproducible random numbers and positions |
//! | [`binomial`], [`bits()`] | numbers of subsets, and the indices of set bits |
//! | [`Grid`], [`BlockId`] | the division of arrays into blocks |
//! | [`Kernel`] | one of the instruction sets that the CPU supports |
//! | [`lock`], [`try_lock`], [`into_inner`] | mutexes that remain usable after a panic |
//! | [`ALONE`] | whether the target has no threads |
#![forbid(unsafe_code)]

/// `true` on targets without threads. The solvers then call no function of rayon, so the compiler
/// leaves its code out of the page's module.
pub const ALONE: bool = cfg!(target_family = "wasm");

mod bits;
mod budget;
mod clock;
mod color;
mod control;
mod grid;
mod kernel;
mod lock;
mod options;
mod question;
mod random;
mod refusal;
mod rows;
mod scan;
mod text;
mod value;

pub use bits::{GOLDEN, binomial, bits, mix};
pub use budget::Budget;
pub use clock::Clock;
pub use color::Color;
pub use control::{Control, Estimate, Stage, Stopped};
pub use grid::{BlockId, Grid};
pub use kernel::{Graphics, InstructionSet, KERNEL_VARIABLE, Kernel, UnknownKernel};
pub use lock::{into_inner, lock, try_lock};
pub use options::{RuleOption, RulesText, rules_text, unless_first};
pub use question::Question;
pub use random::{Draws, Random, RandomError};
pub use refusal::Refusal;
pub use rows::{Rows, Word, words, write_rows};
pub use scan::Scan;
pub use text::{
    BYTE_ORDER_MARK, MAX_TEXT, ParseError, counted, counted_plies, quoted, quoted_path, shown_path,
    thousands, visible,
};
pub use value::{Outcome, Value, Wdl};
