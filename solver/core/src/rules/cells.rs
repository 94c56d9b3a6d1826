//! A board as numbers, row by row from the top: what programs in other languages, arrays and files
//! exchange.

use super::lines::socket_number;
use super::{Board, Impossible, Position, Shape};

/// The bits of the sockets, row by row from the top, of a board with quadrants of `SIDE`.
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
    /// The bits of the sockets, row by row from the top: 36 or 16.
    #[must_use]
    pub const fn cell_bits(self) -> &'static [u64] {
        match self {
            Shape::Pentago => &PENTAGO,
            Shape::Mini { .. } => &MINI,
        }
    }
}

impl Position {
    /// The sockets row by row from the top, 36 or 16 of them: 0 is empty, 1 holds a marble of X, 2
    /// one of O. These are the digits that [`Rules::parse_position`](super::Rules::parse_position)
    /// reads.
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

    /// The position with these sockets, row by row from the top: 0 is empty, 1 holds a marble of X,
    /// 2 one of O. The counts determine the side to move, which has a turn pending if `pending`.
    ///
    /// # Errors
    /// If there are more or fewer cells than sockets, if one holds another number, or if the counts
    /// can't occur.
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

    /// The number of the cell of a socket, row by row from the top.
    #[must_use]
    pub fn cell_of(&self, socket: super::Socket) -> usize {
        let (file, rank) = self.shape().file_rank(socket);
        let size = self.shape().size();
        (size - 1 - rank) * size + file
    }
}
