//! The groups that act on boards, and the canonical form, orbit and stabiliser of a board.
//!
//! The canonical form is the least board of the orbit. [`Board`]s are ordered by the set of X, then
//! by the set of O, both as numbers. The lanes of 16 bits of a set are the quadrants, the last
//! quadrant highest, so this order compares quadrant by quadrant. If the group contains rotations
//! of single quadrants, the least image under one symmetry of the board therefore has the least
//! rotation of each quadrant. So only 8 boards are compared instead of 2,048.

use super::Element;
use crate::rules::{Board, Dir, Position, Shape};

/// A subgroup of the group of 2,048.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Group {
    mirrors: bool,
    quadrants: bool,
}

impl Group {
    /// Returns the group of the symmetries of the board that preserve the value of a position: 8
    /// elements, or the 4 rotations with `dir=cw`.
    pub const fn whole_board(dir: Dir) -> Group {
        Group { mirrors: matches!(dir, Dir::Both), quadrants: false }
    }

    /// Returns the group that [`Group::whole_board`] and all rotations of quadrants generate: 2,048
    /// elements, or 1,024 with `dir=cw`.
    pub const fn with_quadrants(dir: Dir) -> Group {
        Group { quadrants: true, ..Group::whole_board(dir) }
    }

    /// Returns the number of elements.
    pub const fn order(self) -> u32 {
        self.globals() as u32 * if self.quadrants { 256 } else { 1 }
    }

    /// Returns all elements, the identity first.
    pub fn elements(self) -> impl Iterator<Item = Element> {
        let turns = if self.quadrants { 256 } else { 1 };
        (0..self.globals()).flat_map(move |global| {
            (0..turns)
                .map(move |k: u32| Element::new(global, [0, 2, 4, 6].map(|shift| (k >> shift) as u8 % 4)))
        })
    }

    /// Returns the least board of the orbit of a board, with an element that leads to it. Of
    /// several such elements, the result has the first symmetry of the board.
    #[must_use]
    pub fn canonical(self, shape: Shape, board: Board) -> (Board, Element) {
        let images = self.least_images(shape, board);
        images.min_by_key(|&(image, _)| image).expect("a group is never empty")
    }

    /// Returns the number of elements that leave the board unchanged.
    pub fn stabiliser_size(self, shape: Shape, board: Board) -> u32 {
        // Every board of the orbit is the image of this board under the same number of elements. So
        // it suffices to count the elements that lead to the least board.
        let images = || self.least_images(shape, board).map(|(image, _)| image);
        let least = images().min();
        let mut count = images().filter(|&image| Some(image) == least).count() as u32;
        if self.quadrants {
            for q in (0..4).map(|q| quadrant(board, q)) {
                // The number of rotations that leave the quadrant unchanged.
                count *= (0..4).filter(|&quarters| image(shape, q, quarters) == q).count() as u32;
            }
        }
        count
    }

    /// Returns the number of different images of the board.
    pub fn orbit_size(self, shape: Shape, board: Board) -> u32 {
        self.order() / self.stabiliser_size(shape, board)
    }

    /// Returns the number of symmetries of the whole board.
    const fn globals(self) -> u8 {
        if self.mirrors { 8 } else { 4 }
    }

    /// Returns the least image under each symmetry of the board, combined with the rotations of
    /// quadrants that the group contains; and the element that leads to the image.
    fn least_images(self, shape: Shape, board: Board) -> impl Iterator<Item = (Board, Element)> {
        (0..self.globals() / 4).flat_map(move |mirror| {
            // The least rotation of a quadrant doesn't depend on the image of the quadrant.
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
                    // The rotation of the whole board has already turned the quadrant, in the
                    // opposite direction under a reflection.
                    let left = if mirror == 0 { quarters + 4 - turns } else { quarters + turns };
                    local[usize::from(to)] = left;
                }
                (image, Element::new(global.global(), local))
            })
        })
    }
}

impl Position {
    /// Returns the least image of the position under a group of symmetries.
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

/// Returns the marbles of quadrant `q`: the set of X, then the set of O. Quadrants are ordered like
/// boards.
fn quadrant(board: Board, q: u32) -> [u16; 2] {
    [board.x, board.o].map(|set| (set >> (16 * q)) as u16)
}

/// Returns the image of a quadrant under a symmetry of the square.
fn image(shape: Shape, quadrant: [u16; 2], symmetry: u8) -> [u16; 2] {
    quadrant.map(|set| shape.quadrant_image(set, symmetry))
}

/// Returns the least of the four rotations of a quadrant, and the number of clockwise quarter turns
/// to it.
fn least(shape: Shape, quadrant: [u16; 2]) -> ([u16; 2], u8) {
    let turned = |quarters| (image(shape, quadrant, quarters), quarters);
    turned(0).min(turned(1)).min(turned(2)).min(turned(3))
}
