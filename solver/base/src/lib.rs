//! What every crate needs once.
//!
//! | what | for |
//! |---|---|
//! | [`Control`], [`Stage`] | watching and stopping a computation from another thread |
//! | [`Budget`] | the moves that a search may make |
//! | [`Stopped`] | the error of whatever ended before it was complete |
//! | [`Clock`] | the time, where the platform or the caller has a clock |
//! | [`ParseError`], [`read_rows`], [`write_rows`], [`words`] | texts, and errors with their places |
//! | [`binomial`], [`bits()`] | sets as words |
//! | [`Kernel`] | instruction sets that the processor has, and the one that is used |
//! | [`lock`], [`into_inner`] | mutexes, also after a panic |
#![forbid(unsafe_code)]

mod bits;
mod budget;
mod clock;
mod control;
mod kernel;
mod lock;
mod rows;
mod text;

pub use bits::{binomial, bits};
pub use budget::Budget;
pub use clock::Clock;
pub use control::{Control, Estimate, Stage, Stopped};
pub use kernel::{InstructionSet, KERNEL_VARIABLE, Kernel, UnknownKernel};
pub use lock::{into_inner, lock};
pub use rows::{Word, read_rows, words, write_rows};
pub use text::{MAX_TEXT, ParseError, counted, quoted};
