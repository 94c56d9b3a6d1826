//! The tables of the shader. All roots with equally many empty sockets use the same tables.

use crate::index::Frame;
use crate::index::rooted::cycles::{Orbits, marbles};
use crate::index::rooted::layout::{NO_ARRAY, Unit};
use crate::kernel::Pack;

/// The possible periods of the states of the outer cycle. The period is part of the shape of a
/// unit.
const PERIODS: [u8; 3] = [1, 2, 4];

/// The number of states of a cycle. This includes impossible states, in which both players have a
/// marble on the same socket.
const STATES: usize = 256;

/// The tables of [`Frame`] and `Low` as 32-bit words, and the offsets of the tables in words.
pub(super) struct ShaderTables {
    pub words: Vec<u32>,
    /// The offset of the table of arrays. The table has one word for each shape and each state of
    /// the inner cycle: four times the index of the array's first line in the unit, plus the shift
    /// of the array.
    pub shapes_at: u32,
    /// The offset of the table of classes. For each class, the table has the offsets of six other
    /// tables.
    pub classes_at: u32,
    /// The offset of the list of boards of each shape, indexed by shape.
    boards_at: Vec<u32>,
    /// One more than the maximum number of marbles on the inner cycle and the low sockets together.
    side: usize,
}

impl ShaderTables {
    pub fn new(frame: &Frame) -> ShaderTables {
        let split = frame.split;
        let side = split.low + split.inner + 1;
        let classes_at = PERIODS.len() * side * side * STATES;
        let low_side = split.low + 1;
        let mut tables = ShaderTables {
            words: vec![0; classes_at + 6 * low_side * low_side],
            shapes_at: 0,
            classes_at: classes_at as u32,
            boards_at: vec![0; PERIODS.len() * side * side],
            side,
        };
        for period in PERIODS {
            for a in 0..side {
                for b in 0..side - a {
                    tables.shape(frame, period, [a, b]);
                }
            }
        }
        for c in 0..low_side {
            for d in 0..low_side - c {
                tables.class(frame, [c, d]);
            }
        }
        tables
    }

    /// Returns the index of a shape. The outer cycle has period `period`, and `counts` are both
    /// players' numbers of marbles on the inner cycle and the low sockets.
    fn number(&self, period: u8, counts: [usize; 2]) -> usize {
        (usize::from(period) / 2 * self.side + counts[0]) * self.side + counts[1]
    }

    /// Returns the index of a unit's shape. `counts` are both players' numbers of marbles on the
    /// inner cycle and the low sockets.
    pub fn shape_of(&self, unit: Unit, counts: [usize; 2]) -> u32 {
        self.number(unit.period(), counts) as u32
    }

    /// Returns the offset of the list of boards of a shape.
    pub fn boards_of(&self, shape: u32) -> u32 {
        self.boards_at[shape as usize]
    }

    fn shape(&mut self, frame: &Frame, period: u8, counts: [usize; 2]) {
        let number = self.number(period, counts);
        let shape = frame.unit(period, counts).expect("as many marbles fit");
        self.boards_at[number] = self.words.len() as u32;
        for (state, &(at, by)) in shape.arrays.iter().enumerate().filter(|(_, array)| array.0 != NO_ARRAY) {
            self.words[self.shapes_at as usize + number * STATES + state] = at << 2 | u32::from(by);
        }
        // List the boards in the order of their lines.
        for &state in &Orbits::get(period).least {
            if shape.arrays[usize::from(state)].0 == NO_ARRAY {
                continue;
            }
            let used = marbles(state);
            let [c, d] = [counts[0] - used[0], counts[1] - used[1]];
            let line = |index: usize| u32::from(state) | (index << 8 | c << 16 | d << 20) as u32;
            self.words.extend((0..frame.low().class(c, d).len).map(line));
        }
    }

    fn class(&mut self, frame: &Frame, [c, d]: [usize; 2]) {
        let class = frame.low().class(c, d);
        let header = self.classes_at as usize + 6 * (c * (frame.split.low + 1) + d);
        for (i, places) in class.children.iter().chain(&class.subset).chain(&class.grown).enumerate() {
            self.words[header + i] = self.words.len() as u32;
            // Convert byte offsets to pack indices, which the shader needs.
            let indices = places.bytes().iter().map(|&at| u32::from(at) / size_of::<Pack>() as u32);
            self.words.extend(indices);
        }
    }
}
