//! What is on the table: the marbles ([`Board`]), and with the side to move a [`Position`].

use super::{Color, Shape, Socket};

/// The marbles: two sets of sockets without a common one.
///
/// Boards are ordered by X's set, then by O's, both as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Board {
    /// The sockets with a marble of the player who began.
    pub x: u64,
    /// The sockets with a marble of the other.
    pub o: u64,
}

impl Board {
    /// No marbles.
    pub const EMPTY: Board = Board { x: 0, o: 0 };

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

    /// Whose marble is in the socket.
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
    #[must_use]
    pub const fn with(self, color: Color, socket: Socket) -> Board {
        match color {
            Color::X => Board { x: self.x | socket.bit(), o: self.o },
            Color::O => Board { x: self.x, o: self.o | socket.bit() },
        }
    }

    /// The board with both sets replaced by their images.
    #[must_use]
    pub fn map(self, mut image: impl FnMut(u64) -> u64) -> Board {
        Board { x: image(self.x), o: image(self.o) }
    }
}

/// A board with the player to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The marbles.
    pub board: Board,
    /// The player to move; in a pending position the one who has placed and is to turn.
    pub to_move: Color,
    /// The marble of this move is placed, its turn is still to be made.
    pub pending: bool,
}

/// Why no game leads to a position with these counts of marbles. The text reads well behind a
/// colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// Marbles outside the board, or two in one socket.
    #[error("there are marbles outside the board, or two in one socket")]
    NotABoard,
    /// X began, so X has as many marbles as O or one more.
    #[error("{x} X and {o} O: X began, so X has as many marbles as O or one more")]
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
        /// The side that was said to move.
        side: Color,
        /// Whether a turn was said to be pending.
        pending: bool,
    },
    /// A turn is pending, but no marble has been placed.
    #[error("no marble is placed yet, so no turn can be pending")]
    NothingPlaced,
}

/// What the side to move has to do.
fn what(pending: bool) -> &'static str {
    if pending { "turn to make" } else { "move" }
}

impl Position {
    /// The position before the first move.
    pub const START: Position = Position { board: Board::EMPTY, to_move: Color::X, pending: false };

    /// The position of a board before the next placement, with the player to move as the counts
    /// have it: X if they are equal.
    ///
    /// # Errors
    /// If X has neither as many marbles as O nor one more.
    pub fn of(shape: Shape, board: Board) -> Result<Position, Impossible> {
        Position::implied(shape, board, false)
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
        Ok(Position { board, to_move, pending })
    }

    /// Whether the counts of marbles can arise in play: X = O with X to move or X = O + 1 with O to
    /// move; while a turn is pending, X = O + 1 with X to turn or X = O with O to turn.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, shape: Shape) -> Result<(), Impossible> {
        let implied = Position::implied(shape, self.board, self.pending)?;
        if implied.to_move == self.to_move {
            return Ok(());
        }
        let (x, o) = (self.board.x.count_ones(), self.board.o.count_ones());
        Err(Impossible::Side { x, o, side: self.to_move, pending: self.pending })
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
