//! Positions in the middle of a move: the marble is placed, but the turn is pending.

use crate::geometry::{Turn, sockets};
use crate::moves::Played;
use crate::options::Rules;
use crate::position::{ImpossiblePosition, Position};

/// A position whose turn is pending. The seat to move has placed its marble without making five,
/// and turns a block next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PendingTurn {
    placed: Position,
}

/// A position at any moment of a game: between two moves, or in the middle of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// A position between two moves. The seat to move places a marble next.
    Move(Position),
    /// A position in the middle of a move. The seat to move turns a block next.
    Turn(PendingTurn),
}

impl PendingTurn {
    /// Returns the position with the marble of this move. The seat to move is the seat that turns a
    /// block.
    #[must_use]
    pub fn placed(&self) -> &Position {
        &self.placed
    }
}

impl Moment {
    /// Returns the marbles on the board and the seat to move.
    #[must_use]
    pub fn board(&self) -> &Position {
        match self {
            Moment::Move(position) => position,
            Moment::Turn(pending) => &pending.placed,
        }
    }
}

impl Rules {
    /// Returns the position with a pending turn in which the seat to move has just placed one of
    /// the marbles `placed`.
    ///
    /// # Errors
    /// If no game leads to this position.
    pub fn pending(&self, placed: Position) -> Result<PendingTurn, ImpossiblePosition> {
        let seat = placed.to_move;
        // The checks below depend only on the numbers of marbles, so any marble of the seat may be
        // the last one.
        let Some(last) = sockets(placed.of(seat)).next() else {
            return Err(ImpossiblePosition::NothingPlaced(seat));
        };
        let mut before = placed;
        before.marbles[seat.index()] &= !last.bit();
        // A five of a seat that still plays would have ended the game or this move.
        self.check(&before)?;
        if let Some(seat) = placed.fives(self.active(&placed)).iter().next() {
            return Err(ImpossiblePosition::FiveBeforeTurn(seat));
        }
        if self.outcome(&before).is_some() {
            return Err(ImpossiblePosition::NothingPlaced(seat));
        }
        Ok(PendingTurn { placed })
    }

    /// Makes the pending turn. Every turn is legal.
    #[must_use]
    pub fn turn(&self, pending: &PendingTurn, turn: Turn) -> Played {
        self.finish(pending.placed, Some(turn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moves::Move;

    #[test]
    fn a_move_is_a_placement_and_a_turn() {
        for text in ["xl", "xl:seats=3", "xl:seats=4,mode=2v2", "xl:seats=3,continue=yes"] {
            let rules: Rules = text.parse().unwrap();
            for p in rules.random_positions(30, 5, 7, false).unwrap() {
                for m in rules.moves(&p) {
                    let Move { place, turn: Some(turn) } = m else { continue };
                    let mut placed = p;
                    placed.marbles[p.to_move.index()] |= place.bit();
                    let pending = rules.pending(placed).unwrap();
                    assert_eq!(Ok(rules.turn(&pending, turn)), rules.play(&p, m));
                }
            }
        }
    }

    #[test]
    fn what_no_game_leads_to() {
        let rules: Rules = "xl".parse().unwrap();
        let pending = |text: &str| rules.pending(rules.parse_any_position(text).unwrap());
        assert!(pending("A8/9/9/9/9/9/9/9/9 a").is_ok());
        assert!(matches!(pending("9/9/9/9/9/9/9/9/9 a"), Err(ImpossiblePosition::NothingPlaced(_))));
        assert!(matches!(pending("A8/9/9/9/9/9/9/9/9 b"), Err(ImpossiblePosition::NothingPlaced(_))));
        assert!(matches!(pending("AA7/9/9/9/9/9/9/9/9 a"), Err(ImpossiblePosition::Side { .. })));
        assert!(matches!(pending("ABB6/9/9/9/9/9/9/9/9 a"), Err(ImpossiblePosition::Counts { .. })));
        let five = "AAAAA4/BBBB5/9/9/9/9/9/9/9 a";
        assert!(matches!(pending(five), Err(ImpossiblePosition::FiveBeforeTurn(_))));
    }
}
