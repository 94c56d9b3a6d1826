//! Lines of stones on the board: directions, runs of stones, and winning lines.

use super::{Capture, Overline, Point, PointSet, Rules};

/// The eight directions, as steps in files and ranks. The first four cover each line of the board
/// once; the others are their opposites.
pub(crate) const DIRECTIONS: [(isize, isize); 8] =
    [(1, 0), (0, 1), (1, 1), (1, -1), (-1, 0), (0, -1), (-1, -1), (-1, 1)];

/// Returns `true` if a set of stones contains a winning line.
pub(crate) fn has_line(rules: &Rules, stones: &PointSet) -> bool {
    let k = rules.k();
    // If longer lines win too, stop counting at `k` stones.
    let most = if rules.options().over == Overline::Wins { k } else { k + 1 };
    stones.iter().any(|first| {
        DIRECTIONS[..4].iter().any(|&(df, dr)| {
            rules.run(stones, first, (-df, -dr), 1) == 0
                && rules.run(stones, first, (df, dr), most - 1) + 1 == k
        })
    })
}

impl Rules {
    /// Returns `true` if, under these rules, the side to move can own a line that has not won. With
    /// `over=no`, a capture by the opponent can shorten an overline to `k` stones.
    pub(crate) fn line_may_wait(&self) -> bool {
        self.options().over == Overline::Nothing && self.options().capture != Capture::Never
    }

    /// Returns the number of consecutive stones next to `p` in one direction, at most `most`. A
    /// stone on `p` does not count.
    pub(crate) fn run(&self, stones: &PointSet, p: Point, (df, dr): (isize, isize), most: usize) -> usize {
        let steps = (1..=most as isize).map_while(|i| self.step(p, i * df, i * dr));
        steps.take_while(|&q| stones.contains(q)).count()
    }

    /// Returns `true` if a stone on `m` would belong to a line of at least `k` of the `stones`.
    pub(crate) fn line_through(&self, stones: &PointSet, m: Point) -> bool {
        let most = self.k() - 1;
        DIRECTIONS[..4].iter().any(|&(df, dr)| {
            self.run(stones, m, (df, dr), most) + self.run(stones, m, (-df, -dr), most) >= most
        })
    }
}
