//! Decides whether a game is over, and with which outcome.

use super::{Both, Last, Outcome, Place, Position, Reply, Rules};

impl Rules {
    /// Returns the outcome if the game is over in this position, otherwise `None`.
    ///
    /// If no turn is pending, the player who is not to move has just made a turn:
    ///
    /// | a line is held by | outcome |
    /// |---|---|
    /// | both | a draw; with `both=mover`, the player who made the turn wins |
    /// | the player who made the turn | that player wins; with `reply=place`, see below |
    /// | the player to move | that player wins |
    /// | nobody | a draw if the board is full; otherwise the game continues |
    ///
    /// With `reply=place`, the opponent may reply to a line made by a turn: the game is a draw if
    /// one more marble on a free socket gives the opponent a line.
    ///
    /// While a turn is pending, the player who placed the marble wins if that player has a line,
    /// unless lines count only after the turn (`place=turn`). Otherwise, with `last=stop`, a full
    /// board is a draw.
    ///
    /// With `reply=place`, the outcome depends on whether a placement or a turn made the line. The
    /// position doesn't show this. If the move is known, use [`super::Played::outcome`].
    pub fn outcome(&self, p: &Position) -> Option<Outcome> {
        let shape = self.shape;
        let full = p.board().free(shape) == 0;
        if p.pending() {
            return if self.place == Place::Wins && shape.has_line(p.own()) {
                Some(Outcome::Win(p.to_move()))
            } else if full && self.last == Last::Stop {
                Some(Outcome::Draw)
            } else {
                None
            };
        }
        let turned = p.to_move().other();
        match (shape.has_line(p.others()), shape.has_line(p.own())) {
            (true, true) => Some(match self.both {
                Both::Draw => Outcome::Draw,
                Both::Mover => Outcome::Win(turned),
            }),
            (true, false) => {
                let answer =
                    self.reply == Reply::Place && shape.completions(p.own(), p.board().free(shape)) != 0;
                Some(if answer { Outcome::Draw } else { Outcome::Win(turned) })
            }
            (false, true) => Some(Outcome::Win(p.to_move())),
            (false, false) => full.then_some(Outcome::Draw),
        }
    }
}
