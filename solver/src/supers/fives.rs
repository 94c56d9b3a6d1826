//! Where a set of marbles has five in a row, over all rotations of its blocks.
//!
//! For block b with pattern p turned r times clockwise let `T[b][p][r]` be the set of lines (at most 32) whose part
//! in b is complete; a line that doesn't touch b counts as complete there. Then the set has five in a row at
//! rotation r where `T[0][p0][r0] & T[1][p1][r1] & T[2][p2][r2] & T[3][p3][r3]` isn't empty.

use super::{Half, Kernel};
use crate::rules::Shape;

/// The table T of one board shape: 4 blocks, up to 512 patterns, 4 rotations.
pub struct Fives {
    table: Box<[[[u32; 4]; 512]; 4]>,
}

impl Fives {
    /// Computes the table from the plain definition.
    pub fn new(shape: Shape) -> Fives {
        let mut table = Box::new([[[0; 4]; 512]; 4]);
        let patterns = 1u16 << shape.block_sockets();
        for (b, of_block) in table.iter_mut().enumerate() {
            for pattern in 0..patterns {
                for turns in 0..4 {
                    let turned = u64::from(shape.rotate_block(pattern, turns));
                    for (i, line) in shape.lines().iter().enumerate() {
                        let part = line >> (16 * b) & 0xffff;
                        if part & turned == part {
                            of_block[usize::from(pattern)][usize::from(turns)] |= 1 << i;
                        }
                    }
                }
            }
        }
        Fives { table }
    }

    /// Both half supers (rotations of even and of odd parity) of a set of sockets.
    #[inline]
    pub fn of(&self, kernel: Kernel, set: u64) -> [Half; 2] {
        kernel.fives(&self.lines(set))
    }

    /// For each block, turned 0 to 3 times, the lines whose part there is complete.
    #[inline]
    pub fn lines(&self, set: u64) -> [[u32; 4]; 4] {
        std::array::from_fn(|b| self.of_block(b, (set >> (16 * b)) as u16))
    }

    /// The same for the pattern of block `b` alone.
    #[inline]
    pub fn of_block(&self, b: usize, pattern: u16) -> [u32; 4] {
        self.table[b][usize::from(pattern & 511)]
    }
}

#[cfg(test)]
mod tests {
    use super::super::half::half_rotation;
    use super::*;

    /// Every kernel gives for pseudo-random sets what turning the blocks and scanning the lines gives.
    #[test]
    fn masks_are_the_definition() {
        for shape in [Shape::Pentago, Shape::Mini { run: 4 }, Shape::Mini { run: 3 }] {
            let fives = Fives::new(shape);
            let mut seed = 1u64;
            for round in 0..60 {
                let mut word = || {
                    seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    seed ^ seed >> 29
                };
                let mut set = word() & shape.board_mask();
                if round % 3 == 0 {
                    set &= word();
                }
                for kernel in Kernel::available() {
                    let masks = fives.of(kernel, set);
                    for (p, mask) in masks.iter().enumerate() {
                        for i in 0..128 {
                            let r = half_rotation(p as u8, i);
                            let turned = (0..4).fold(0, |s, b| {
                                let pattern = (set >> (16 * b)) as u16;
                                s | u64::from(shape.rotate_block(pattern, r[b])) << (16 * b)
                            });
                            assert_eq!(mask.get(i), shape.has_line(turned), "{kernel} {set:x} {r:?}");
                        }
                    }
                }
            }
        }
    }
}
