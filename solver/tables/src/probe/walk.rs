//! Lists the values of a table in the order in which the table stores them.

use crate::tables::{Location, Table, TableError, Tablebase};
use pentago_core::rules::Position;
use pentago_core::values::{BlockId, Wdl};

/// A position between two values in the stored order of a table. The default is the start of the
/// table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkedTo {
    array: u32,
    block: u64,
    /// The index of the next entry in its block.
    entry: usize,
    /// The index of the next rotation in its entry, from 0 to 255.
    turns: u32,
}

/// Returns at most `most` positions of a table of `set`, with their values for the side to move,
/// and advances `walk` past them. The calls together return each stored position once, in all
/// rotations of its quadrants. Symmetric positions that share a location are returned only once. At
/// the end of the table, the result is empty.
///
/// # Errors
/// If the table is damaged or can't be read.
pub fn walk(
    set: &Tablebase,
    table: &Table,
    walk: &mut WalkedTo,
    most: usize,
) -> Result<Vec<(Position, Wdl)>, TableError> {
    let mut values = Vec::with_capacity(most.min(1 << 16));
    let slice = table.header().slice;
    while let Some(record) = table.arrays().get(walk.array as usize) {
        let (grid, key) = (record.array.grid, record.array.key);
        while walk.block < grid.blocks() {
            let entries = table.block(BlockId { array: walk.array, block: walk.block })?;
            for (index, entry) in grid.indices(walk.block).zip(entries.iter()).skip(walk.entry) {
                while walk.turns < 256 {
                    if values.len() == most {
                        return Ok(values);
                    }
                    let rotation = [6, 4, 2, 0].map(|shift| (walk.turns >> shift) as u8 % 4);
                    walk.turns += 1;
                    let stored = set.index().stored(slice, key, index, rotation);
                    // A board with symmetric quadrants is stored at several locations. Return the
                    // board only at the location that the index returns.
                    let place = Location { key, index, rotation, symmetry: 0 };
                    if set.index().locate(stored.position.board()) == Some(place) {
                        values.push((stored.position, entry.get(rotation)));
                    }
                }
                (walk.turns, walk.entry) = (0, walk.entry + 1);
            }
            (walk.entry, walk.block) = (0, walk.block + 1);
        }
        (walk.block, walk.array) = (0, walk.array + 1);
    }
    Ok(values)
}
