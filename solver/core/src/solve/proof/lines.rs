//! The winning lines with the quadrants turned back: which sockets of the frame lie on a line, and
//! at which rotations.

use crate::rules::Shape;
use crate::supers::Half;
use crate::supers::half::{half_index, half_rotation};
use crate::symmetry::parity;
use std::collections::BTreeMap;

/// A set of sockets of the frame, and the rotations of even and of odd parity at which it is a
/// line.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnedLine {
    /// The sockets.
    pub set: u64,
    /// Where it is a line.
    pub rotations: [Half; 2],
}

/// All of them, for one board shape.
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
