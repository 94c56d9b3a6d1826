//! Arrays of values, which solvers compute and tables store.
//!
//! A *slice* has the values of all boards with n marbles, of the whole game or below one root. A
//! slice is a list of *arrays*. The whole game has one array for each section. Below a root there
//! is a single array. An array is a box of [`Entry`]s with up to four axes, divided into *blocks*
//! ([`Grid`]). A solver reads the blocks of slice n + 1 from a [`Source`] and puts the blocks of
//! slice n into a [`Sink`]. Sources and sinks may be memory, files or other computers.

mod block;
mod counts;
mod entry;
mod exchange;
mod memory;
pub mod open_bits;
mod shelf;

pub use block::Block;
pub use counts::WdlCounts;
pub use entry::{ENTRY_BYTES, Entry, words};
pub use exchange::{BoxError, Sink, SinkNeeds, SolvedBlock, Source};
pub use memory::{Memory, NullSink};
pub use pentago_base::{BlockId, Grid, Wdl};
pub use shelf::{Shelf, bytes, fitting};
