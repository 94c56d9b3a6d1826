//! The winning lines, as sets of sockets on the unturned board: each set of sockets that becomes a
//! line at some rotation.

use crate::rules::Shape;
use crate::supers::Half;
use crate::supers::half::{half_index, half_rotation};
use crate::symmetry::parity;
use std::collections::BTreeMap;

/// A set of sockets that becomes a line at some rotations.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnedLine {
    pub set: u64,
    /// The rotations at which the set is a line: first the even rotations, then the odd rotations.
    pub rotations: [Half; 2],
}

impl TurnedLine {
    /// Adds the rotations of the line to element `at` of both tables: the even rotations to the
    /// first table, the odd rotations to the second.
    pub fn add_to(&self, tables: &mut [Vec<Half>; 2], at: usize) {
        for (table, rotations) in tables.iter_mut().zip(self.rotations) {
            table[at] = table[at] | rotations;
        }
    }
}

/// Returns all sets of sockets that become a line at some rotation, with these rotations.
pub(super) fn turned_lines(shape: Shape) -> Vec<TurnedLine> {
    let mut found: BTreeMap<u64, [Half; 2]> = BTreeMap::new();
    for line in shape.lines() {
        for p in 0..2u8 {
            for index in 0..128 {
                let r = half_rotation(p, index);
                debug_assert_eq!((parity(r), half_index(r)), (p, index));
                let set = (0..4).fold(0, |set, b| {
                    let part = (line >> (16 * b)) as u16;
                    set | u64::from(shape.rotate_quadrant(part, 4 - r[b])) << (16 * b)
                });
                let half = &mut found.entry(set).or_default()[usize::from(p)];
                *half = half.with(index, true);
            }
        }
    }
    found.into_iter().map(|(set, rotations)| TurnedLine { set, rotations }).collect()
}
