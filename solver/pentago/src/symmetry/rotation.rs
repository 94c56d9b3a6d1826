//! How the quadrants are turned: the elements of Z4^4.

/// How often each of the four quadrants was turned clockwise, each 0 to 3.
pub type Rotation = [u8; 4];

/// The parity of a rotation: 0 or 1.
#[inline]
pub fn parity(r: Rotation) -> u8 {
    (r[0] ^ r[1] ^ r[2] ^ r[3]) & 1
}

/// The rotation reached from `r` by one quarter turn of `quadrant`.
#[inline]
pub fn turned(mut r: Rotation, quadrant: usize, clockwise: bool) -> Rotation {
    r[quadrant] = (r[quadrant] + if clockwise { 1 } else { 3 }) % 4;
    r
}
