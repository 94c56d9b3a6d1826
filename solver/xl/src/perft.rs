//! Perft: counts the sequences of moves from a position. The count is the standard test of a move
//! generator.

use pentago_base::ALONE;
use rayon::prelude::*;

use crate::geometry::completions;
use crate::options::Rules;
use crate::position::Position;

impl Rules {
    /// Returns the number of leaves of the game tree at a depth of `depth` moves. A placement and
    /// its turn are one move. If the game ends earlier, the final position is a leaf. Different
    /// moves that lead to the same board are counted separately.
    ///
    /// From the empty board, depths 0 to 3 have 1; 1,296; 1,658,880; and 2,096,824,320 leaves.
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
        if depth == 2 || ALONE {
            moves.into_iter().map(below).sum()
        } else {
            moves.into_par_iter().map(below).sum()
        }
    }
}
