//! The interface between the searches and a game: two sides, moves that can be taken back, and keys
//! of positions.
//!
//! A game of more than two seats becomes a game of two sides for one question. The seats that the
//! question is about form one side, and all other seats form the other side. The two sides
//! therefore need not move alternately: each position reports the side to move.

use std::fmt::Debug;

/// One of the two sides of a game.
///
/// The documentation of a game defines its sides: X and O, two teams, or one seat against all
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The side that the game names first, such as X.
    First,
    /// The opponent of the first side.
    Second,
}

impl Side {
    /// Returns the opponent of this side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// The outcome of a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side has won the game.
    Win(Side),
    /// No side has won the game. In a game of more than two players, the first place is shared.
    Draw,
}

/// The goal of a side: a win, or at least a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Goal {
    /// The attacker: the side that tries to reach the goal.
    pub side: Side,
    /// `true` if a draw reaches the goal.
    pub draw_is_enough: bool,
}

impl Goal {
    /// Returns the goal "`side` wins".
    pub const fn win(side: Side) -> Self {
        Self { side, draw_is_enough: false }
    }

    /// Returns the goal "`side` doesn't lose".
    pub const fn not_lose(side: Side) -> Self {
        Self { side, draw_is_enough: true }
    }

    /// Returns `true` if an outcome of the game reaches the goal.
    pub fn reached(self, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Win(side) => side == self.side,
            Outcome::Draw => self.draw_is_enough,
        }
    }
}

/// A position of a game, with moves that can be made and taken back.
///
/// The game graph is finite and has no cycles: [`plies_left`](Game::plies_left) decreases with
/// every move. Results depend only on the position, so a search is reproducible.
///
/// A wrapper can restrict the attacker, for example to threats, by listing fewer moves when the
/// attacker is to move. A proof for the attacker remains valid. A refutation then means only that
/// the listed moves don't suffice. Such a wrapper needs its own keys or its own table.
pub trait Game {
    /// A small description of a move, valid only in the position that listed the move.
    type Move: Copy + Eq + Debug;

    /// The data that [`unmake`](Game::unmake) needs besides the move: `()` if the move suffices, or
    /// a copy of the position if copying is cheap.
    type Undo;

    /// Returns the side to move. The result has no meaning after the end of the game.
    fn side(&self) -> Side;

    /// Returns the outcome if the game is over, otherwise `None`. The game is over in a position
    /// without legal moves.
    fn outcome(&self) -> Option<Outcome>;

    /// Returns an upper bound on the number of plies to the end of the game. The bound is 0 after
    /// the end, and decreases by at least 1 with each move.
    fn plies_left(&self) -> u32;

    /// Appends the moves to search to `out`, the most promising move first. Not called after the
    /// end of the game.
    ///
    /// Appends all legal moves, but may omit:
    /// - a move to a position with the same [key](Game::key) as the position after another listed
    ///   move;
    /// - a move after which the opponent has won, or can win immediately.
    ///
    /// If every move lets the opponent win immediately, the list may therefore be empty.
    fn moves(&mut self, out: &mut Vec<Self::Move>);

    /// Appends every legal move to `out`, in the order of certificates. Sockets or points come in
    /// the reading order of the position's text: rows from the top, each row from the left. For
    /// each socket, the move without a turn or with a declined turn comes first. The turns follow
    /// block by block, clockwise before counter-clockwise: 1+ 1- 2+ 2- and so on.
    fn all_moves(&mut self, out: &mut Vec<Self::Move>);

    /// Makes a move, which must be legal.
    fn make(&mut self, mv: Self::Move) -> Self::Undo;

    /// Takes back the latest move that has not been taken back yet.
    fn unmake(&mut self, mv: Self::Move, undo: Self::Undo);

    /// Makes a move, runs `work` on the resulting position, and takes the move back.
    #[inline]
    fn with_move<R>(&mut self, mv: Self::Move, work: impl FnOnce(&mut Self) -> R) -> R {
        let undo = self.make(mv);
        let result = work(self);
        self.unmake(mv, undo);
        result
    }

    /// Returns a move with which the side to move wins the game immediately, or `None` if no legal
    /// move does so. Not called after the end of the game.
    ///
    /// The result must be exact. The searches call this function for every new position before they
    /// call `moves`.
    fn winning_move(&mut self) -> Option<Self::Move>;

    /// Returns `false` if it is clear without a search that `side` can't win within `plies` plies.
    #[inline]
    fn may_win_within(&self, side: Side, plies: u32) -> bool {
        let _ = side;
        plies > 0
    }

    /// Returns the key of the position. Equal positions must have equal keys. The key depends on
    /// everything that affects the value or the distance, including the side to move and the
    /// numbers of captures.
    ///
    /// Symmetric positions may share a key. A table stores a key below 2^64 in full. If different
    /// positions always have different keys below 2^64, the table therefore never confuses two
    /// positions. Larger keys are hashed to 64 bits and a bucket of the table, so they must be well
    /// mixed (Zobrist hashing). Two positions with equal hashes make the answer of a search wrong,
    /// with a probability of about 2^-62 per look-up. Certificates are checked without keys.
    fn key(&self) -> u128;

    /// Returns the initial proof number and disproof number of a new position for `goal`. The
    /// numbers estimate how many positions must be solved until the goal is proved or refuted. Both
    /// numbers are at least 1.
    fn estimate(&mut self, goal: Goal) -> (u32, u32) {
        let _ = goal;
        (1, 1)
    }
}

/// The notation of a game in certificates. The checker recognises the game and its moves by this
/// notation.
pub trait Notation: Game {
    /// Returns the game and its rules in the form that the command line accepts, such as
    /// `pentago:dir=cw`.
    fn game_text(&self) -> String;

    /// Returns the text of the position, including the side to move. Different positions have
    /// different texts.
    fn position_text(&self) -> String;

    /// Returns the text of a move in this position, such as `c4/2+`, or `c4` if the placement ends
    /// the game.
    fn move_text(&self, mv: Self::Move) -> String;

    /// Returns the name of a side in the claim of a certificate, such as `x`, `b`, or `ac` for a
    /// team.
    fn side_text(&self, side: Side) -> String;
}
