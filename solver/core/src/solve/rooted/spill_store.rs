//! The interface to the storage of half supers that don't fit in memory. The half supers are stored
//! unit by unit.

use crate::index::rooted::layout::BoardGroup;
use crate::kernel::Pack;
use crate::values::BoxError;

/// The key of a set of half supers: those of one slice of one group, in one chain and at one
/// parity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HalfSlice {
    /// The parity, 0 or 1, that the rotations have at the root.
    pub parity: u8,
    /// The player whose wins are stored. Player 0 is the player to move at the root.
    pub chain: u8,
    /// The group of boards.
    pub group: BoardGroup,
    /// The number of marbles that have been placed since the root.
    pub plies: u8,
}

/// A store for the units of half slices. Each unit is stored once. Units may be stored in any order
/// and by any thread. Once a half slice is finished, each of its units can be read any number of
/// times.
pub trait SpillStore: Sync {
    /// Stores the lines of the unit with index `unit`.
    ///
    /// # Errors
    /// If the lines can't be stored.
    fn put(&self, of: HalfSlice, unit: u64, lines: &[Pack]) -> Result<(), BoxError>;

    /// Reads the lines of the unit with index `unit` into `into`, which has the unit's length. By
    /// default, returns an error, as a store does that only measures the units.
    ///
    /// # Errors
    /// If the unit is missing or damaged.
    fn get(&self, _of: HalfSlice, _unit: u64, _into: &mut [Pack]) -> Result<(), BoxError> {
        Err("the store keeps no units".into())
    }

    /// Marks a half slice as finished. The caller has stored all of its units. By default, does
    /// nothing.
    ///
    /// # Errors
    /// If the units can't be stored.
    fn finish(&self, _of: HalfSlice) -> Result<(), BoxError> {
        Ok(())
    }
}
