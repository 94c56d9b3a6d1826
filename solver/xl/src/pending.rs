//! Positions in the middle of a move: the marble is placed, but the turn is pending.

use crate::geometry::{Turn, sockets};
use crate::moves::Played;
use crate::options::Rules;
use crate::position::Position;
use pentago_base::Refusal;

/// A position at any moment of a game: between two moves, or between the placement and the turn of
/// a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// A position between two moves. The seat to move places a marble next.
    Move(Position),
    /// A position whose turn is pending. The seat to move has placed its marble without making five
    /// in a line, and turns a block next. [`Rules::check_pending`] tests whether a game can lead to
    /// the position.
    Turn(Position),
}

impl Moment {
    /// Returns the position, whether or not its turn is pending.
    pub fn board(&self) -> &Position {
        match self {
            Moment::Move(position) | Moment::Turn(position) => position,
        }
    }
}

impl Rules {
    /// Checks that a game can lead to the position `placed`, in which the seat to move has just
    /// placed a marble and its turn is pending.
    ///
    /// # Errors
    /// If no game leads to this position.
    pub fn check_pending(&self, placed: &Position) -> Result<(), Refusal> {
        let seat = placed.to_move;
        let nothing_placed =
            || Refusal::no_game(3, &format!("no turn is pending: {seat} has not placed a marble"));
        // The checks below depend only on the numbers of marbles, so it does not matter which
        // marble of the seat is taken to be the latest one.
        let last = sockets(placed.of(seat)).next().ok_or_else(nothing_placed)?;
        let mut before = *placed;
        before.marbles[seat.index()] &= !last.bit();
        // No seat that still plays may have five in a line: a five would have ended the game, or
        // this move would have no turn.
        self.check(&before)?;
        if let Some(seat) = placed.fives(self.active(placed)).iter().next() {
            let why = format!("no turn is pending: {seat} has five in a line before it");
            return Err(Refusal::no_game(3, &why));
        }
        if self.outcome(&before).is_some() { Err(nothing_placed()) } else { Ok(()) }
    }

    /// Makes the pending turn of a position. Every turn of a block is legal.
    pub fn turn(&self, placed: &Position, turn: Turn) -> Played {
        self.finish(*placed, Some(turn))
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
                    rules.check_pending(&placed).unwrap();
                    assert_eq!(Ok(rules.turn(&placed, turn)), rules.play(&p, m));
                }
            }
        }
    }

    #[test]
    fn what_no_game_leads_to() {
        let rules: Rules = "xl".parse().unwrap();
        let pending = |text: &str| rules.check_pending(&rules.parse_any_position(text).unwrap());
        assert!(pending("A8/9/9/9/9/9/9/9/9 a").is_ok());
        for (text, why) in [
            ("9/9/9/9/9/9/9/9/9 a", "A has not placed"),
            ("A8/9/9/9/9/9/9/9/9 b", "B has not placed"),
            ("AA7/9/9/9/9/9/9/9/9 a", "B's turn"),
            ("ABB6/9/9/9/9/9/9/9/9 a", "in turn order"),
            ("AAAAA4/BBBB5/9/9/9/9/9/9/9 a", "five in a line before"),
        ] {
            let error = pending(text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
