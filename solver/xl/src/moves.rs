//! Legal moves, and the positions to which they lead.

use crate::fives::has_five;
use crate::geometry::{Socket, Turn, completions, sockets};
use crate::options::Rules;
use crate::outcome::Outcome;
use crate::position::Position;
use crate::seat::Seats;
use pentago_base::Refusal;

/// A move: a placement of a marble, then the turn of a block. A move whose placement makes five in
/// a line has no turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The socket on which the marble is placed.
    pub place: Socket,
    /// The turn after the placement. `None` if the placement makes five in a line.
    pub turn: Option<Turn>,
}

/// The position after a move, and the outcome if the move ends the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Played {
    /// The position after the move. If the game is over, `to_move` is the seat that would move
    /// next.
    pub position: Position,
    /// The outcome of the game, or `None` if the game continues.
    pub outcome: Option<Outcome>,
}

impl Rules {
    /// Returns every legal move, sorted by socket, then by turn. A placement that makes five in a
    /// line is one move. Any other placement is part of sixteen moves, one for each turn. Returns
    /// no moves if the game is over.
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

    /// Plays a move. Returns the position after the move, and the outcome if the move ends the
    /// game.
    ///
    /// # Errors
    /// If the move is illegal or the game is over.
    pub fn play(&self, p: &Position, m: Move) -> Result<Played, Refusal> {
        if let Some(outcome) = self.outcome(p) {
            return Err(Refusal::new(format!("the game is over: {outcome}")));
        }
        if p.free() & m.place.bit() == 0 {
            return Err(Refusal::new("the socket is taken"));
        }
        let mut next = *p;
        next.marbles[p.to_move.index()] |= m.place.bit();
        match (m.turn, has_five(next.of(p.to_move))) {
            (Some(_), true) => {
                Err(Refusal::new("the placement makes five in a line: the move ends without a turn"))
            }
            (None, false) => {
                Err(Refusal::new("a block must be turned unless the placement makes five in a line"))
            }
            (turn, _) => Ok(self.finish(next, turn)),
        }
    }

    /// Completes a legal move after its placement. Makes the turn, if there is one, and determines
    /// the outcome.
    pub(crate) fn finish(&self, placed: Position, turn: Option<Turn>) -> Played {
        let active = self.active(&placed);
        let (mut next, fives) = match turn {
            None => (placed, Seats::only(placed.to_move)),
            Some(turn) => {
                let next = placed.turned(turn);
                (next, next.fives(active))
            }
        };
        if !self.continues() {
            next.to_move = self.next_seat(placed.to_move, active);
            return Played { position: next, outcome: self.first_fives(&next, fives) };
        }
        let place = 1 + placed.placed().len() as u8;
        fives.iter().for_each(|seat| next.places[seat.index()] = place);
        next.to_move = self.next_seat(placed.to_move, active.without(fives));
        Played { position: next, outcome: self.outcome(&next) }
    }
}
