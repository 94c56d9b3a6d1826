//! Patterns of a quadrant, and their eight images under the symmetries of the square. A pattern is
//! the set of marbles of one colour in one quadrant: bit `side * row + column`, with rows from the
//! top.
//!
//! Symmetry `s` (0..8) makes `s mod 4` quarter turns clockwise. If `s >= 4`, the symmetry then
//! reflects across the diagonal from the top left to the bottom right. In coordinates (row, column)
//! from the top left:
//!
//! ```text
//! quarter turn clockwise: (r, c) -> (c, side - 1 - r)        mirror: (r, c) -> (c, r)
//! ```
//!
//! The tables are built from these two formulas at compile time.

/// The images of all patterns of a 3x3 quadrant: `IMAGES_3[symmetry][pattern]`.
pub(super) static IMAGES_3: [[u16; 512]; 8] = images(3);

/// The images of all patterns of a 2x2 quadrant: `IMAGES_2[symmetry][pattern]`.
pub(super) static IMAGES_2: [[u16; 16]; 8] = images(2);

/// Returns the image of the point `(row, column)` under a symmetry of a square of `side` x `side`
/// points.
pub(super) const fn image_of_point(
    side: usize,
    symmetry: usize,
    row: usize,
    column: usize,
) -> (usize, usize) {
    let (mut row, mut column) = (row, column);
    let mut turns = symmetry % 4;
    while turns > 0 {
        (row, column) = (column, side - 1 - row);
        turns -= 1;
    }
    if symmetry >= 4 {
        (row, column) = (column, row);
    }
    (row, column)
}

/// Returns the images of all `N = 2^(side^2)` patterns under the 8 symmetries. The image of a
/// pattern is the image of its lowest marble, combined with the image of the remaining marbles.
/// That image has been computed already, because the remaining marbles form a smaller pattern.
const fn images<const N: usize>(side: usize) -> [[u16; N]; 8] {
    assert!(N == 1 << (side * side));
    let mut images = [[0; N]; 8];
    let mut symmetry = 0;
    while symmetry < 8 {
        let mut pattern = 1;
        while pattern < N {
            let cell = pattern.trailing_zeros() as usize;
            let (row, column) = image_of_point(side, symmetry, cell / side, cell % side);
            let rest = pattern & (pattern - 1);
            images[symmetry][pattern] = images[symmetry][rest] | 1 << (side * row + column);
            pattern += 1;
        }
        symmetry += 1;
    }
    images
}
