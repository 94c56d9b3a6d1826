//! Positions: the stones on the board, the captured stones, and the side to move.

use super::lines::has_line;
use super::{Capture, Color, Opening, Outcome, Point, PointSet, Rules};

/// A position. The rules are not part of the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub(crate) stones: [PointSet; 2],
    pub(crate) captured: [u16; 2],
    pub(crate) to_move: Color,
}

/// The reason why no game leads to a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImpossiblePosition {
    /// The numbers of stones contradict each other.
    #[error(
        "{stones} stones on the board and {captured} captured make {} plies: X then has placed {}, \
         but {x_there} of X are on the board and {x_gone} captured",
        stones + captured, (stones + captured).div_ceil(2)
    )]
    Counts {
        /// The number of stones on the board.
        stones: usize,
        /// The number of stones captured by both players.
        captured: usize,
        /// The number of X stones on the board.
        x_there: usize,
        /// The number of X stones captured by O.
        x_gone: usize,
    },
    /// The wrong side is to move.
    #[error("after {plies} plies {} is to move", if plies.is_multiple_of(2) { Color::X } else { Color::O })]
    Side {
        /// The number of plies played: stones on the board plus captured stones.
        plies: usize,
    },
    /// No sequence of captures takes this number of stones.
    #[error("{0} stones cannot be captured under these rules")]
    Captured(u16),
    /// A player has captured more stones than the game allows. The fields are the player, the
    /// captured stones, the stones that win, and the most stones that a move captures.
    #[error("{0} captured {1} stones, but the game ended with {2}, and no move takes more than {3}")]
    TooManyCaptured(Color, u16, u16, u16),
    /// The side to move has already won.
    #[error("{0} is to move, but has won already: the game ended before this move")]
    WonBefore(Color),
    /// The first stones of X violate the opening rule.
    #[error("opening=pro: {0}")]
    Opening(&'static str),
}

impl Position {
    /// The empty board, X to move.
    pub const EMPTY: Position =
        Position { stones: [PointSet::EMPTY; 2], captured: [0; 2], to_move: Color::X };

    /// Makes a position that a game under these rules can reach. The function checks the counts, the
    /// captures and the opening. The game may be over in the position.
    ///
    /// # Errors
    /// If no game leads to the position. A point outside the board or a point with two stones is
    /// reported as a contradiction of the numbers of stones.
    pub fn new(
        rules: &Rules,
        stones: [PointSet; 2],
        captured: [u16; 2],
        to_move: Color,
    ) -> Result<Position, ImpossiblePosition> {
        let position = Position::study(rules, stones, captured, to_move);
        position.check(rules)?;
        Ok(position)
    }

    /// Makes a position for studies, without checks. Points outside the board are dropped. If a point
    /// has two stones, X stays.
    #[must_use]
    pub fn study(rules: &Rules, stones: [PointSet; 2], captured: [u16; 2], to_move: Color) -> Position {
        let inside = |p: &Point| p.index() < rules.points();
        let x: PointSet = stones[0].iter().filter(inside).collect();
        let o: PointSet = stones[1].iter().filter(|p| inside(p) && !x.contains(*p)).collect();
        Position { stones: [x, o], captured, to_move }
    }

    /// Returns an error if no game leads to the position.
    fn check(&self, rules: &Rules) -> Result<(), ImpossiblePosition> {
        let options = rules.options();
        let most = options.win - 1 + options.capture.most();
        for color in Color::ALL {
            let n = self.captured(color);
            let fits = match options.capture {
                Capture::Two => n.is_multiple_of(2),
                Capture::TwoOrThree => n != 1,
                Capture::Never => n == 0,
            };
            if !fits {
                return Err(ImpossiblePosition::Captured(n));
            }
            if n > most {
                let most = options.capture.most();
                return Err(ImpossiblePosition::TooManyCaptured(color, n, options.win, most));
            }
        }
        let x_there = self.stones[0].len();
        let stones = x_there + self.stones[1].len();
        let x_gone = usize::from(self.captured[1]);
        let captured = usize::from(self.captured[0]) + x_gone;
        let plies = stones + captured;
        if x_there + x_gone != plies.div_ceil(2) {
            return Err(ImpossiblePosition::Counts { stones, captured, x_there, x_gone });
        }
        if (self.to_move == Color::X) != plies.is_multiple_of(2) {
            return Err(ImpossiblePosition::Side { plies });
        }
        let line = !rules.line_may_wait() && has_line(rules, self.stones(self.to_move));
        if line || self.captured(self.to_move) >= options.win {
            return Err(ImpossiblePosition::WonBefore(self.to_move));
        }
        if options.opening == Opening::Pro { self.check_opening(rules) } else { Ok(()) }
    }

    /// Returns an error if the first player's stones violate the pro opening. As long as none of them
    /// is captured, one stone is on the centre and another outside the 5x5 points around the centre.
    fn check_opening(&self, rules: &Rules) -> Result<(), ImpossiblePosition> {
        let Some(centre) = rules.centre() else { return Ok(()) };
        let x = &self.stones[0];
        if self.captured[1] > 0 || x.is_empty() {
            return Ok(());
        }
        if !x.contains(centre) {
            return Err(ImpossiblePosition::Opening("the first stone of X belongs on the centre"));
        }
        if x.len() >= 2 && !x.iter().any(|p| rules.distance(p, centre) >= 3) {
            return Err(ImpossiblePosition::Opening(
                "one of the first two stones of X belongs three or more points away from the centre",
            ));
        }
        Ok(())
    }

    /// Returns the color of the stone on a point, or `None` if the point is empty.
    #[must_use]
    pub fn at(&self, p: Point) -> Option<Color> {
        Color::ALL.into_iter().find(|color| self.stones[color.index()].contains(p))
    }

    /// Returns the stones of a player on the board.
    #[must_use]
    pub fn stones(&self, color: Color) -> &PointSet {
        &self.stones[color.index()]
    }

    /// Returns the number of stones that a player has captured.
    #[must_use]
    pub const fn captured(&self, by: Color) -> u16 {
        self.captured[by.index()]
    }

    /// Returns the side to move.
    #[must_use]
    pub const fn to_move(&self) -> Color {
        self.to_move
    }

    /// Returns the number of plies played: stones on the board plus captured stones. Every ply
    /// increases the number, so no position occurs twice in a game.
    #[must_use]
    pub fn plies(&self) -> usize {
        let captured = usize::from(self.captured[0]) + usize::from(self.captured[1]);
        self.occupied().len() + captured
    }

    /// Returns the stones of both players.
    #[must_use]
    pub fn occupied(&self) -> PointSet {
        self.stones[0].union(&self.stones[1])
    }
}

impl Rules {
    /// Returns the outcome if the game is over. The player who moved last wins with a line anywhere
    /// on the board or with enough captured stones. A full board without a win is a draw.
    ///
    /// With `over=no`, a capture can shorten an overline of its victim to `k` stones. If such a line
    /// still has `k` stones after the next move of its owner, the owner wins with that move.
    #[must_use]
    pub fn outcome(&self, p: &Position) -> Option<Outcome> {
        let last = p.to_move.other();
        if p.captured(last) >= self.options().win || has_line(self, p.stones(last)) {
            return Some(Outcome::Win(last));
        }
        (p.occupied().len() == self.points()).then_some(Outcome::Draw)
    }
}
