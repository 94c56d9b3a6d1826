//! Whether a game is over, and how it ended.

use super::{Both, Color, Last, Position, Reply, Rules};

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This player won.
    Win(Color),
    /// Nobody did.
    Draw,
}

impl Rules {
    /// Whether the game is over in this position, and how.
    ///
    /// Before a placement the player not to move has just turned, so:
    ///
    /// | a line is held by | outcome |
    /// |---|---|
    /// | both | a draw, or with `both=mover` the player who turned wins |
    /// | the player who turned | he wins; with `reply=place` it may be answered |
    /// | the player to move | he wins |
    /// | nobody | a draw if the board is full, else the game goes on |
    ///
    /// Answered: it is a draw if one more marble, on a free socket, gives the other player a line.
    ///
    /// While a turn is pending, the player who has placed wins if he has a line; with `last=stop` a
    /// full board is then a draw.
    ///
    /// A position does not tell a line made by a placement from one made by a turn, and with
    /// `reply=place` they differ: where the move is known, [`super::Played::outcome`] is the
    /// authority.
    #[must_use]
    pub fn outcome(&self, p: &Position) -> Option<Outcome> {
        let shape = self.shape;
        let full = p.board().free(shape) == 0;
        if p.pending() {
            return if shape.has_line(p.own()) {
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
