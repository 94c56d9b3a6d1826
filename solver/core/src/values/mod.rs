//! Arrays of values: where solvers and tables meet.
//!
//! A *slice* holds the values of all boards with n marbles of one domain. It is a list of *arrays*
//! (one per section of a whole game, a single one below a root); an array is a box of up to four
//! axes of [`Entry`]s, cut in *blocks* ([`Grid`]). A solver gets the blocks of one slice from a
//! [`Source`] and puts those of the slice before into a [`Sink`]; these may be memory, files or
//! other computers.

mod block;
mod counts;
mod memory;
#[cfg(feature = "parallel")]
pub mod open_bits;
#[cfg(feature = "parallel")]
mod shelf;

pub use block::Block;
pub use counts::WdlCounts;
pub use memory::{Memory, NullSink};
pub use pentago_base::{BlockId, Grid, Wdl};
#[cfg(feature = "parallel")]
pub use shelf::{Shelf, bytes, fitting};

use crate::supers::Super;
use crate::symmetry::Rotation;
use std::ops::RangeInclusive;
use std::sync::Arc;
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

/// What a [`Source`], a [`Sink`] or a spill store may fail with: an error of its own, which who knows it
/// finds again in the box.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A source of the blocks of a finished slice.
pub trait Source: Sync {
    /// Fills `into` with the entries of a block; it has the block's length.
    ///
    /// # Errors
    /// If the block can't be read, or is damaged.
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError>;

    /// A block that the source keeps in memory, or decodes into memory of its own now, so that nobody copies
    /// it. Each call is a use of the block. None: it has to be [got](Source::get).
    ///
    /// # Errors
    /// As for [`Source::get`].
    fn shared(&self, _id: BlockId) -> Result<Option<Arc<Block>>, BoxError> {
        Ok(None)
    }

    /// This block will be got soon: a source that takes long to answer may fetch it meanwhile.
    fn ahead(&self, _id: BlockId) {}

    /// From now on blocks are got for these arrays of the slice that is computed; before the first
    /// block for an array it is among them. All threads wait for their next row meanwhile: it should
    /// only take note, and must not wait for another thread.
    fn computing(&self, _arrays: RangeInclusive<u32>) {}
}

/// A block as a solver of sections makes it.
pub struct SolvedBlock<'a> {
    /// Which one it is.
    pub id: BlockId,
    /// Its entries; none if the sink needs the [counts alone](Sink::counts_alone).
    pub entries: &'a [Entry],
    /// Its boards, as those of its domain are counted.
    pub counts: WdlCounts,
    /// The bits that the guess leaves open, in both parts as [`codec::open`](crate::codec::open) packs them: if the
    /// sink [wants them](Sink::wants_open_bits), and all values keep to the guess.
    pub open: Option<[&'a [u8]; 2]>,
    /// The same entries in memory that the sink [has given](Sink::memory) for them.
    pub kept: Option<Arc<Block>>,
}

/// A sink for the blocks of a slice: it takes each exactly once, in any order, from any thread.
pub trait Sink: Sync {
    /// Takes the entries of a block.
    ///
    /// # Errors
    /// If the block can't be stored.
    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), BoxError>;

    /// Takes a block of which more is known than its entries. A sink that counts boards, or looks for open bits,
    /// needn't do so again.
    ///
    /// # Errors
    /// If the block can't be stored.
    fn put_solved(&self, block: SolvedBlock) -> Result<(), BoxError> {
        self.put(block.id, block.entries)
    }

    /// Whether it needs the counts of blocks alone: then it has its own [`Sink::put_solved`], and gets blocks
    /// without entries.
    fn counts_alone(&self) -> bool {
        false
    }

    /// Memory that nobody else has, for a block of `len` entries that stays as it is computed: it comes back with
    /// the [solved block](Sink::put_solved). None: it doesn't stay, or there is no room.
    fn memory(&self, _id: BlockId, _len: usize) -> Option<Arc<Block>> {
        None
    }

    /// Whether it stores what a guess leaves open.
    fn wants_open_bits(&self) -> bool {
        false
    }

    /// From now on blocks of these arrays come, of the others none; before the first block of an array
    /// it is among them. Not every caller of `put` says so. As for [`Source::computing`], all threads
    /// wait meanwhile.
    fn computing(&self, _arrays: RangeInclusive<u32>) {}
}
