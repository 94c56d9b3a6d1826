//! Arrays of values: where solvers and tables meet.
//!
//! A *slice* holds the values of all boards with n marbles of one domain. It is a list of *arrays*
//! (one per section of a whole game, a single one below a root); an array is a box of up to four
//! axes of [`Entry`]s, cut in *blocks* ([`Grid`]). A solver gets the blocks of one slice from a
//! [`Source`] and puts those of the slice before into a [`Sink`]; these may be memory, files or
//! other computers.

mod block;
mod counts;
mod exchange;
mod memory;
#[cfg(feature = "parallel")]
pub mod open_bits;
#[cfg(feature = "parallel")]
mod shelf;

pub use block::Block;
pub use counts::WdlCounts;
pub use exchange::{BoxError, Sink, SinkNeeds, SolvedBlock, Source};
pub use memory::{Memory, NullSink};
pub use pentago_base::{BlockId, Grid, Wdl};
#[cfg(feature = "parallel")]
pub use shelf::{Shelf, bytes, fitting};

use crate::supers::Super;
use crate::symmetry::Rotation;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The values of the boards of one entry for the side to move, at all 256 rotations. 64 bytes: one
/// cache line, one 512-bit register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
pub struct Entry {
    /// The rotations at which the side to move wins.
    pub win: Super,
    /// Those at which it doesn't lose: a superset of `win`.
    pub not_lose: Super,
}

/// Returns the four words of `win`, even rotations first, and those of `not_lose`.
#[inline(always)]
#[must_use]
pub fn words(entry: &Entry) -> [[u64; 4]; 2] {
    [entry.win, entry.not_lose].map(|s| [s.0[0].0[0], s.0[0].0[1], s.0[1].0[0], s.0[1].0[1]])
}

/// Bytes of an [`Entry`].
pub const ENTRY_BYTES: usize = size_of::<Entry>();
const _: () = assert!(ENTRY_BYTES == 64);

impl Entry {
    /// The value at a rotation.
    #[inline]
    pub fn get(&self, r: Rotation) -> Wdl {
        match (self.win.get(r), self.not_lose.get(r)) {
            (true, _) => Wdl::Win,
            (false, true) => Wdl::Draw,
            (false, false) => Wdl::Loss,
        }
    }

    /// Whether no rotation is both won and lost.
    #[inline]
    pub fn is_consistent(&self) -> bool {
        let pairs = self.win.0.iter().zip(&self.not_lose.0);
        pairs.fold(0, |odd, (w, n)| odd | w.0[0] & !n.0[0] | w.0[1] & !n.0[1]) == 0
    }
}
