//! Rotations of the four quadrants, which are the elements of Z4^4.

/// The number of clockwise quarter turns (0 to 3) of each quadrant, indexed by quadrant.
pub type Rotation = [u8; 4];

/// Returns the parity of the total number of quarter turns of a rotation: 0 or 1.
#[inline]
pub fn parity(r: Rotation) -> u8 {
    (r[0] ^ r[1] ^ r[2] ^ r[3]) & 1
}

/// Returns the rotation after one more quarter turn of quadrant `quadrant`, clockwise or
/// counterclockwise.
#[inline]
pub fn turned(mut r: Rotation, quadrant: usize, clockwise: bool) -> Rotation {
    r[quadrant] = (r[quadrant] + if clockwise { 1 } else { 3 }) % 4;
    r
}
