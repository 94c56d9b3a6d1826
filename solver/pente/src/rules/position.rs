//! Positions: the stones on the board, the captured stones, and the side to move.

use super::lines::has_line;
use super::{Color, Opening, Outcome, Point, PointSet, Refusal, RuleOptions, Rules};

/// A position. The rules are not part of the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub(crate) stones: [PointSet; 2],
    pub(crate) captured: [u16; 2],
    pub(crate) to_move: Color,
}

impl Position {
    /// The empty board, X to move.
    pub const EMPTY: Position =
        Position { stones: [PointSet::EMPTY; 2], captured: [0; 2], to_move: Color::X };

    /// Makes a position that a game under these rules can reach. The function checks the numbers of
    /// stones, the captures and the opening. The game may be over in the position.
    ///
    /// # Errors
    /// If no game leads to the position. The error for a point outside the board, or for a point
    /// with two stones, is the error for wrong numbers of stones.
    pub fn new(
        rules: &Rules,
        stones: [PointSet; 2],
        captured: [u16; 2],
        to_move: Color,
    ) -> Result<Position, Refusal> {
        let position = Position::study(rules, stones, captured, to_move);
        position.check(rules)?;
        Ok(position)
    }

    /// Makes a position for studies, without checks. Points outside the board are ignored. If a
    /// point has two stones, the position contains only the X stone.
    pub fn study(rules: &Rules, stones: [PointSet; 2], captured: [u16; 2], to_move: Color) -> Position {
        let inside = |p: &Point| p.index() < rules.points();
        let x: PointSet = stones[0].iter().filter(inside).collect();
        let o: PointSet = stones[1].iter().filter(|p| inside(p) && !x.contains(*p)).collect();
        Position { stones: [x, o], captured, to_move }
    }

    /// Returns an error if no game leads to the position.
    fn check(&self, rules: &Rules) -> Result<(), Refusal> {
        let refuse = |word, why: String| Err(Refusal::no_game(word, &why));
        let RuleOptions { win, capture, opening, .. } = rules.options();
        for color in Color::ALL {
            let n = self.captured(color);
            if !capture.sums_to(n) {
                return refuse(2, format!("{n} stones cannot be captured under these rules"));
            }
            if n >= win + capture.most() {
                let most = capture.most();
                let ended = format!("the game ended with {win}, and no move takes more than {most}");
                return refuse(2, format!("{color} captured {n} stones, but {ended}"));
            }
        }
        let x_there = self.stones[0].len();
        let stones = x_there + self.stones[1].len();
        let x_gone = usize::from(self.captured[1]);
        let captured = usize::from(self.captured[0]) + x_gone;
        let plies = stones + captured;
        let x_placed = plies.div_ceil(2);
        if x_there + x_gone != x_placed {
            return refuse(
                0,
                format!(
                    "{stones} stones on the board and {captured} captured make {plies} plies: X then has \
                     placed {x_placed}, but {x_there} of X are on the board and {x_gone} captured"
                ),
            );
        }
        let mover = if plies.is_multiple_of(2) { Color::X } else { Color::O };
        if self.to_move != mover {
            return refuse(1, format!("after {plies} plies {mover} is to move"));
        }
        let line = !rules.line_may_wait() && has_line(rules, self.stones(mover));
        if line || self.captured(mover) >= win {
            let why = "is to move, but has won already: the game ended before this move";
            return refuse(0, format!("{mover} {why}"));
        }
        // While no stone of X has been captured, the first stone of X must be on the centre, and
        // the second must be outside the 5x5 square around the centre.
        let x = &self.stones[0];
        let centre = rules.centre().filter(|_| opening == Opening::Pro && x_gone == 0 && !x.is_empty());
        let Some(centre) = centre else { return Ok(()) };
        if !x.contains(centre) {
            return refuse(0, "opening=pro: the first stone of X belongs on the centre".to_owned());
        }
        if x.len() >= 2 && !x.iter().any(|p| rules.distance(p, centre) >= 3) {
            let why = "one of the first two stones of X belongs three or more points away from the centre";
            return refuse(0, format!("opening=pro: {why}"));
        }
        Ok(())
    }

    /// Returns the color of the stone on a point, or `None` if the point is empty.
    pub fn at(&self, p: Point) -> Option<Color> {
        Color::ALL.into_iter().find(|color| self.stones[color.index()].contains(p))
    }

    /// Returns the stones of a player on the board.
    pub fn stones(&self, color: Color) -> &PointSet {
        &self.stones[color.index()]
    }

    /// Returns the number of stones that a player has captured.
    pub const fn captured(&self, by: Color) -> u16 {
        self.captured[by.index()]
    }

    /// Returns the side to move.
    pub const fn to_move(&self) -> Color {
        self.to_move
    }

    /// Returns the number of plies played: stones on the board plus captured stones. Every ply
    /// increases the number, so no position occurs twice in a game.
    pub fn plies(&self) -> usize {
        let captured = usize::from(self.captured[0]) + usize::from(self.captured[1]);
        self.occupied().len() + captured
    }

    /// Returns the stones of both players.
    pub fn occupied(&self) -> PointSet {
        self.stones[0].union(&self.stones[1])
    }
}

impl Rules {
    /// Returns the outcome of the game, or `None` if the game is not over. The player who moved
    /// last wins with a line anywhere on the board or with enough captured stones. A full board
    /// without a win is a draw.
    ///
    /// With `over=no`, a capture can shorten an overline of its victim to `k` stones. If such a
    /// line still has `k` stones after the next move of its owner, the owner wins with that move.
    pub fn outcome(&self, p: &Position) -> Option<Outcome> {
        let last = p.to_move.other();
        if p.captured(last) >= self.options().win || has_line(self, p.stones(last)) {
            return Some(Outcome::Win(last));
        }
        (p.occupied().len() == self.points()).then_some(Outcome::Draw)
    }
}
