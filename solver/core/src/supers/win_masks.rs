//! Win masks: the rotations at which a set of marbles has five in a row.
//!
//! `T[q][p][r]` is the set of lines (at most 32) whose part in quadrant q is complete if q has
//! pattern p after r clockwise quarter turns. A line that doesn't touch q counts as complete in q.
//! A set of marbles with the patterns p0 to p3 has five in a row at rotation r if
//! `T[0][p0][r0] & T[1][p1][r1] & T[2][p2][r2] & T[3][p3][r3]` isn't empty.

use crate::rules::Shape;
use std::sync::OnceLock;

/// The table T for one shape of board: `table[quadrant][pattern][turns]`. A quadrant has up to 512
/// patterns.
pub struct WinMasks {
    table: Box<[[[u32; 4]; 512]; 4]>,
}

impl WinMasks {
    /// Returns the table for a shape. Each table is computed at its first use.
    pub fn get(shape: Shape) -> &'static WinMasks {
        static ALL: [OnceLock<WinMasks>; 3] = [const { OnceLock::new() }; 3];
        ALL[shape as usize].get_or_init(|| WinMasks::new(shape))
    }

    /// Computes the table for a shape from the definition.
    fn new(shape: Shape) -> WinMasks {
        let mut table = Box::new([[[0; 4]; 512]; 4]);
        let patterns = 1u16 << shape.quadrant_sockets();
        for (b, of_quadrant) in table.iter_mut().enumerate() {
            for pattern in 0..patterns {
                for turns in 0..4 {
                    let turned = u64::from(shape.rotate_quadrant(pattern, turns));
                    for (i, line) in shape.lines().iter().enumerate() {
                        let part = line >> (16 * b) & 0xffff;
                        if part & turned == part {
                            of_quadrant[usize::from(pattern)][usize::from(turns)] |= 1 << i;
                        }
                    }
                }
            }
        }
        WinMasks { table }
    }

    /// Returns the sets of lines that a set of marbles completes within each quadrant, as
    /// `lines[quadrant][turns]`. The number of turns is 0 to 3.
    #[inline]
    pub fn lines(&self, set: u64) -> [[u32; 4]; 4] {
        std::array::from_fn(|b| self.of_quadrant(b, (set >> (16 * b)) as u16))
    }

    /// Returns the sets of lines that a pattern completes within quadrant `b`, indexed by the
    /// number of turns, 0 to 3.
    #[inline]
    pub fn of_quadrant(&self, b: usize, pattern: u16) -> [u32; 4] {
        self.table[b][usize::from(pattern & 511)]
    }
}
