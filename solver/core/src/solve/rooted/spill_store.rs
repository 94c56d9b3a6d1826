//! The interface to the storage of half supers that don't fit in memory. They are stored unit by
//! unit.

use crate::index::rooted::layout::BoardGroup;
use crate::kernel::Pack;
use crate::values::BoxError;

/// The key of the half supers of one slice and group, in one chain at one parity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HalfSlice {
    /// The parity of the rotations at the root: 0 or 1.
    pub parity: u8,
    /// The player whose wins are stored. Player 0 moves at the root.
    pub chain: u8,
    /// The group of boards.
    pub group: BoardGroup,
    /// The number of marbles placed since the root.
    pub plies: u8,
}

/// A store of the units of half slices. Each unit is stored once, in any order, from any thread.
/// Once a half slice is finished, each of its units can be read any number of times.
pub trait SpillStore: Sync {
    /// Stores the lines of a unit.
    ///
    /// # Errors
    /// If the lines can't be stored.
    fn put(&self, of: HalfSlice, unit: u64, lines: &[Pack]) -> Result<(), BoxError>;

    /// Reads the lines of a unit into `into`, which has the unit's length.
    ///
    /// # Errors
    /// If the unit is missing or damaged.
    fn get(&self, of: HalfSlice, unit: u64, into: &mut [Pack]) -> Result<(), BoxError>;

    /// Finishes a half slice, all of whose units are stored.
    ///
    /// # Errors
    /// If the units can't be stored.
    fn finish(&self, of: HalfSlice) -> Result<(), BoxError>;
}
