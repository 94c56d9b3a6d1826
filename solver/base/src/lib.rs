//! What every crate needs once.
//!
//! | what | for |
//! |---|---|
//! | [`Control`], [`Stage`] | watching and stopping a computation from another thread |
//! | [`Question`] | what is asked about a position, within which limits |
//! | [`Budget`] | the moves that a search may make |
//! | [`Stopped`] | the error of whatever ended before it was complete |
//! | [`Clock`] | the time, where the platform or the caller has a clock |
//! | [`ParseError`], [`words`], [`Scan`] | texts, and errors with their places |
//! | [`Rows`], [`write_rows`] | boards as text |
//! | [`RulesText`], [`rules_text`] | rules as text: a name and options |
//! | [`Color`], [`Outcome`], [`Value`], [`Wdl`] | X and O, how their games end, what positions are worth |
//! | [`Random`], [`Draws`] | random positions, the same from the same seed |
//! | [`binomial`], [`bits()`] | sets as words |
//! | [`Grid`], [`BlockId`] | boxes of values in blocks |
//! | [`Kernel`] | instruction sets that the processor has, and the one that is used |
//! | [`lock`], [`try_lock`], [`into_inner`] | mutexes, also after a panic |
#![forbid(unsafe_code)]

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
pub use rows::{Rows, Word, words, write_rows};
pub use scan::Scan;
pub use text::{MAX_TEXT, ParseError, counted, counted_plies, quoted, thousands, visible};
pub use value::{Outcome, Value, Wdl};
