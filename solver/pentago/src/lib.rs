//! Exact solutions of Pentago positions.
//!
//! Features, all on by default:
//!
//! | feature | what for |
//! |---|---|
//! | `parallel` | threads, those of the current rayon pool |
//! | `tables` | tables on the disk: files, memory maps, zstd; needs `parallel` |
//! | `import` | the published files, as tables |
//!
//! Without them rules, symmetries and the solvers are there, in one thread, with the kernels of the processor. They compile
//! for 32-bit targets too, and need no threads, no clock ([`Clock`]), no files and no C code.

#![deny(clippy::undocumented_unsafe_blocks, unsafe_op_in_unsafe_fn)]

pub mod answer;
mod clock;
#[cfg(feature = "tables")]
pub mod codec;
pub mod index;
pub mod kernel;
#[cfg(feature = "tables")]
pub mod pipeline;
#[cfg(feature = "tables")]
pub mod probe;
#[cfg(feature = "import")]
pub mod published;
pub mod rules;
pub mod solve;
pub mod supers;
pub mod symmetry;
#[cfg(feature = "tables")]
pub mod tables;
mod threads;
pub mod values;
#[cfg(feature = "tables")]
pub mod verify;

mod error;

pub use clock::Clock;
pub use error::{Error, ErrorKind};
pub use rules::{ParseError, Position};
