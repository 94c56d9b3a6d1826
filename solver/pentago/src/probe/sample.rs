//! Random stored positions, reproducible from a seed on every machine.

use super::tables::TableSet;
use crate::rules::Position;
use crate::symmetry::Rotation;
use crate::tables::{ArrayKey, Table};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The place of a stored value, and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredValue {
    /// The array.
    pub key: ArrayKey,
    /// The entry.
    pub index: [u32; 4],
    /// The rotation within the entry.
    pub rotation: Rotation,
    /// The position.
    pub position: Position,
}

impl TableSet {
    /// The stored value of an entry at a rotation.
    #[must_use]
    pub fn stored(&self, slice: u8, key: ArrayKey, index: [u32; 4], rotation: Rotation) -> StoredValue {
        let board = self.board(slice, key, index, rotation);
        let position = Position::of(self.target().rules.shape, board)
            .expect("tables hold boards whose counts can arise");
        StoredValue { key, index, rotation, position }
    }
}

/// An infinite sequence of stored values of tables, uniform and independent, with the number of the
/// table.
pub fn sample<'a>(
    tables: Vec<(&'a TableSet, &'a Table)>,
    seed: u64,
) -> impl Iterator<Item = (usize, StoredValue)> + 'a {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    // All arrays, and the entries before each.
    let mut arrays = Vec::new();
    let mut before = vec![0];
    for (number, (_, table)) in tables.iter().enumerate() {
        for record in table.arrays() {
            arrays.push((number, record.array));
            before.push(before[before.len() - 1] + record.array.grid.entries());
        }
    }
    std::iter::from_fn(move || {
        let all = *before.last().filter(|&&all| all > 0)?;
        let entry = ((u128::from(random.next_u64()) * u128::from(all)) >> 64) as u64;
        let rotation = random.next_u32().to_le_bytes().map(|byte| byte % 4);
        let at = before.partition_point(|&first| first <= entry) - 1;
        let (number, array) = arrays[at];
        let (family, table) = tables[number];
        let index = array.grid.index(entry - before[at]);
        Some((number, family.stored(table.header().slice, array.key, index, rotation)))
    })
}
