//! The marbles on a board ([`Board`]), and a board with the side to move ([`Position`]).

use super::shape::{Shape, Turn};
use super::sockets::Socket;
use pentago_base::{Color, bits};

/// The marbles on a board: two disjoint sets of sockets.
///
/// Boards are ordered by the set of X, then by the set of O, both as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Board {
    /// The sockets with a marble of X: bit i for socket i.
    pub x: u64,
    /// The sockets with a marble of O: bit i for socket i.
    pub o: u64,
}

impl Board {
    /// The board without marbles.
    pub const EMPTY: Board = Board { x: 0, o: 0 };

    /// Returns the board with these marbles, bit i for socket i. Returns `None` if a socket is in
    /// both sets.
    pub const fn new(x: u64, o: u64) -> Option<Board> {
        if x & o == 0 { Some(Board { x, o }) } else { None }
    }

    /// Returns the set of sockets that hold a marble of one player.
    pub const fn of(&self, color: Color) -> u64 {
        match color {
            Color::X => self.x,
            Color::O => self.o,
        }
    }

    /// Returns the set of sockets that hold a marble.
    pub const fn occupied(&self) -> u64 {
        self.x | self.o
    }

    /// Returns the number of marbles.
    pub const fn marbles(&self) -> u32 {
        self.occupied().count_ones()
    }

    /// Returns the set of free sockets, for a board of this shape.
    pub const fn free(&self, shape: Shape) -> u64 {
        shape.board_mask() & !self.occupied()
    }

    /// Returns the owner of the marble in a socket, or `None` for an empty socket.
    pub const fn at(&self, socket: Socket) -> Option<Color> {
        if self.x & socket.bit() != 0 {
            Some(Color::X)
        } else if self.o & socket.bit() != 0 {
            Some(Color::O)
        } else {
            None
        }
    }

    /// Returns the board with one more marble.
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

    /// Returns a clockwise turn that leaves the board unchanged, or `None` if every such turn
    /// changes the board.
    pub(crate) fn idle_turn(self, shape: Shape) -> Option<Turn> {
        let clockwise = Turn::ALL.into_iter().filter(|turn| turn.clockwise);
        clockwise.into_iter().find(|&turn| self.map(|set| shape.turn(set, turn)) == self)
    }

    /// Returns the board in which `image` has been applied to both sets. The two results must be
    /// disjoint.
    pub fn map(self, mut image: impl FnMut(u64) -> u64) -> Board {
        Board { x: image(self.x), o: image(self.o) }
    }
}

/// A board, the player to move, and whether a turn is pending. A position is valid by construction:
/// the marbles lie on the board, no two of them in one socket, and their counts can occur in play.
///
/// A position stores the shape of its board, but no rule options. Any rules with the same shape can
/// be applied to the position.
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

/// The reason why a position can't occur in a game. Each error message is worded to follow a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// Marbles lie outside the board, or two marbles lie in one socket.
    #[error("there are marbles outside the board, or two in one socket")]
    NotABoard,
    /// The counts can't occur: X moves first, so X has as many marbles as O or one more.
    #[error("{x} X and {o} O: X moves first, so X has as many marbles as O or one more")]
    Counts {
        /// The number of marbles of X.
        x: u32,
        /// The number of marbles of O.
        o: u32,
    },
    /// The counts imply that the other player is to move.
    #[error("with {x} X and {o} O it is {}'s {}, not {side}'s", side.other(), what(*pending))]
    Side {
        /// The number of marbles of X.
        x: u32,
        /// The number of marbles of O.
        o: u32,
        /// The side to move that the caller specified.
        side: Color,
        /// `true` if the caller specified that a turn is pending.
        pending: bool,
    },
    /// A turn is pending, but no marble has been placed.
    #[error("the board is empty, so no turn can be pending")]
    NothingPlaced,
    /// A turn is pending, but a line was complete before any of the marbles of the player to move.
    #[error("a line was complete before the last marble: the game was over, so no turn can be pending")]
    Over,
    /// The number of cells isn't the number of sockets of the board.
    #[error("{count} cells, but the board has {sockets} sockets")]
    CellCount {
        /// The number of cells that the caller passed.
        count: usize,
        /// The number of sockets of the board.
        sockets: usize,
    },
    /// A cell holds a number other than 0, 1 and 2.
    #[error("cell {at} is {value}: expected 0 (empty), 1 (X) or 2 (O)")]
    Cell {
        /// The index of the cell, row by row from the top, from 0.
        at: usize,
        /// The number in the cell.
        value: i8,
    },
}

/// Returns the noun that error messages use for the next action: a turn or a move.
fn what(pending: bool) -> &'static str {
    if pending { "turn to make" } else { "move" }
}

impl Position {
    /// Returns the position before the first move of a game on this board.
    pub const fn start(shape: Shape) -> Position {
        Position { shape, board: Board::EMPTY, to_move: Color::X, pending: false }
    }

    /// Returns the position with this board and no pending turn. The counts determine the side to
    /// move: X if the counts are equal, otherwise O.
    ///
    /// # Errors
    /// If X has neither as many marbles as O nor one more, or if the sets are not a valid board of
    /// this shape.
    pub fn of(shape: Shape, board: Board) -> Result<Position, Impossible> {
        Position::implied(shape, board, false)
    }

    /// Returns the position with this board and this side to move. If no turn is pending, X is to
    /// move if both players have equally many marbles, and O if X has one more. While a turn is
    /// pending, O is to move if the counts are equal, and otherwise X.
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

    /// Returns the position with this board. The counts of marbles determine the side to move.
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
        // If the counts are equal, X is to place a marble, or O has placed a marble and must turn.
        let to_move = if (x == o) != pending { Color::X } else { Color::O };
        let position = Position { shape, board, to_move, pending };
        // The last marble is unknown, so try each marble of the player to move.
        let may_be_last = |marble: usize| !shape.has_line(position.own() & !(1 << marble));
        if pending && (shape.has_line(position.others()) || !bits(position.own()).any(may_be_last)) {
            return Err(Impossible::Over);
        }
        Ok(position)
    }

    /// Returns the position with its board replaced by `board`, such as an image under a symmetry.
    /// Both boards must have equally many marbles of each player.
    #[must_use]
    pub fn with_board(self, board: Board) -> Position {
        debug_assert_eq!(board.x.count_ones(), self.board.x.count_ones());
        debug_assert_eq!(board.o.count_ones(), self.board.o.count_ones());
        Position { board, ..self }
    }

    /// Returns the position after a complete move, or after the placement of a move if `pending` is
    /// `true`. The caller has checked that the move is legal.
    pub(super) fn after(shape: Shape, board: Board, to_move: Color, pending: bool) -> Position {
        Position { shape, board, to_move, pending }
    }

    /// Returns the shape of the board.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the board.
    pub const fn board(&self) -> Board {
        self.board
    }

    /// Returns the player to move. In a pending position, this player has placed a marble and must
    /// still turn a quadrant.
    pub const fn to_move(&self) -> Color {
        self.to_move
    }

    /// Returns `true` if the player to move has placed a marble and the turn is still pending.
    pub const fn pending(&self) -> bool {
        self.pending
    }

    /// Returns the number of marbles.
    pub const fn marbles(&self) -> u32 {
        self.board.marbles()
    }

    /// Returns the set of free sockets: bit i for socket i.
    pub const fn free(&self) -> u64 {
        self.board.free(self.shape)
    }

    /// Returns the set of sockets that hold a marble of the player to move.
    pub const fn own(&self) -> u64 {
        self.board.of(self.to_move)
    }

    /// Returns the set of sockets that hold a marble of the other player.
    pub const fn others(&self) -> u64 {
        self.board.of(self.to_move.other())
    }
}
