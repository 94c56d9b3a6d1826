//! The marbles ([`Board`]), and with the side to move a [`Position`].

use super::shape::{Shape, Turn};
use super::sockets::{Socket, SocketSet};
use pentago_base::Color;

/// The marbles: two disjoint sets of sockets.
///
/// Boards are ordered by X's set, then by O's, both as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Board {
    /// The sockets of X, one bit each.
    pub x: u64,
    /// The sockets of O, one bit each.
    pub o: u64,
}

impl Board {
    /// No marbles.
    pub const EMPTY: Board = Board { x: 0, o: 0 };

    /// The board with these marbles, socket i being bit i; none if both have a marble in one
    /// socket.
    #[must_use]
    pub const fn new(x: u64, o: u64) -> Option<Board> {
        if x & o == 0 { Some(Board { x, o }) } else { None }
    }

    /// The sockets with a marble of X.
    #[must_use]
    pub const fn x(&self) -> u64 {
        self.x
    }

    /// The sockets with a marble of O.
    #[must_use]
    pub const fn o(&self) -> u64 {
        self.o
    }

    /// The marbles of one player.
    #[must_use]
    pub const fn of(&self, color: Color) -> u64 {
        match color {
            Color::X => self.x,
            Color::O => self.o,
        }
    }

    /// The sockets that hold a marble.
    #[must_use]
    pub const fn occupied(&self) -> u64 {
        self.x | self.o
    }

    /// The number of marbles.
    #[must_use]
    pub const fn marbles(&self) -> u32 {
        self.occupied().count_ones()
    }

    /// The free sockets of a board of this shape.
    #[must_use]
    pub const fn free(&self, shape: Shape) -> u64 {
        shape.board_mask() & !self.occupied()
    }

    /// The owner of the marble in the socket, if there is one.
    #[must_use]
    pub const fn at(&self, socket: Socket) -> Option<Color> {
        if self.x & socket.bit() != 0 {
            Some(Color::X)
        } else if self.o & socket.bit() != 0 {
            Some(Color::O)
        } else {
            None
        }
    }

    /// The board with one more marble.
    ///
    /// # Panics
    /// If the socket isn't free.
    #[must_use]
    pub const fn with(self, color: Color, socket: Socket) -> Board {
        assert!(self.occupied() & socket.bit() == 0, "the socket is free");
        match color {
            Color::X => Board { x: self.x | socket.bit(), o: self.o },
            Color::O => Board { x: self.x, o: self.o | socket.bit() },
        }
    }

    /// Returns a clockwise turn that leaves the board unchanged, if there is one.
    pub(crate) fn idle_turn(self, shape: Shape) -> Option<Turn> {
        let clockwise = Turn::ALL.into_iter().filter(|turn| turn.clockwise);
        clockwise.into_iter().find(|&turn| self.map(|set| shape.turn(set, turn)) == self)
    }

    /// The board with both sets replaced by their images, which are disjoint.
    #[must_use]
    pub fn map(self, mut image: impl FnMut(u64) -> u64) -> Board {
        Board { x: image(self.x), o: image(self.o) }
    }
}

/// A board with the player to move, valid by construction: the marbles lie on the board, no two in
/// one socket, and their counts can occur in play.
///
/// It knows the shape of its board, but not the options of its rules: the same position may be
/// asked about under any rules of that shape.
///
/// ```
/// use pentago_core::rules::Position;
///
/// let position: Position = "OO1OO1/6/6/6/6/XXXX2 x".parse()?;
/// assert_eq!(position.marbles(), 8);
/// assert_eq!(position.to_string(), "OO1OO1/6/6/6/6/XXXX2 x");
/// # Ok::<(), pentago_core::rules::ParseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    shape: Shape,
    board: Board,
    to_move: Color,
    pending: bool,
}

/// Why a position can't occur in a game. The text is written to follow a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// Marbles outside the board, or two in one socket.
    #[error("there are marbles outside the board, or two in one socket")]
    NotABoard,
    /// X moves first, so X has as many marbles as O or one more.
    #[error("{x} X and {o} O: X moves first, so X has as many marbles as O or one more")]
    Counts {
        /// Marbles of X.
        x: u32,
        /// Marbles of O.
        o: u32,
    },
    /// The counts fit, but then the other player is to move.
    #[error("with {x} X and {o} O it is {}'s {}, not {side}'s", side.other(), what(*pending))]
    Side {
        /// Marbles of X.
        x: u32,
        /// Marbles of O.
        o: u32,
        /// The given side to move.
        side: Color,
        /// Whether a turn was given as pending.
        pending: bool,
    },
    /// A turn is pending, but no marble has been placed.
    #[error("the board is empty, so no turn can be pending")]
    NothingPlaced,
    /// A number of cells that is not that of the board's sockets.
    #[error("{count} cells, but the board has {sockets} sockets")]
    CellCount {
        /// The given number.
        count: usize,
        /// The sockets of the board.
        sockets: usize,
    },
    /// A cell that is none of 0, 1 and 2.
    #[error("cell {at} is {value}: expected 0 (empty), 1 (X) or 2 (O)")]
    Cell {
        /// Its number, row by row from the top, from 0.
        at: usize,
        /// What it holds.
        value: i8,
    },
}

/// Returns what the side to move has to do.
fn what(pending: bool) -> &'static str {
    if pending { "turn to make" } else { "move" }
}

impl Position {
    /// The position before the first move of a game on this board.
    #[must_use]
    pub const fn start(shape: Shape) -> Position {
        Position { shape, board: Board::EMPTY, to_move: Color::X, pending: false }
    }

    /// The position of a board before the next placement; the counts determine the side to move: X
    /// if they are equal.
    ///
    /// # Errors
    /// If X has neither as many marbles as O nor one more, or the sets are no board of this shape.
    pub fn of(shape: Shape, board: Board) -> Result<Position, Impossible> {
        Position::implied(shape, board, false)
    }

    /// The position of a board with its side to move: X = O with X to move or X = O + 1 with O to
    /// move; while a turn is pending, X = O + 1 with X to turn or X = O with O to turn.
    ///
    /// # Errors
    /// If the position can't occur.
    pub fn new(shape: Shape, board: Board, to_move: Color, pending: bool) -> Result<Position, Impossible> {
        let implied = Position::implied(shape, board, pending)?;
        if implied.to_move == to_move {
            return Ok(implied);
        }
        let (x, o) = (board.x.count_ones(), board.o.count_ones());
        Err(Impossible::Side { x, o, side: to_move, pending })
    }

    /// The position of a board, pending or not, with the side that the counts imply.
    pub(super) fn implied(shape: Shape, board: Board, pending: bool) -> Result<Position, Impossible> {
        if board.x & board.o != 0 || board.occupied() & !shape.board_mask() != 0 {
            return Err(Impossible::NotABoard);
        }
        let (x, o) = (board.x.count_ones(), board.o.count_ones());
        if x != o && x != o + 1 {
            return Err(Impossible::Counts { x, o });
        }
        if pending && x == 0 {
            return Err(Impossible::NothingPlaced);
        }
        // Equal counts: X is to place, or O has just placed.
        let to_move = if (x == o) != pending { Color::X } else { Color::O };
        Ok(Position { shape, board, to_move, pending })
    }

    /// The same position with another board of as many marbles of each player: its image under a
    /// symmetry.
    #[must_use]
    pub fn with_board(self, board: Board) -> Position {
        debug_assert_eq!(board.x.count_ones(), self.board.x.count_ones());
        debug_assert_eq!(board.o.count_ones(), self.board.o.count_ones());
        Position { board, ..self }
    }

    /// After a move, or a part of one, that the rules have checked.
    pub(super) fn after(shape: Shape, board: Board, to_move: Color, pending: bool) -> Position {
        Position { shape, board, to_move, pending }
    }

    /// The shape of its board.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The marbles.
    #[must_use]
    pub const fn board(&self) -> Board {
        self.board
    }

    /// The player to move; in a pending position the one who has placed and is to turn.
    #[must_use]
    pub const fn to_move(&self) -> Color {
        self.to_move
    }

    /// Returns whether the marble of this move has been placed and its turn is still pending.
    #[must_use]
    pub const fn pending(&self) -> bool {
        self.pending
    }

    /// The number of marbles.
    #[must_use]
    pub const fn marbles(&self) -> u32 {
        self.board.marbles()
    }

    /// The free sockets.
    #[must_use]
    pub const fn free(&self) -> SocketSet {
        self.shape.set(self.board.free(self.shape))
    }

    /// The marbles of the player to move.
    #[must_use]
    pub const fn own(&self) -> u64 {
        self.board.of(self.to_move)
    }

    /// The marbles of the other player.
    #[must_use]
    pub const fn others(&self) -> u64 {
        self.board.of(self.to_move.other())
    }
}
