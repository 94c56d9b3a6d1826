//! What the searches know of a game: two sides, moves that can be taken back, a key.
//!
//! A game between more than two seats becomes one of two sides by the question that is asked of
//! it: the seats that the question is about are one side, all others are the other. The sides
//! therefore need not take turns: every position says itself whose move it is.

use std::fmt::Debug;

/// One of the two sides of a game.
///
/// A game says in its documentation who they are: X and O, two teams, one seat and all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The side that the game names first, X for instance.
    First,
    /// The other side.
    Second,
}

impl Side {
    /// The other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// That side won.
    Win(Side),
    /// Nobody won; in a free for all, the first place is shared.
    Draw,
}

/// What a side is to reach: a win, or at least a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Goal {
    /// The attacker: the side that is to reach it.
    pub side: Side,
    /// Whether a draw is enough.
    pub draw_is_enough: bool,
}

impl Goal {
    /// The side wins.
    #[must_use]
    pub const fn win(side: Side) -> Self {
        Self { side, draw_is_enough: false }
    }

    /// The side doesn't lose.
    #[must_use]
    pub const fn not_lose(side: Side) -> Self {
        Self { side, draw_is_enough: true }
    }

    /// Returns whether a game that ended so has reached it.
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
/// The game graph is finite and has no cycles: [`plies_left`](Game::plies_left) falls with every
/// move. All answers depend on the position alone, so that a search gives the same result every
/// time.
///
/// A wrapper can restrict what the attacker may play (threats only, say) by listing fewer moves
/// where it is his turn. A proof for the attacker is then still a proof; a refutation only says
/// that he can't do it with those moves. It needs keys of its own, or a table of its own.
pub trait Game {
    /// A move: small, and meaningful in the position it was listed for.
    type Move: Copy + Eq + Debug;

    /// What [`unmake`](Game::unmake) needs to take a move back; `()` if the move is enough, a copy
    /// of the position if that is cheap.
    type Undo;

    /// Whose move it is. Of no meaning when the game is over.
    fn side(&self) -> Side;

    /// Returns how the game ended, or `None` if it goes on. A position without legal moves has
    /// ended.
    fn outcome(&self) -> Option<Outcome>;

    /// Returns the most plies that are played from here to the end of the game: 0 if it is over,
    /// and at least one fewer after each move.
    fn plies_left(&self) -> u32;

    /// Appends the moves to search, the most promising first. Not called when the game is over.
    ///
    /// All legal moves, but for these, which can be left out:
    /// - moves to a position with the same [key](Game::key) as another that is listed;
    /// - moves after which the other side has won, or wins with its very next move.
    ///
    /// So the list may be empty: every move loses at once.
    fn moves(&mut self, out: &mut Vec<Self::Move>);

    /// Appends every legal move, in the order of certificates: by the socket or point in reading
    /// order of the position's text (rows from the top, from the left), then no turn or a declined
    /// one, then the turns by block, clockwise before counter-clockwise: 1+ 1- 2+ 2- ...
    fn all_moves(&mut self, out: &mut Vec<Self::Move>);

    /// Makes a move, which must be legal.
    fn make(&mut self, mv: Self::Move) -> Self::Undo;

    /// Takes back the last move that was made and not taken back.
    fn unmake(&mut self, mv: Self::Move, undo: Self::Undo);

    /// A move that ends the game at once with a win of the side to move, if there is one. Not
    /// called when the game is over.
    ///
    /// It must be exact: `None` says that no such move is legal. The searches call it for every new
    /// position, before they ask for moves.
    fn winning_move(&mut self) -> Option<Self::Move>;

    /// A number that equal positions share: everything counts that the value or the number of
    /// plies to it depends on, the side to move and counts of captures included.
    ///
    /// Positions that are images of each other under symmetries can share a key too. A key below
    /// 2^64 is used in full: if such keys are exact (different for different positions), then no
    /// mix-up is possible. Wider keys are hashed to 64 bits and a place in the table, so make
    /// them well mixed (Zobrist). Two positions that fall together make a search's answer wrong,
    /// with a chance of about 2^-62 for each look-up; a certificate is checked without keys.
    fn key(&self) -> u128;

    /// First guess of the proof number and the disproof number for `goal` in a new position: how
    /// many positions are likely to be solved before it is proved, or refuted. At least 1 each.
    fn estimate(&mut self, goal: Goal) -> (u32, u32) {
        let _ = goal;
        (1, 1)
    }
}

/// What certificates need besides: the texts by which the checker knows games and moves.
pub trait Notation: Game {
    /// The game with its rules, as the command line reads it: `pentago:dir=cw`.
    fn game_text(&self) -> String;

    /// The position with the side to move. Different positions have different texts.
    fn position_text(&self) -> String;

    /// A move of this position: `c4/2+`, or `c4` if the placement ends the game.
    fn move_text(&self, mv: Self::Move) -> String;

    /// The side's name in a claim: `x`, `b`, `ac` for a team.
    fn side_text(&self, side: Side) -> String;
}
