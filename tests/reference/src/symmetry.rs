//! The symmetries of a board, by trial: the 8 of the whole board, and the 2,048 that also turn each
//! quadrant freely.
//!
//! The whole board can be turned and mirrored in 8 ways, and then each of the four quadrants can be
//! turned by 0 to 3 quarter turns, 256 ways. Each of the 2,048 symmetries is one of the 8 followed
//! by one of the 256, in exactly one way: a symmetry of the whole board followed by turns of quadrants
//! maps quadrants to quadrants, and so does every product of such.

use std::collections::HashSet;

use crate::grid::Cells;
use crate::{Options, State};

/// A group of symmetries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The 4 turns of the whole board: they keep values by all rules, also when quadrants turn
    /// clockwise only.
    Quarter,
    /// The 8 turns and mirror images of the whole board: they keep values except with `dir=cw`.
    Whole,
    /// All 2,048: the 8 followed by any turns of the quadrants. They do not keep values.
    All,
}

impl Group {
    /// How many symmetries there are.
    pub fn order(self) -> usize {
        match self {
            Group::Quarter => 4,
            Group::Whole => 8,
            Group::All => 2048,
        }
    }
}

impl Options {
    /// The images of a position under every symmetry of the group, in an order that is the same for
    /// all positions and starts with the position itself. An image appears as often as there are
    /// symmetries that give it.
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
            // Each quadrant multiplies the list by its four turns.
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

    /// The different images of a position, in order; the sockets are compared in reading order, an
    /// empty one being less than X and X less than O.
    pub fn orbit(&self, group: Group, state: &State) -> Vec<State> {
        let mut images = self.images(group, state);
        images.sort();
        images.dedup();
        images
    }

    /// How many symmetries leave the position as it is. Its product with the size of the orbit is
    /// the order of the group.
    pub fn stabiliser(&self, group: Group, state: &State) -> usize {
        let images = self.images(group, state);
        images.iter().filter(|&image| image == state).count()
    }

    /// The least image of a position in the order of [`orbit`](Options::orbit).
    pub fn least_image(&self, group: Group, state: &State) -> State {
        let images = self.images(group, state).into_iter();
        images.min().expect("a group has an identity")
    }

    /// How many boards of some marbles there are up to a group, lines or not, X having as many as O
    /// or one more; found by listing all of them. Fit for few marbles: with 5 there are 3.8 million
    /// boards, with 6 ten times as many.
    pub fn count_boards(&self, group: Group, marbles: usize) -> u64 {
        let mut seen: HashSet<Cells> = HashSet::new();
        let mut classes = 0;
        self.for_each_board(&mut [0; 36], 0, marbles.div_ceil(2), marbles / 2, &mut |cells| {
            if !seen.contains(cells) {
                classes += 1;
                seen.extend(self.cell_images(group, cells));
            }
        });
        classes
    }

    /// Fills the sockets from `socket` on with `x` and `o` marbles in every way.
    fn for_each_board(
        &self,
        cells: &mut Cells,
        socket: usize,
        x: usize,
        o: usize,
        visit: &mut impl FnMut(&Cells),
    ) {
        if x + o > self.sockets() - socket {
            return;
        }
        if socket == self.sockets() {
            visit(cells);
            return;
        }
        self.for_each_board(cells, socket + 1, x, o, visit);
        if x > 0 {
            cells[socket] = 1;
            self.for_each_board(cells, socket + 1, x - 1, o, visit);
        }
        if o > 0 {
            cells[socket] = 2;
            self.for_each_board(cells, socket + 1, x, o - 1, visit);
        }
        cells[socket] = 0;
    }

    /// The same number for any marbles, by the lemma of Burnside: the mean, over the symmetries, of
    /// the number of boards that a symmetry leaves as they are.
    pub fn count_boards_by_lemma(&self, group: Group, marbles: usize) -> u128 {
        let (x, o) = (marbles.div_ceil(2), marbles / 2);
        // The images of a board on which each socket holds its own number are the symmetries as
        // permutations.
        let mut numbered = [0; 36];
        for (socket, cell) in numbered.iter_mut().enumerate() {
            *cell = socket as u8;
        }
        let mut fixed = 0;
        for permutation in self.cell_images(group, &numbered) {
            // boards[i][j]: in how many ways the cycles so far hold i marbles of X and j of O. A
            // board stays as it is when each cycle holds one kind only.
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

    /// The lengths of the cycles of a permutation of the sockets.
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
