//! The interface between the searches and a game: two sides, moves that can be taken back, and
//! keys.
//!
//! A game of more than two seats becomes a game of two sides for one question. The seats of the
//! question form one side, and all other seats form the other side. The sides therefore need not
//! alternate: each position reports the side to move.

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
    /// No side won. In a free-for-all, the first place is shared.
    Draw,
}

/// The goal of a side: a win, or at least a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Goal {
    /// The attacker: the side that tries to reach the goal.
    pub side: Side,
    /// `true` if a draw is enough.
    pub draw_is_enough: bool,
}

impl Goal {
    /// Returns the goal that the side wins.
    #[must_use]
    pub const fn win(side: Side) -> Self {
        Self { side, draw_is_enough: false }
    }

    /// Returns the goal that the side doesn't lose.
    #[must_use]
    pub const fn not_lose(side: Side) -> Self {
        Self { side, draw_is_enough: true }
    }

    /// Returns `true` if this outcome reaches the goal.
    #[must_use]
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
/// every move. All results depend on the position alone, so that a search is reproducible.
///
/// A wrapper can restrict the attacker, for example to threats, by listing fewer moves when the
/// attacker moves. A proof for the attacker remains a proof. A refutation then only means that
/// those moves don't suffice. The wrapper needs its own keys or its own table.
pub trait Game {
    /// A move: small, and valid only in the position that listed it.
    type Move: Copy + Eq + Debug;

    /// The data that [`unmake`](Game::unmake) needs: `()` if the move suffices, or a copy of the
    /// position if copying is cheap.
    type Undo;

    /// Returns the side to move. The result has no meaning after the end of the game.
    fn side(&self) -> Side;

    /// Returns the outcome of a finished game, or `None`. A position without legal moves is
    /// finished.
    fn outcome(&self) -> Option<Outcome>;

    /// Returns an upper bound on the plies to the end of the game: 0 after the end, and at least
    /// one less after each move.
    fn plies_left(&self) -> u32;

    /// Appends the moves to search, the most promising first. Not called after the end of the game.
    ///
    /// The list holds all legal moves, except that it may omit:
    /// - moves to a position with the same [key](Game::key) as another listed move's;
    /// - moves after which the other side has won, or can win with its next move.
    ///
    /// The list may therefore be empty, if every move loses immediately.
    fn moves(&mut self, out: &mut Vec<Self::Move>);

    /// Appends every legal move, in the order of certificates: first by the socket or point in
    /// reading order of the position's text (rows from the top, from the left). For each socket, no
    /// turn or a declined turn comes first, then the turns by block, clockwise before
    /// counter-clockwise: 1+ 1- 2+ 2- and so on.
    fn all_moves(&mut self, out: &mut Vec<Self::Move>);

    /// Makes a move, which must be legal.
    fn make(&mut self, mv: Self::Move) -> Self::Undo;

    /// Takes back the last move that was made and not yet taken back.
    fn unmake(&mut self, mv: Self::Move, undo: Self::Undo);

    /// Makes a move, runs `work` on the position after it, and takes the move back.
    #[inline]
    fn with_move<R>(&mut self, mv: Self::Move, work: impl FnOnce(&mut Self) -> R) -> R {
        let undo = self.make(mv);
        let result = work(self);
        self.unmake(mv, undo);
        result
    }

    /// Returns a move that ends the game immediately with a win of the side to move, or `None`. Not
    /// called after the end of the game.
    ///
    /// The result must be exact: `None` means that no legal move wins immediately. The searches
    /// call this function for every new position, before they ask for moves.
    fn winning_move(&mut self) -> Option<Self::Move>;

    /// Returns a key that equal positions share. It depends on everything that affects the value or
    /// the distance, including the side to move and the numbers of captures.
    ///
    /// Symmetric positions may share a key. A key below 2^64 is used in full: if such keys are
    /// exact, so that different positions have different keys, no two positions are ever confused.
    /// Larger keys are hashed to 64 bits and a bucket of the table, so they must be well mixed
    /// (Zobrist hashing). Two positions with one hash make the answer of a search wrong, with a
    /// probability of about 2^-62 per look-up. Certificates are checked without keys.
    fn key(&self) -> u128;

    /// Returns initial proof and disproof numbers for `goal` in a new position: the estimated
    /// number of positions to solve until the goal is proved or refuted. Both are at least 1.
    fn estimate(&mut self, goal: Goal) -> (u32, u32) {
        let _ = goal;
        (1, 1)
    }
}

/// The notation of a game in certificates, by which the checker knows games and moves.
pub trait Notation: Game {
    /// Returns the game and its rules as the command line accepts them: `pentago:dir=cw`.
    fn game_text(&self) -> String;

    /// Returns the position with the side to move. Different positions have different texts.
    fn position_text(&self) -> String;

    /// Returns the text of a move of this position: `c4/2+`, or `c4` if the placement ends the
    /// game.
    fn move_text(&self, mv: Self::Move) -> String;

    /// Returns the name of a side in a claim: `x`, `b`, or `ac` for a team.
    fn side_text(&self, side: Side) -> String;
}
