//! A board as a list of numbers, row by row from the top. Arrays, files and programs in other
//! languages exchange boards in this form.

use super::lines::socket_number;
use super::{Board, Impossible, Position, Shape};

/// For each socket of a board whose quadrants have `SIDE` rows, returns a word in which only the
/// bit of this socket is set. The sockets are in order row by row from the top.
const fn bits<const SIDE: usize, const COUNT: usize>() -> [u64; COUNT] {
    let mut bits = [0; COUNT];
    let mut cell = 0;
    while cell < COUNT {
        bits[cell] = 1 << socket_number(SIDE, cell / (2 * SIDE), cell % (2 * SIDE));
        cell += 1;
    }
    bits
}

const PENTAGO: [u64; 36] = bits::<3, 36>();
const MINI: [u64; 16] = bits::<2, 16>();

impl Shape {
    /// For each socket, returns a word in which only the bit of this socket is set: 36 or 16 words,
    /// row by row from the top.
    pub const fn cell_bits(self) -> &'static [u64] {
        match self {
            Shape::Pentago => &PENTAGO,
            Shape::Mini3 | Shape::Mini4 => &MINI,
        }
    }
}

impl Position {
    /// Returns one number for each socket, row by row from the top (36 or 16 numbers): 0 for an
    /// empty socket, 1 for a marble of X, 2 for a marble of O. The digits in the texts that
    /// [`Rules::parse_position`](super::Rules::parse_position) parses have the same meaning.
    ///
    /// ```
    /// use pentago_core::rules::Position;
    ///
    /// let position: Position = "XO4/6/6/6/6/5X o".parse()?;
    /// let cells: Vec<i8> = position.cells().collect();
    /// assert_eq!((&cells[..3], cells[35]), (&[1, 2, 0][..], 1));
    /// assert_eq!(Position::from_cells(position.shape(), &cells, false)?, position);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cells(&self) -> impl ExactSizeIterator<Item = i8> + use<> {
        let Board { x, o } = self.board();
        self.shape().cell_bits().iter().map(move |bit| i8::from(x & bit != 0) + 2 * i8::from(o & bit != 0))
    }

    /// Returns the position with these contents of the sockets, row by row from the top: 0 for an
    /// empty socket, 1 for a marble of X, 2 for a marble of O. The counts determine the side to
    /// move. If `pending` is `true`, the side to move has placed its marble, and its turn is
    /// pending.
    ///
    /// # Errors
    /// If the number of cells isn't the number of sockets, if a cell is not 0, 1 or 2, or if the
    /// counts can't occur in play.
    pub fn from_cells(shape: Shape, cells: &[i8], pending: bool) -> Result<Position, Impossible> {
        let bits = shape.cell_bits();
        if cells.len() != bits.len() {
            return Err(Impossible::CellCount { count: cells.len(), sockets: bits.len() });
        }
        let mut board = Board::EMPTY;
        for (at, (&cell, bit)) in cells.iter().zip(bits).enumerate() {
            match cell {
                0 => {}
                1 => board.x |= bit,
                2 => board.o |= bit,
                value => return Err(Impossible::Cell { at, value }),
            }
        }
        Position::implied(shape, board, pending)
    }

    /// Returns the index of a socket in the list that `cells` returns: row by row from the top.
    pub fn cell_of(&self, socket: super::Socket) -> usize {
        let (file, rank) = self.shape().file_rank(socket);
        let size = self.shape().size();
        (size - 1 - rank) * size + file
    }
}
