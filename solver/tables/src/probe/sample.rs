//! Draws random stored positions. Equal seeds produce equal positions on every machine.

use crate::tables::{StoredValue, Table, Tablebase};
use pentago_store::draws;

/// Returns an infinite iterator of stored values, drawn uniformly and independently from `tables`.
/// Each value comes with the index of its table.
pub fn sample<'a>(
    tables: Vec<(&'a Tablebase, &'a Table)>,
    seed: u64,
) -> impl Iterator<Item = (usize, StoredValue)> + 'a {
    let lens: Vec<u64> = tables.iter().map(|(_, table)| table.header().entries).collect();
    draws(&lens, seed, true).filter_map(move |(number, entry, rotation)| {
        let (set, table) = tables[number];
        Some((number, stored(set, table, entry, rotation)?))
    })
}

/// Returns the location and the position of the entry with index `number` in a table. Each byte of
/// `rotation`, modulo 4, is the number of quarter turns of a quadrant. Returns `None` if the table
/// has no such entry.
pub(crate) fn stored(set: &Tablebase, table: &Table, number: u64, rotation: u32) -> Option<StoredValue> {
    let (array, place) = table.locate(number)?;
    let array = table.arrays()[array as usize].array;
    let rotation = rotation.to_le_bytes().map(|byte| byte % 4);
    Some(set.index().stored(table.header().slice, array.key, array.grid.index(place), rotation))
}
