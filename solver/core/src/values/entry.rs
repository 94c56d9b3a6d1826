//! The values of one board at all rotations of its quadrants.

use crate::supers::Super;
use crate::symmetry::Rotation;
use pentago_base::Wdl;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The values of one board for the side to move, at all 256 rotations of its quadrants. An entry
/// has 64 bytes: one cache line, or one 512-bit register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
pub struct Entry {
    /// The rotations at which the side to move wins.
    pub win: Super,
    /// The rotations at which the side to move doesn't lose: a superset of `win`.
    pub not_lose: Super,
}

/// Returns the words of an entry: the four words of `win`, then the four words of `not_lose`. In
/// both, the words of the even rotations come first.
#[inline(always)]
pub fn words(entry: &Entry) -> [[u64; 4]; 2] {
    [entry.win, entry.not_lose].map(|s| [s.0[0].0[0], s.0[0].0[1], s.0[1].0[0], s.0[1].0[1]])
}

/// The size of an [`Entry`] in bytes.
pub const ENTRY_BYTES: usize = size_of::<Entry>();
const _: () = assert!(ENTRY_BYTES == 64);

impl Entry {
    /// Returns the value of the board at rotation `r`, for the side to move.
    #[inline]
    pub fn get(&self, r: Rotation) -> Wdl {
        match (self.win.get(r), self.not_lose.get(r)) {
            (true, _) => Wdl::Win,
            (false, true) => Wdl::Draw,
            (false, false) => Wdl::Loss,
        }
    }

    /// Returns `true` if `win` is a subset of `not_lose`, as in every valid entry.
    #[inline]
    pub fn is_consistent(&self) -> bool {
        let pairs = self.win.0.iter().zip(&self.not_lose.0);
        pairs.fold(0, |odd, (w, n)| odd | w.0[0] & !n.0[0] | w.0[1] & !n.0[1]) == 0
    }
}
