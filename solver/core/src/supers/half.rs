//! Half supers: the 128 rotations of one parity, with one bit for each rotation.
//!
//! A rotation is an element `r = (r0, r1, r2, r3)` of Z4^4. Each component is the number of
//! clockwise quarter turns of one quadrant. A turn changes the parity of `r0 + r1 + r2 + r3`, so
//! each slice below a root has only the 128 rotations of one parity.
//!
//! Rotation `(r0, r1, r2, r3)` of parity `p` is bit `32 r3 + 8 r2 + 4 h + r1` with `h = r0 / 2`.
//! The low bit of `r0` follows from the parity: `r0 = 2h + (p + r1 + r2 + r3) mod 2`. In this
//! order, a turn of quadrant 1, 2 or 3 changes one coordinate and preserves `h`. The two turns of
//! quadrant 0 lead to both values of `h`.

use crate::symmetry::Rotation;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// One truth value for each of the 128 rotations of one parity, as 16 bytes with an alignment of 16
/// bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(16))]
pub struct Half(pub [u64; 2]);

impl Half {
    /// The half super that is false at every rotation.
    pub const NONE: Half = Half([0; 2]);
    /// The half super that is true at every rotation.
    pub const ALL: Half = Half([!0; 2]);

    /// Returns the half super with these bytes. Byte i contains the bits 8i to 8i + 7, with bit 8i
    /// as its lowest bit.
    #[inline]
    pub fn from_bytes(bytes: [u8; 16]) -> Half {
        let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|j| bytes[8 * i + j]));
        Half([word(0), word(1)])
    }

    /// Returns the truth value of bit `index` (0 to 127).
    #[inline]
    pub fn get(self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 != 0
    }

    /// Returns the number of rotations at which the half super is true.
    #[inline]
    pub fn count(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }

    /// Returns a copy with bit `index` (0 to 127) set to `value`.
    #[inline]
    #[must_use]
    pub fn with(mut self, index: usize, value: bool) -> Half {
        let bit = 1u64 << (index % 64);
        if value {
            self.0[index / 64] |= bit;
        } else {
            self.0[index / 64] &= !bit;
        }
        self
    }

    /// Returns the rotation max, for turns in both directions: the union of the values that one
    /// turn reaches. The rotations of the result have the other parity.
    #[inline]
    #[must_use]
    pub fn rotation_max(self) -> Half {
        let x = u128::from(self.0[0]) | u128::from(self.0[1]) << 64;
        // Rotates each group of `width` bits by `by` bits to the left. `low` has the bits of each
        // group that stay in the group when they are shifted.
        let turned = |width: u32, by: u32, low: u128| (x & low) << by | x >> (width - by) & !(low << by);
        let bytes = u128::MAX / 0xff;
        let words = u128::MAX / 0xffff_ffff;
        let quadrant1 = turned(4, 1, bytes * 0x77) | turned(4, 3, bytes * 0x11);
        let quadrant2 = turned(32, 8, words * 0xff_ffff) | turned(32, 24, words * 0xff);
        let quadrant3 = x.rotate_left(32) | x.rotate_right(32);
        let quadrant0 = x | turned(8, 4, bytes * 0x0f);
        let all = quadrant0 | quadrant1 | quadrant2 | quadrant3;
        Half([all as u64, (all >> 64) as u64])
    }
}

impl std::ops::BitOr for Half {
    type Output = Half;
    #[inline]
    fn bitor(self, b: Half) -> Half {
        Half([self.0[0] | b.0[0], self.0[1] | b.0[1]])
    }
}

impl std::ops::BitAnd for Half {
    type Output = Half;
    #[inline]
    fn bitand(self, b: Half) -> Half {
        Half([self.0[0] & b.0[0], self.0[1] & b.0[1]])
    }
}

impl std::ops::Not for Half {
    type Output = Half;
    #[inline]
    fn not(self) -> Half {
        Half(self.0.map(|word| !word))
    }
}

/// Returns the index of the bit that represents a rotation in the half super of its parity.
#[inline]
pub fn half_index(r: Rotation) -> usize {
    32 * r[3] as usize + 8 * r[2] as usize + 4 * (r[0] / 2) as usize + r[1] as usize
}

/// Returns the rotation of parity `p` that bit `index` represents. This is the inverse of
/// [`half_index`].
#[inline]
pub fn half_rotation(p: u8, index: usize) -> Rotation {
    let (r3, r2, h, r1) = (index / 32, index / 8 % 4, index / 4 % 2, index % 4);
    let (r1, r2, r3) = (r1 as u8, r2 as u8, r3 as u8);
    [2 * h as u8 + ((p ^ r1 ^ r2 ^ r3) & 1), r1, r2, r3]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symmetry::parity;

    #[test]
    fn index_and_rotation_are_inverse() {
        for p in 0..2 {
            for i in 0..128 {
                let r = half_rotation(p, i);
                assert_eq!(parity(r), p);
                assert_eq!(half_index(r), i);
            }
        }
    }

    #[test]
    fn bits_are_set_and_read() {
        for i in 0..128 {
            let h = Half::NONE.with(i, true);
            assert_eq!((0..128).filter(|&j| h.get(j)).collect::<Vec<_>>(), [i]);
            assert_eq!(Half::ALL.with(i, false).0, [!h.0[0], !h.0[1]]);
        }
    }
}
