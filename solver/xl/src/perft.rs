//! Perft: how many ways of play there are, the standard check of a move generator.

use rayon::prelude::*;

use crate::geometry::completions;
use crate::options::Rules;
use crate::position::Position;

impl Rules {
    /// The number of leaves of the tree of all play of `depth` moves, a placement with its turn
    /// being one move. A game that ends earlier is a leaf where it ends. Different moves to the
    /// same board count separately.
    ///
    /// From the empty board: 1; 1,296; 1,658,880; 2,096,824,320 for depth 0 to 3.
    #[must_use]
    pub fn perft(&self, p: &Position, depth: u32) -> u64 {
        if depth == 0 || self.outcome(p).is_some() {
            return 1;
        }
        if depth == 1 {
            let wins = u64::from(completions(p.of(p.to_move), p.free()).count_ones());
            return wins + 16 * (p.empty() as u64 - wins);
        }
        let moves = self.moves(p);
        let below = |m| match self.play(p, m) {
            Ok(played) if played.outcome.is_none() => self.perft(&played.position, depth - 1),
            _ => 1,
        };
        if depth == 2 { moves.into_iter().map(below).sum() } else { moves.into_par_iter().map(below).sum() }
    }
}
