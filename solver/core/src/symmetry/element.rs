//! One element of the group of 2,048: a symmetry of the board, followed by a rotation of each
//! quadrant.

use crate::rules::{Board, Position, Shape};

/// An element of the group of 2,048: first the symmetry `global` of the whole board, then
/// `local[q]` clockwise quarter turns of each quadrant `q` of the result.
///
/// Symmetry `global` (0..8) makes `global mod 4` quarter turns clockwise. If `global` is 4 or more,
/// the symmetry then reflects across the diagonal from the top left to the bottom right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Element {
    global: u8,
    local: [u8; 4],
}

/// The quadrant to which each symmetry moves each quadrant: `QUADRANT_IMAGE[global][q]`. The
/// quadrants move like the cells of a 2x2 board.
const QUADRANT_IMAGE: [[u8; 4]; 8] = [
    [0, 1, 2, 3],
    [1, 3, 0, 2],
    [3, 2, 1, 0],
    [2, 0, 3, 1],
    [0, 2, 1, 3],
    [2, 3, 0, 1],
    [3, 1, 2, 0],
    [1, 0, 3, 2],
];

/// Returns the symmetry of a square, 0..8, that applies `first`, then `second`. If `first` contains
/// a reflection, the turns of `second` are subtracted: a rotation after a reflection equals the
/// opposite rotation before the reflection.
const fn product(second: u8, first: u8) -> u8 {
    let turns = if first >= 4 { first + 4 - second % 4 } else { first + second % 4 };
    ((first ^ second) & 4) | (turns % 4)
}

impl Element {
    /// The identity element, which leaves every board unchanged.
    pub const IDENTITY: Element = Element { global: 0, local: [0; 4] };

    /// Returns the element that applies the symmetry `global` (modulo 8) to the whole board, then
    /// turns each quadrant `q` by `local[q]` (modulo 4) clockwise quarter turns.
    pub const fn new(global: u8, local: [u8; 4]) -> Element {
        let [a, b, c, d] = local;
        Element { global: global % 8, local: [a % 4, b % 4, c % 4, d % 4] }
    }

    /// Returns the element that applies the symmetry `global` (modulo 8) to the whole board,
    /// without rotations of quadrants.
    pub const fn whole_board(global: u8) -> Element {
        Element::new(global, [0; 4])
    }

    /// Returns the element that rotates only the quadrants. Quadrant `q` makes `local[q]` (modulo
    /// 4) clockwise quarter turns.
    pub const fn quadrants(local: [u8; 4]) -> Element {
        Element::new(0, local)
    }

    /// Returns the symmetry of the whole board that this element applies, 0..8.
    pub const fn global(self) -> u8 {
        self.global
    }

    /// Returns the numbers of clockwise quarter turns (0 to 3) that the four quadrants make after
    /// the symmetry of the board.
    pub const fn local(self) -> [u8; 4] {
        self.local
    }

    /// Returns `true` if the element contains a reflection, which makes clockwise turns
    /// counterclockwise.
    pub const fn is_mirror(self) -> bool {
        self.global >= 4
    }

    /// Returns the quadrant to which the element moves `quadrant`. The argument is taken modulo 4.
    /// Quadrants are 0..4 in reading order.
    pub const fn quadrant(self, quadrant: u8) -> u8 {
        QUADRANT_IMAGE[self.global as usize][quadrant as usize % 4]
    }

    /// Returns the product of two elements: the element that applies `first`, then `self`.
    #[must_use]
    pub const fn after(self, first: Element) -> Element {
        let mut local = self.local;
        let mut q = 0;
        while q < 4 {
            let to = self.quadrant(q as u8) as usize;
            let quarters = first.local[q];
            local[to] += if self.is_mirror() { 4 - quarters } else { quarters };
            q += 1;
        }
        Element::new(product(self.global, first.global), local)
    }

    /// Returns the inverse element.
    #[must_use]
    pub const fn inverse(self) -> Element {
        let [a, b, c, d] = self.local;
        let untwist = Element::quadrants([4 - a, 4 - b, 4 - c, 4 - d]);
        // Each reflection is its own inverse.
        let global = if self.is_mirror() { self.global } else { (4 - self.global) % 4 };
        Element::whole_board(global).after(untwist)
    }

    /// Returns the image of a board under this element.
    pub fn apply(self, shape: Shape, board: Board) -> Board {
        board.map(|set| self.apply_set(shape, set))
    }

    /// Returns the image of a position under this element.
    pub fn image(self, position: &Position) -> Position {
        position.with_board(self.apply(position.shape(), position.board()))
    }

    /// Returns the image of a set of sockets under this element. Bits outside the board are
    /// dropped.
    pub fn apply_set(self, shape: Shape, set: u64) -> u64 {
        let mut image = 0;
        for q in 0..4 {
            let to = self.quadrant(q);
            // Combine the symmetry of the board with the rotation of the quadrant. The result acts
            // on the pattern of the quadrant as one symmetry of the square.
            let symmetry = product(self.local[usize::from(to)], self.global);
            let pattern = (set >> (16 * q)) as u16;
            image |= u64::from(shape.quadrant_image(pattern, symmetry)) << (16 * to);
        }
        image
    }
}
