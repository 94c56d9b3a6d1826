//! Arrays of values: where solvers and tables meet.
//!
//! A *slice* holds the values of all boards with n marbles of one domain. It is a list of *arrays*
//! (one per section of a whole game, a single one below a root); an array is a box of up to four
//! axes of [`Entry`]s, cut in *blocks* ([`Grid`]). A solver gets the blocks of one slice from a
//! [`Source`] and puts those of the slice before into a [`Sink`]; these may be memory, files or
//! other computers.

mod block;
mod counts;
mod ends;
mod entry;
mod memory;
#[cfg(feature = "parallel")]
pub mod open_bits;
#[cfg(feature = "parallel")]
mod shelf;

pub use block::Block;
pub use counts::WdlCounts;
pub use ends::{BoxError, Sink, SolvedBlock, Source};
pub use entry::{ENTRY_BYTES, Entry, words};
pub use memory::{Memory, NullSink};
pub use pentago_base::{BlockId, Grid, Wdl};
#[cfg(feature = "parallel")]
pub use shelf::{Shelf, bytes, fitting};
