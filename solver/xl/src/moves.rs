//! Legal moves and the positions after them.

use crate::fives::has_five;
use crate::geometry::{Socket, SocketSet, Turn, completions, sockets};
use crate::options::Rules;
use crate::outcome::Outcome;
use crate::position::Position;
use crate::seat::Seats;

/// A move: a placement of a marble, then the turn of a block. A move whose placement makes five in
/// a line has no turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The socket of the marble.
    pub place: Socket,
    /// The turn of a block. `None` if the placement makes five in a line.
    pub turn: Option<Turn>,
}

/// The position after a move, and the outcome if the move ends the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Played {
    /// The position after the move. If the game is over, `to_move` is the seat that would be next.
    pub position: Position,
    /// The outcome of the game, or `None` if the game continues.
    pub outcome: Option<Outcome>,
}

/// The reason why a move is illegal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// The game is over.
    #[error("the game is over: {0}")]
    Over(Outcome),
    /// The socket holds a marble already.
    #[error("the socket is taken")]
    Taken,
    /// The placement makes five in a line, which ends the move, but the move has a turn.
    #[error("the placement makes five in a line: the move ends without a turn")]
    TurnAfterFive,
    /// The placement makes no five in a line, but the move has no turn.
    #[error("a block must be turned unless the placement makes five in a line")]
    NoTurn,
}

impl Rules {
    /// Returns every legal move, ordered by socket and then by turn. A placement that makes five in
    /// a line is one move, and any other placement has sixteen moves. Returns no moves if the game
    /// is over.
    #[must_use]
    pub fn moves(&self, p: &Position) -> Vec<Move> {
        if self.outcome(p).is_some() {
            return Vec::new();
        }
        let winning = completions(p.of(p.to_move), p.free());
        let mut moves = Vec::with_capacity(16 * p.empty());
        for place in sockets(p.free()) {
            if winning & place.bit() != 0 {
                moves.push(Move { place, turn: None });
            } else {
                moves.extend(Turn::all().map(|turn| Move { place, turn: Some(turn) }));
            }
        }
        moves
    }

    /// Plays a move.
    ///
    /// # Errors
    /// If the move is illegal or the game is over.
    pub fn play(&self, p: &Position, m: Move) -> Result<Played, IllegalMove> {
        if let Some(outcome) = self.outcome(p) {
            return Err(IllegalMove::Over(outcome));
        }
        if p.free() & m.place.bit() == 0 {
            return Err(IllegalMove::Taken);
        }
        let mut next = *p;
        next.marbles[p.to_move.index()] |= m.place.bit();
        let five = has_five(next.of(p.to_move));
        match m.turn {
            Some(_) if five => Err(IllegalMove::TurnAfterFive),
            None if !five => Err(IllegalMove::NoTurn),
            turn => Ok(self.finish(next, turn)),
        }
    }

    /// Completes a legal move after its placement: makes the turn and judges the position.
    pub(crate) fn finish(&self, placed: Position, turn: Option<Turn>) -> Played {
        let active = self.active(&placed);
        let (mut next, fives) = match turn {
            None => (placed, Seats::only(placed.to_move)),
            Some(turn) => {
                let next = placed.turned(turn);
                (next, next.fives(active))
            }
        };
        let mut left = active;
        if self.continues() && !fives.is_empty() {
            let place = 1 + placed.placed().len() as u8;
            fives.iter().for_each(|seat| next.places[seat.index()] = place);
            left = active.without(fives);
        }
        next.to_move = self.next_seat(placed.to_move, left);
        let outcome = if self.continues() {
            self.outcome(&next)
        } else if !fives.is_empty() || self.used_up(&next) {
            Some(Outcome::of_fives(self, fives))
        } else {
            None
        };
        Played { position: next, outcome }
    }

    /// Returns `true` if the seat to move can immediately end the game with a win of its side: sole
    /// first place, or the win of its team. With `continue=yes`, the best place that is still free
    /// counts as the first place. This plain definition tries all moves.
    #[must_use]
    pub fn wins_at_once(&self, p: &Position) -> bool {
        if self.outcome(p).is_some() {
            return false;
        }
        let side = self.side_of(p.to_move);
        let others = self.active(p).without(side);
        if completions(p.of(p.to_move), p.free()) != 0 {
            return true;
        }
        let five = |set: SocketSet, turn: Turn| has_five(turn.apply(set));
        Turn::all().any(|turn| {
            !others.iter().any(|seat| five(p.of(seat), turn))
                && side.iter().any(|seat| {
                    five(p.of(seat), turn)
                        || seat == p.to_move && sockets(p.free()).any(|s| five(p.of(seat) | s.bit(), turn))
                })
        })
    }
}
