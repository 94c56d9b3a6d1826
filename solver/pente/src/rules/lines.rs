//! Lines of stones on the board: the eight directions, runs of stones, and winning lines.

use super::{Overline, Point, PointSet, Rules};

/// The eight directions, as steps of files and ranks. The first four cover every line once.
pub(crate) const DIRECTIONS: [(isize, isize); 8] =
    [(1, 0), (0, 1), (1, 1), (1, -1), (-1, 0), (0, -1), (-1, -1), (-1, 1)];

/// Returns `true` if a set of stones contains a winning line.
pub(crate) fn has_line(rules: &Rules, stones: &PointSet) -> bool {
    let k = rules.k();
    // Without the `over` option a longer run wins too, so counting can stop at `k` stones.
    let most = if rules.options().over == Overline::Wins { k } else { k + 1 };
    stones.iter().any(|first| {
        DIRECTIONS[..4].iter().any(|&(df, dr)| {
            rules.run(stones, first, (-df, -dr), 1) == 0
                && rules.run(stones, first, (df, dr), most - 1) + 1 == k
        })
    })
}

impl Rules {
    /// Returns the number of consecutive stones that start next to `p` in one direction, at most
    /// `most`. The point `p` itself does not count.
    pub(crate) fn run(&self, stones: &PointSet, p: Point, (df, dr): (isize, isize), most: usize) -> usize {
        let steps = (1..=most as isize).map_while(|i| self.step(p, i * df, i * dr));
        steps.take_while(|&q| stones.contains(q)).count()
    }

    /// Returns `true` if a stone on `m` would be part of a line of `k` or more stones.
    pub(crate) fn line_through(&self, stones: &PointSet, m: Point) -> bool {
        let most = self.k() - 1;
        DIRECTIONS[..4].iter().any(|&(df, dr)| {
            self.run(stones, m, (df, dr), most) + self.run(stones, m, (-df, -dr), most) + 1 >= self.k()
        })
    }
}
