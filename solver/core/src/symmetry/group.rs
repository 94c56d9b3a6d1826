//! The groups that act on boards, and the canonical form, orbit and stabiliser of a board.
//!
//! The canonical form is the least board of the orbit. [`Board`]s are ordered by the set of X, then
//! by the set of O, both as numbers. In these numbers each quadrant has 16 bits of its own, so
//! turning one quadrant doesn't change the bits of the other quadrants. If the group contains
//! rotations of single quadrants, the least image under one symmetry of the board therefore
//! consists of the least rotation of each quadrant. So only 8 boards are compared instead of 2,048.

use super::Element;
use crate::rules::{Board, Dir, Position, Shape};

/// A subgroup of the group of 2,048.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Group {
    mirrors: bool,
    quadrants: bool,
}

impl Group {
    /// Returns the group of those symmetries of the board that preserve the value of a position.
    /// The group has 8 elements. With `dir=cw` it has 4, the rotations of the board.
    pub const fn whole_board(dir: Dir) -> Group {
        Group { mirrors: matches!(dir, Dir::Both), quadrants: false }
    }

    /// Returns the group that the symmetries in [`Group::whole_board`] and all rotations of
    /// quadrants generate. The group has 2,048 elements, or 1,024 with `dir=cw`.
    pub const fn with_quadrants(dir: Dir) -> Group {
        Group { quadrants: true, ..Group::whole_board(dir) }
    }

    /// Returns the number of elements of the group.
    pub const fn order(self) -> u32 {
        self.globals() as u32 * if self.quadrants { 256 } else { 1 }
    }

    /// Returns all elements of the group, starting with the identity.
    pub fn elements(self) -> impl Iterator<Item = Element> {
        let turns = if self.quadrants { 256 } else { 1 };
        (0..self.globals()).flat_map(move |global| {
            (0..turns)
                .map(move |k: u32| Element::new(global, [0, 2, 4, 6].map(|shift| (k >> shift) as u8 % 4)))
        })
    }

    /// Returns the canonical form of a board, the least board of its orbit, and an element that
    /// maps the board to this form. If several elements do, the result has the first symmetry of
    /// the board among them.
    pub fn canonical(self, shape: Shape, board: Board) -> (Board, Element) {
        let images = self.least_images(shape, board);
        images.min_by_key(|&(image, _)| image).expect("a group is never empty")
    }

    /// Returns the number of elements of the group that leave the board unchanged.
    pub fn stabiliser_size(self, shape: Shape, board: Board) -> u32 {
        // Each board of the orbit is the image of `board` under equally many elements. So count the
        // elements that map `board` to the least board of the orbit.
        let images = || self.least_images(shape, board).map(|(image, _)| image);
        let least = images().min();
        let mut count = images().filter(|&image| Some(image) == least).count() as u32;
        if self.quadrants {
            for q in (0..4).map(|q| quadrant(board, q)) {
                // Multiply by the number of rotations that leave this quadrant unchanged.
                count *= (0..4).filter(|&quarters| image(shape, q, quarters) == q).count() as u32;
            }
        }
        count
    }

    /// Returns the number of boards in the orbit of a board.
    pub fn orbit_size(self, shape: Shape, board: Board) -> u32 {
        self.order() / self.stabiliser_size(shape, board)
    }

    /// Returns the number of symmetries of the whole board in the group.
    const fn globals(self) -> u8 {
        if self.mirrors { 8 } else { 4 }
    }

    /// For each symmetry of the whole board in the group, returns the least image of `board` and
    /// the element that leads to this image. If the group contains rotations of quadrants, they are
    /// applied after the symmetry.
    fn least_images(self, shape: Shape, board: Board) -> impl Iterator<Item = (Board, Element)> {
        (0..self.globals() / 4).flat_map(move |mirror| {
            // Rotations of the whole board don't change which rotation of a quadrant is least, so
            // compute it once for all four.
            let least = |q| least(shape, image(shape, quadrant(board, q), 4 * mirror));
            let quadrants = if self.quadrants { [0, 1, 2, 3].map(least) } else { Default::default() };
            (0..4).map(move |turns| {
                let global = Element::whole_board(4 * mirror + turns);
                if !self.quadrants {
                    return (global.apply(shape, board), global);
                }
                let mut image = Board::EMPTY;
                let mut local = [0; 4];
                for (q, ([x, o], quarters)) in quadrants.into_iter().enumerate() {
                    let to = global.quadrant(q as u8);
                    image.x |= u64::from(x) << (16 * to);
                    image.o |= u64::from(o) << (16 * to);
                    // The symmetry of the board has already turned the quadrant: forwards under a
                    // rotation, backwards under a reflection. Subtract this turn.
                    let left = if mirror == 0 { quarters + 4 - turns } else { quarters + turns };
                    local[usize::from(to)] = left;
                }
                (image, Element::new(global.global(), local))
            })
        })
    }
}

impl Position {
    /// Returns the canonical form of the position: its least image under a group of symmetries.
    ///
    /// ```
    /// use pentago_core::rules::Position;
    /// use pentago_core::rules::Dir;
    /// use pentago_core::symmetry::Group;
    ///
    /// let group = Group::whole_board(Dir::Both);
    /// let one: Position = "X5/6/6/6/6/6 o".parse()?;
    /// let other: Position = "6/6/6/6/6/5X o".parse()?;
    /// assert_eq!(one.canonical(group), other.canonical(group));
    /// # Ok::<(), pentago_core::rules::ParseError>(())
    /// ```
    #[must_use]
    pub fn canonical(self, group: Group) -> Position {
        self.with_board(group.canonical(self.shape(), self.board()).0)
    }
}

/// Returns the marbles of quadrant `q`: the pattern of X, then the pattern of O. The pairs compare
/// in the same order as boards.
fn quadrant(board: Board, q: u32) -> [u16; 2] {
    [board.x, board.o].map(|set| (set >> (16 * q)) as u16)
}

/// Returns the image of a quadrant under a symmetry of the square.
fn image(shape: Shape, quadrant: [u16; 2], symmetry: u8) -> [u16; 2] {
    quadrant.map(|set| shape.quadrant_image(set, symmetry))
}

/// Returns the least of the four rotations of a quadrant, and the number of clockwise quarter turns
/// that lead to it.
fn least(shape: Shape, quadrant: [u16; 2]) -> ([u16; 2], u8) {
    let turned = |quarters| (image(shape, quadrant, quarters), quarters);
    turned(0).min(turned(1)).min(turned(2)).min(turned(3))
}
