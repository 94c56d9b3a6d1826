//! Which moves are legal, and what they lead to.

use crate::fives::has_five;
use crate::geometry::{Socket, SocketSet, Turn, completions, sockets};
use crate::options::Rules;
use crate::outcome::Outcome;
use crate::position::Position;
use crate::seat::Seats;

/// A move: a marble of the seat to move in a socket, then the turn of a block. A placement that
/// makes five has no turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// Where the marble goes.
    pub place: Socket,
    /// The turn; none if the placement makes five.
    pub turn: Option<Turn>,
}

/// What a move leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Played {
    /// The position after the move; if the game is over, `to_move` is who would be next.
    pub position: Position,
    /// How the game has ended, or nothing if it goes on.
    pub outcome: Option<Outcome>,
}

/// Why a move is illegal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// The game is over.
    #[error("the game is over: {0}")]
    Over(Outcome),
    /// A marble lies there already.
    #[error("the socket is taken")]
    Taken,
    /// The placement made five, which ends the move.
    #[error("the placement makes five in a line: the move ends without a turn")]
    TurnAfterFive,
    /// A block must turn.
    #[error("a block must be turned unless the placement makes five in a line")]
    NoTurn,
}

impl Rules {
    /// Every legal move, by socket and turn; none if the game is over. A placement that makes five
    /// is one move, any other has sixteen.
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
    /// If the move is illegal, or the game is over.
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

    /// The rest of a legal move: the turn, and what follows from it.
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

    /// Returns whether the seat to move can end the game at once with a win of its side: alone in
    /// the first place, or the win of its team. Plain, by trying all moves; with `continue=yes` the
    /// first of the places that are still free counts.
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
