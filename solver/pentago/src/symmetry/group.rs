//! The groups that act on boards, and what they make of a board: its canonical form, its orbit, its
//! stabiliser.
//!
//! The canonical form is the least board of the orbit, in the order of [`Board`]: by X's set, then
//! by O's, both as numbers. Their lanes of 16 bits are the blocks, the last block highest, so this
//! order compares block by block. Where the blocks turn on their own, the least image under one
//! symmetry of the whole board is thus the one with each block at its least, and 8 boards are
//! compared instead of 2,048.

use super::Element;
use crate::rules::{Board, Dir, Shape};

/// A subgroup of the group of 2,048.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Group {
    mirrors: bool,
    blocks: bool,
}

/// The least board of an orbit, and how a board got there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Canonical {
    board: Board,
    by: Element,
}

impl Canonical {
    /// The canonical board.
    #[must_use]
    pub const fn board(self) -> Board {
        self.board
    }

    /// An element that takes the board that was asked about to the canonical one; its inverse leads
    /// back.
    #[must_use]
    pub const fn by(self) -> Element {
        self.by
    }
}

impl Group {
    /// The symmetries of the whole board that keep the value of a position: 8, or the 4 quarter
    /// turns with `dir=cw`.
    #[must_use]
    pub const fn whole_board(dir: Dir) -> Group {
        Group { mirrors: matches!(dir, Dir::Both), blocks: false }
    }

    /// These together with all turns of the blocks: 2,048, or 1,024 with `dir=cw`.
    #[must_use]
    pub const fn with_blocks(dir: Dir) -> Group {
        Group { blocks: true, ..Group::whole_board(dir) }
    }

    /// The number of elements.
    #[must_use]
    pub const fn order(self) -> u32 {
        self.globals() as u32 * if self.blocks { 256 } else { 1 }
    }

    /// All elements, the identity first.
    pub fn elements(self) -> impl Iterator<Item = Element> {
        let turns = if self.blocks { 256 } else { 1 };
        (0..self.globals()).flat_map(move |global| {
            (0..turns)
                .map(move |k: u32| Element::new(global, [0, 2, 4, 6].map(|shift| (k >> shift) as u8 % 4)))
        })
    }

    /// The least board of the orbit of a board, with an element that leads there. Of several such
    /// elements it is always the same one, with the first symmetry of the whole board that leads
    /// there.
    #[must_use]
    pub fn canonical(self, shape: Shape, board: Board) -> Canonical {
        let mut least: Option<Canonical> = None;
        self.least_images(shape, board, |image| {
            if least.is_none_or(|least| image.board < least.board) {
                least = Some(image);
            }
        });
        least.expect("a group is never empty")
    }

    /// The number of elements that leave the board as it is.
    #[must_use]
    pub fn stabiliser_size(self, shape: Shape, board: Board) -> u32 {
        // Every board of the orbit is reached from this one by as many elements, so the least may
        // be counted.
        let mut least = board;
        let mut count = 0;
        self.least_images(shape, board, |image| {
            if count == 0 || image.board < least {
                (least, count) = (image.board, 0);
            }
            count += u32::from(image.board == least);
        });
        if self.blocks {
            count *= (0..4).map(|q| Block::of(board, q).turns_that_keep(shape)).product::<u32>();
        }
        count
    }

    /// The number of different images of the board.
    #[must_use]
    pub fn orbit_size(self, shape: Shape, board: Board) -> u32 {
        self.order() / self.stabiliser_size(shape, board)
    }

    /// The number of symmetries of the whole board.
    const fn globals(self) -> u8 {
        if self.mirrors { 8 } else { 4 }
    }

    /// For each symmetry of the whole board in turn, the least image under it and any turns of the
    /// blocks that the group has.
    fn least_images(self, shape: Shape, board: Board, mut each: impl FnMut(Canonical)) {
        if !self.blocks {
            for by in self.elements() {
                each(Canonical { board: by.apply(shape, board), by });
            }
            return;
        }
        for mirror in 0..self.globals() / 4 {
            // Blocks that turn on their own are at their least in the same way wherever they go.
            let blocks = [0, 1, 2, 3].map(|q| Block::of(board, q).image(shape, 4 * mirror).least(shape));
            for turns in 0..4 {
                let global = Element::whole_board(4 * mirror + turns);
                let mut image = Board::EMPTY;
                let mut local = [0; 4];
                for (q, (block, quarters)) in blocks.into_iter().enumerate() {
                    let to = global.block(q as u8);
                    image.x |= u64::from(block.x) << (16 * to);
                    image.o |= u64::from(block.o) << (16 * to);
                    // The turn of the whole board has turned the block: less is left to do. Seen in
                    // the mirror, it has turned it the other way.
                    let left = if mirror == 0 { quarters + 4 - turns } else { quarters + turns };
                    local[usize::from(to)] = left;
                }
                each(Canonical { board: image, by: Element::new(global.global(), local) });
            }
        }
    }
}

/// The marbles of one block, ordered as boards are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Block {
    x: u16,
    o: u16,
}

impl Block {
    fn of(board: Board, q: u32) -> Block {
        Block { x: (board.x >> (16 * q)) as u16, o: (board.o >> (16 * q)) as u16 }
    }

    fn image(self, shape: Shape, symmetry: u8) -> Block {
        Block { x: shape.block_image(self.x, symmetry), o: shape.block_image(self.o, symmetry) }
    }

    /// The least of the four turned blocks, and the clockwise quarter turns to it.
    fn least(self, shape: Shape) -> (Block, u8) {
        let turned = |quarters| (self.image(shape, quarters), quarters);
        turned(0).min(turned(1)).min(turned(2)).min(turned(3))
    }

    /// The number of turns, 1, 2 or 4, that leave the block as it is.
    fn turns_that_keep(self, shape: Shape) -> u32 {
        (0..4).filter(|&quarters| self.image(shape, quarters) == self).count() as u32
    }
}
