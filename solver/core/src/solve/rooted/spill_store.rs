//! Where a rooted solution puts by what doesn't fit in memory: half supers of one chain, unit by
//! unit.

use crate::index::rooted::layout::BoardGroup;
use crate::kernel::Pack;
use crate::values::BoxError;

/// The half supers of one slice and group, in one chain at one parity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HalfSlice {
    /// The parity of the rotations at the root: 0 or 1.
    pub parity: u8,
    /// Whose wins: 0 moves at the root.
    pub chain: u8,
    /// Which boards.
    pub group: BoardGroup,
    /// Marbles placed since the root.
    pub plies: u8,
}

/// Keeps the units of half slices. Each is put once, in any order, from any thread, and can be read
/// any number of times after its half slice was finished.
pub trait SpillStore: Sync {
    /// Puts by the lines of unit number `unit`.
    ///
    /// # Errors
    /// If they can't be kept.
    fn put(&self, of: HalfSlice, unit: u64, lines: &[Pack]) -> Result<(), BoxError>;

    /// Fills `into`, which has the unit's length.
    ///
    /// # Errors
    /// If the unit isn't there or damaged.
    fn get(&self, of: HalfSlice, unit: u64, into: &mut [Pack]) -> Result<(), BoxError>;

    /// All units of the half slice were put.
    ///
    /// # Errors
    /// If they can't be kept.
    fn finish(&self, of: HalfSlice) -> Result<(), BoxError>;
}
