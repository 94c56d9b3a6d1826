//! Functions on the sockets of a board: turn quadrants, turn and mirror the whole board, find
//! lines.
//!
//! A board is an array of 36 sockets in reading order from the top left, row by row: 0 is empty, 1
//! is a marble of X, 2 is a marble of O. The 4x4 game uses the first 16 sockets. Rows and columns
//! count from 0: row 0 is the top rank, and column 0 is file a.

use crate::Options;

/// The content of the sockets in reading order: 0 is empty, 1 is X, 2 is O.
pub type Cells = [u8; 36];

impl Options {
    /// Returns the index, in reading order, of the socket in a row and a column.
    fn at(&self, row: usize, column: usize) -> usize {
        row * self.n + column
    }

    /// Returns the number of sockets of the board.
    pub(crate) fn sockets(&self) -> usize {
        self.n * self.n
    }

    /// Iterates over the sockets of a quadrant (0 to 3 in reading order), in reading order.
    pub(crate) fn quadrant_sockets(&self, quadrant: usize) -> impl Iterator<Item = usize> {
        let (top, left) = self.corner(quadrant);
        (0..self.bs * self.bs).map(move |i| self.at(top + i / self.bs, left + i % self.bs))
    }

    /// Returns the row and the column of the top left socket of a quadrant.
    fn corner(&self, quadrant: usize) -> (usize, usize) {
        (quadrant / 2 * self.bs, quadrant % 2 * self.bs)
    }

    /// Turns one quadrant (0 to 3 in reading order) by 90 degrees.
    pub fn turn_quadrant(&self, cells: &Cells, quadrant: usize, clockwise: bool) -> Cells {
        // Pass constant sizes, so that the compiler unrolls the loops, which saves most of the
        // time.
        match (self.n, self.bs) {
            (6, 3) => turned(6, 3, cells, quadrant, clockwise),
            (4, 2) => turned(4, 2, cells, quadrant, clockwise),
            (n, bs) => turned(n, bs, cells, quadrant, clockwise),
        }
    }

    /// Turns the whole board by 90 degrees clockwise.
    pub(crate) fn turn_board(&self, cells: &Cells) -> Cells {
        let mut turned = [0; 36];
        for row in 0..self.n {
            for column in 0..self.n {
                turned[self.at(column, self.n - 1 - row)] = cells[self.at(row, column)];
            }
        }
        turned
    }

    /// Mirrors the whole board, exchanging left and right.
    pub(crate) fn mirror_board(&self, cells: &Cells) -> Cells {
        let mut mirrored = [0; 36];
        for row in 0..self.n {
            for column in 0..self.n {
                mirrored[self.at(row, self.n - 1 - column)] = cells[self.at(row, column)];
            }
        }
        mirrored
    }

    /// Returns `true` at index 1 if X has `k` or more marbles in a line, and at index 2 if O has.
    /// The element at index 0 is `false`.
    pub fn lines(&self, cells: &Cells) -> [bool; 3] {
        match (self.n, self.k) {
            (6, 5) => lines(6, 5, cells),
            (4, 4) => lines(4, 4, cells),
            (4, 3) => lines(4, 3, cells),
            (n, k) => lines(n, k, cells),
        }
    }
}

/// Turns a quadrant of `bs` x `bs` sockets on a board with `n` sockets per side.
#[inline(always)]
fn turned(n: usize, bs: usize, cells: &Cells, quadrant: usize, clockwise: bool) -> Cells {
    let (top, left) = (quadrant / 2 * bs, quadrant % 2 * bs);
    let at = |row: usize, column: usize| row * n + column;
    let last = bs - 1;
    let mut turned = *cells;
    for row in 0..bs {
        for column in 0..bs {
            // A clockwise turn moves the top row to the right column, and the left end of this row
            // to the top of this column.
            let (new_row, new_column) = if clockwise { (column, last - row) } else { (last - column, row) };
            turned[at(top + new_row, left + new_column)] = cells[at(top + row, left + column)];
        }
    }
    turned
}

/// Returns `true` at index 1 if X has `k` or more marbles in a line, and at index 2 if O has. The
/// board has `n` sockets per side. The element at index 0 is `false`.
#[inline(always)]
fn lines(n: usize, k: usize, cells: &Cells) -> [bool; 3] {
    // Look only for lines of exactly k marbles, because a longer line contains such a line.
    let mut found = [false; 3];
    let Some(room) = n.checked_sub(k) else { return found };
    let at = |row: usize, column: usize| row * n + column;
    let mut look = |first: usize, step: usize| {
        let player = cells[first];
        if player != 0 && (1..k).all(|i| cells[first + i * step] == player) {
            found[player as usize] = true;
        }
    };
    for row in 0..n {
        for column in 0..=room {
            // Look along a row to the right, and along a column downwards.
            look(at(row, column), at(0, 1));
            look(at(column, row), at(1, 0));
        }
    }
    for row in 0..=room {
        for column in 0..=room {
            // Look along the diagonal down to the right, and along the diagonal down to the left.
            look(at(row, column), at(1, 1));
            look(at(row, n - 1 - column), at(1, 0) - 1);
        }
    }
    found
}
