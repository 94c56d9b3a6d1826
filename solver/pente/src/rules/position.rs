//! Positions: the stones on the board, the stones captured, and the side to move.

use super::lines::has_line;
use super::{Capture, Color, Opening, Outcome, Overline, Point, PointSet, Rules};

/// A position. Which rules it belongs to is not part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub(crate) stones: [PointSet; 2],
    pub(crate) captured: [u16; 2],
    pub(crate) to_move: Color,
}

/// Why no game leads to a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImpossiblePosition {
    /// The numbers of stones do not go together.
    #[error(
        "{stones} stones on the board and {captured} captured make {} plies: X then has placed {}, \
         but {x_there} of X are on the board and {x_gone} captured",
        stones + captured, (stones + captured).div_ceil(2)
    )]
    Counts {
        /// Stones on the board.
        stones: usize,
        /// Stones captured by both.
        captured: usize,
        /// X on the board.
        x_there: usize,
        /// X captured by O.
        x_gone: usize,
    },
    /// The wrong side is to move.
    #[error("after {plies} plies {} is to move", if plies.is_multiple_of(2) { Color::X } else { Color::O })]
    Side {
        /// Plies played: stones on the board and stones captured.
        plies: usize,
    },
    /// Such a number of captured stones does not come from captures.
    #[error("{0} stones cannot be captured under these rules")]
    Captured(u16),
    /// Too many captured stones.
    #[error("{0} captured {1} stones, but the game ended with {2}, and no move takes more than {3}")]
    TooManyCaptured(Color, u16, u16, u16),
    /// The side to move has won already.
    #[error("{0} is to move, but has won already: the game ended before this move")]
    WonBefore(Color),
    /// The opening rule was broken.
    #[error("opening=pro: {0}")]
    Opening(&'static str),
}

impl Position {
    /// The empty board, X to move.
    pub const EMPTY: Position =
        Position { stones: [PointSet::EMPTY; 2], captured: [0; 2], to_move: Color::X };

    /// A position that a game under these rules can lead to, as far as the counts, the captures and
    /// the opening tell. The game may be over in it.
    ///
    /// # Errors
    /// If no game leads to it. Points outside the board and points with two stones count as a
    /// mistake in the numbers of stones.
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

    /// A position set up by hand, whatever its counts: for studies. Points outside the board are
    /// dropped, and of two stones on one point X is kept.
    #[must_use]
    pub fn study(rules: &Rules, stones: [PointSet; 2], captured: [u16; 2], to_move: Color) -> Position {
        let inside = |p: &Point| p.index() < rules.points();
        let x: PointSet = stones[0].iter().filter(inside).collect();
        let o: PointSet = stones[1].iter().filter(|p| inside(p) && !x.contains(*p)).collect();
        Position { stones: [x, o], captured, to_move }
    }

    /// Returns whether a game can lead here.
    fn check(&self, rules: &Rules) -> Result<(), ImpossiblePosition> {
        let options = rules.options();
        let most = options.win - 1 + options.capture.most();
        for color in [Color::X, Color::O] {
            let n = self.captured[color.index()];
            let fits = match options.capture {
                Capture::Two => n.is_multiple_of(2),
                Capture::TwoOrThree => n != 1,
                Capture::Never => n == 0,
            };
            if !fits {
                return Err(ImpossiblePosition::Captured(n));
            }
            if n > most {
                return Err(ImpossiblePosition::TooManyCaptured(
                    color,
                    n,
                    options.win,
                    options.capture.most(),
                ));
            }
        }
        let x_there = self.stones[0].len();
        let stones = x_there + self.stones[1].len();
        let captured = usize::from(self.captured[0]) + usize::from(self.captured[1]);
        let x_gone = usize::from(self.captured[1]);
        let plies = stones + captured;
        if x_there + x_gone != plies.div_ceil(2) {
            return Err(ImpossiblePosition::Counts { stones, captured, x_there, x_gone });
        }
        if (self.to_move == Color::X) != plies.is_multiple_of(2) {
            return Err(ImpossiblePosition::Side { plies });
        }
        // A capture by the opponent can cut a row of more than k down to k: then the row is there
        // without having won.
        let row_may_wait = options.over == Overline::Nothing && options.capture != Capture::Never;
        let mine = self.to_move.index();
        let row = !row_may_wait && has_line(rules, &self.stones[mine]);
        if row || self.captured[mine] >= options.win {
            return Err(ImpossiblePosition::WonBefore(self.to_move));
        }
        if options.opening == Opening::Pro { self.check_opening(rules) } else { Ok(()) }
    }

    /// Returns whether the first player's stones fit the pro opening: as long as none of them is
    /// captured, one is on the centre and another outside the 5x5 points around it.
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

    /// The stone on a point.
    #[must_use]
    pub fn at(&self, p: Point) -> Option<Color> {
        [Color::X, Color::O].into_iter().find(|color| self.stones[color.index()].contains(p))
    }

    /// The stones of a player.
    #[must_use]
    pub fn stones(&self, color: Color) -> &PointSet {
        &self.stones[color.index()]
    }

    /// The stones that a player has captured.
    #[must_use]
    pub const fn captured(&self, by: Color) -> u16 {
        self.captured[by.index()]
    }

    /// The side to move.
    #[must_use]
    pub const fn to_move(&self) -> Color {
        self.to_move
    }

    /// Plies played: the stones on the board and the stones captured. No ply leaves this unchanged,
    /// so no position comes twice in a game.
    #[must_use]
    pub fn plies(&self) -> usize {
        let captured = usize::from(self.captured[0]) + usize::from(self.captured[1]);
        self.occupied().len() + captured
    }

    /// All stones.
    #[must_use]
    pub fn occupied(&self) -> PointSet {
        self.stones[0].union(&self.stones[1])
    }
}

impl Rules {
    /// Returns whether the game is over, and who has won. The player who moved last wins with a row
    /// anywhere on the board or with enough captured stones; a full board is a draw.
    ///
    /// With `over=no` a capture can cut a row of its victim down to `k`. Such a row wins with its
    /// owner's next move, whatever that is, if it is still `k` then.
    #[must_use]
    pub fn outcome(&self, p: &Position) -> Option<Outcome> {
        let last = p.to_move.other();
        if p.captured(last) >= self.options().win || has_line(self, p.stones(last)) {
            return Some(Outcome::Win(last));
        }
        (p.occupied().len() == self.points()).then_some(Outcome::Draw)
    }
}
