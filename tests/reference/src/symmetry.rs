//! The symmetries of a board, each applied literally: the 8 symmetries of the whole board, and the
//! 2,048 symmetries that also turn each quadrant.
//!
//! The whole board can be turned and mirrored in 8 ways. Then each of the four quadrants can be
//! turned by 0 to 3 quarter turns, in 256 ways. Each of the 2,048 symmetries is, in exactly one
//! way, one of the 8 symmetries followed by one of the 256 ways to turn quadrants. The 2,048
//! symmetries form a group, because all of them map quadrants to quadrants.

use crate::grid::Cells;
use crate::{Options, State};

/// A group of symmetries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The 4 turns of the whole board, which preserve values under all rules.
    Quarter,
    /// The 8 turns and reflections of the whole board, which preserve values except with `dir=cw`.
    Whole,
    /// All 2,048 symmetries: the 8 symmetries of the board, each followed by any turns of
    /// quadrants. Symmetries that turn quadrants don't preserve values.
    All,
}

impl Group {
    /// Returns the number of symmetries in the group.
    pub fn order(self) -> usize {
        match self {
            Group::Quarter => 4,
            Group::Whole => 8,
            Group::All => 2048,
        }
    }
}

impl Options {
    /// Returns the image of a position under each symmetry of the group, in a fixed order with the
    /// identity first. An image occurs several times if several symmetries lead to it.
    pub fn images(&self, group: Group, state: &State) -> Vec<State> {
        let images = self.cell_images(group, &state.cells).into_iter();
        images.map(|cells| State { cells, ..*state }).collect()
    }

    fn cell_images(&self, group: Group, cells: &Cells) -> Vec<Cells> {
        let mut images = vec![*cells];
        for _ in 1..4 {
            images.push(self.turn_board(&images[images.len() - 1]));
        }
        if group != Group::Quarter {
            for i in 0..4 {
                images.push(self.mirror_board(&images[i]));
            }
        }
        if group == Group::All {
            // For each quadrant, replace each image by four images, in which this quadrant is
            // turned 0, 1, 2 and 3 times.
            for quadrant in 0..4 {
                let mut turned = Vec::new();
                for image in images {
                    let mut cells = image;
                    for _ in 0..4 {
                        turned.push(cells);
                        cells = self.turn_quadrant(&cells, quadrant, true);
                    }
                }
                images = turned;
            }
        }
        images
    }

    /// Returns the least image of a position. Images are compared socket by socket in reading
    /// order. An empty socket is less than X, and X is less than O.
    pub fn least_image(&self, group: Group, state: &State) -> State {
        let images = self.images(group, state).into_iter();
        images.min().expect("a group has an identity")
    }

    /// Counts the boards with `marbles` marbles up to symmetry by Burnside's lemma. The count is
    /// the mean, over all symmetries, of the number of boards that the symmetry leaves unchanged. X
    /// has as many marbles as O, or one more. Boards with lines are included.
    pub fn count_boards_by_lemma(&self, group: Group, marbles: usize) -> u128 {
        let (x, o) = (marbles.div_ceil(2), marbles / 2);
        // Write the symmetries as permutations: number the sockets of a board, and compute all its
        // images.
        let mut numbered = [0; 36];
        for (socket, cell) in numbered.iter_mut().enumerate() {
            *cell = socket as u8;
        }
        let mut fixed = 0;
        for permutation in self.cell_images(group, &numbered) {
            // A symmetry leaves a board unchanged if all sockets of each cycle have the same
            // content. boards[i][j] is the number of ways to fill the cycles so far with i marbles
            // of X and j marbles of O.
            let mut boards = vec![vec![0u128; o + 1]; x + 1];
            boards[0][0] = 1;
            for length in self.cycles(&permutation) {
                for i in (0..=x).rev() {
                    for j in (0..=o).rev() {
                        if i >= length {
                            boards[i][j] += boards[i - length][j];
                        }
                        if j >= length {
                            boards[i][j] += boards[i][j - length];
                        }
                    }
                }
            }
            fixed += boards[x][o];
        }
        fixed / group.order() as u128
    }

    /// Returns the lengths of the cycles of a permutation of the sockets.
    fn cycles(&self, permutation: &Cells) -> Vec<usize> {
        let mut lengths = Vec::new();
        let mut seen = [false; 36];
        for start in 0..self.sockets() {
            let mut length = 0;
            let mut socket = start;
            while !seen[socket] {
                seen[socket] = true;
                length += 1;
                socket = permutation[socket] as usize;
            }
            if length > 0 {
                lengths.push(length);
            }
        }
        lengths
    }
}
