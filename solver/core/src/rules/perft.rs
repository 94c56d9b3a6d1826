//! Perft: the number of games of a given length, the standard test of a move generator.

use super::{Dir, Last, Position, Rules, Skip};
use crate::threads;

impl Rules {
    /// Returns the number of leaves of the game tree at a depth of `depth` moves. A placement with
    /// its turn is one move. A game that ends earlier is one leaf. Different moves that lead to the
    /// same board are counted separately.
    ///
    /// From the empty 6x6 board, the numbers are 1, 288, 80,640 and 21,934,080 for depths 0 to 3.
    pub fn perft(&self, p: &Position, depth: u32) -> u64 {
        if depth == 0 || self.outcome(p).is_some() {
            return 1;
        }
        if depth == 1 {
            return self.count_moves(p);
        }
        let moves = self.moves(p);
        let below = |m| {
            let played = self.play(p, m).expect("a generated move is legal");
            if played.outcome.is_some() { 1 } else { self.perft(&played.position, depth - 1) }
        };
        // Counting two plies takes less time than waking a thread, so only deeper trees are divided
        // among threads.
        threads::map(depth > 2, moves, below).into_iter().sum()
    }

    /// Returns the number of legal moves in a position whose game is not over, without building the
    /// list of moves.
    fn count_moves(&self, p: &Position) -> u64 {
        let turns = match self.dir {
            Dir::Both => 8,
            Dir::Cw => 4,
        };
        let free = p.board().free(self.shape);
        if p.pending() {
            return turns + u64::from(self.may_skip(&p.board()));
        }
        let placements = u64::from(free.count_ones());
        if placements == 1 && self.last == Last::Stop {
            return 1;
        }
        let winning = self.winning_placements(p);
        let skips = match self.skip {
            Skip::Never => 0,
            Skip::Empty | Skip::Neutral => self
                .shape
                .sockets_of(free & !winning)
                .filter(|&socket| self.may_skip(&p.board().with(p.to_move(), socket)))
                .count() as u64,
        };
        let wins = u64::from(winning.count_ones());
        wins + (placements - wins) * turns + skips
    }
}
