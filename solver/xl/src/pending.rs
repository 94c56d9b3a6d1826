//! The middle of a move: the marble is placed, the turn is still to come.

use crate::geometry::{Turn, sockets};
use crate::moves::Played;
use crate::options::Rules;
use crate::position::{ImpossiblePosition, Position};

/// A position whose turn is pending: the seat to move has placed its marble, without making five,
/// and now turns a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PendingTurn {
    placed: Position,
}

/// A position between two moves, or one whose turn is pending: what can be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// The seat to move places a marble next.
    Move(Position),
    /// It turns a block next.
    Turn(PendingTurn),
}

impl PendingTurn {
    /// The marbles, that of this move included; the seat to move is the one that turns.
    #[must_use]
    pub fn placed(&self) -> &Position {
        &self.placed
    }
}

impl Moment {
    /// The marbles on the board and the seat to move.
    #[must_use]
    pub fn board(&self) -> &Position {
        match self {
            Moment::Move(position) => position,
            Moment::Turn(pending) => &pending.placed,
        }
    }
}

impl Rules {
    /// The position with a pending turn that has these marbles, where the seat to move has placed
    /// the last one.
    ///
    /// # Errors
    /// If no game leads there.
    pub fn pending(&self, placed: Position) -> Result<PendingTurn, ImpossiblePosition> {
        let seat = placed.to_move;
        // Which of its marbles was the last one makes no difference to the numbers.
        let Some(last) = sockets(placed.of(seat)).next() else {
            return Err(ImpossiblePosition::NothingPlaced(seat));
        };
        let mut before = placed;
        before.marbles[seat.index()] &= !last.bit();
        // Five of a seat that still plays would have ended its game, or this move.
        self.check(&before)?;
        if let Some(seat) = placed.fives(self.active(&placed)).iter().next() {
            return Err(ImpossiblePosition::FiveBeforeTurn(seat));
        }
        if self.outcome(&before).is_some() {
            return Err(ImpossiblePosition::NothingPlaced(seat));
        }
        Ok(PendingTurn { placed })
    }

    /// Makes a turn that is pending. Any turn is legal.
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
