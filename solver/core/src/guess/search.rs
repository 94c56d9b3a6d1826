//! Scores of a truncated solution, backed up from the evaluation of the boards at its end.
//!
//! The search visits all moves, and all 128 rotations of each board at once, as a full solution
//! does (Irving 2014). It computes 128 scores of each board instead of 128 values. A level holds
//! the boards after a number of placements: each board is a set of the player's new marbles and a
//! set of the opponent's. Between two adjacent levels one of these sets stays the same, so the
//! boards that share it form a block.

use super::evaluation::Evaluation;
use super::scores::{DRAW, LOSS, Scores, WIN};
use super::sums::Sums;
use crate::kernel::{Kernel, Passes};
use crate::rules::{Move, Place, Position, Rules, Shape, Socket, TurnPart};
use crate::solve::proof::sets::subsets;
use crate::supers::WinMasks;
use crate::supers::half::half_index;
use crate::threads;
use pentago_base::{binomial, bits};
use std::cmp::Reverse;

/// A search from one board, at all rotations of one parity.
pub struct GuessSearch<'a> {
    evaluation: &'a Evaluation,
    masks: &'static WinMasks,
    passes: Passes,
    parallel: bool,
    own: u64,
    other: u64,
    /// The free sockets.
    free: Vec<u64>,
    /// The parity of the rotations of the root.
    parity: u8,
    /// The first placements that the search visits, as a set of indices of free sockets.
    placements: u64,
    binomials: [[u32; 37]; 37],
    /// Whether five in a row wins before the turn.
    place: Place,
}

/// The boards of one level: a block for each set that stays, with a board for each set of the
/// placing side.
type Level = Vec<Vec<Scores>>;

/// The guessed scores of a position whose game is not over.
pub struct Guess {
    /// The expected score of each move in thousandths, between 1 and 999, or `None` for a move
    /// without a turn.
    pub scores: Vec<Option<u16>>,
    /// The number of evaluated boards.
    pub boards: u64,
}

/// Guesses the scores of some moves of a position whose game is not over.
///
/// The search is as deep as `boards` evaluations and `memory` bytes allow. If they allow more, the
/// most promising placements are searched one ply deeper. All other placements then score less than
/// the best of these.
#[must_use]
pub fn guess(
    evaluation: &Evaluation,
    rules: &Rules,
    position: &Position,
    moves: &[Move],
    kernel: Kernel,
    boards: u64,
    memory: u64,
) -> Guess {
    let free = position.free().count_ones() as usize;
    let (own, other, pending) = (position.own(), position.others(), position.pending());
    let below = |socket: Socket| (position.free() & (socket.bit() - 1)).count_ones() as usize;
    let number = |m: &Move| m.place.map_or(0, below);
    // The indices of the placements of all moves.
    let mut asked: Vec<usize> =
        if pending { (0..free).collect() } else { moves.iter().map(number).collect() };
    asked.sort_unstable();
    asked.dedup();
    let bytes = |plies| leaves(free, plies, free).saturating_mul(size_of::<Scores>() as u64);
    let fits = |plies: usize, placements: usize, boards: u64| {
        leaves(free, plies, placements) <= boards
            && bytes(plies - 1).saturating_add(bytes(plies - 2)) <= memory
    };
    let deepest = (2..=free).take_while(|&plies| fits(plies, asked.len(), boards)).last();
    let plies = deepest.unwrap_or(1.min(free));
    // Returns the score of each move whose placement is in `placements`.
    let search = |plies: usize, placements: &[usize]| -> Vec<Option<u8>> {
        let search = |own, other, parity| {
            let search = GuessSearch::new(evaluation, kernel, true, own, other, parity);
            GuessSearch { place: rules.place, ..search }.of(placements.iter().fold(0, |set, &i| set | 1 << i))
        };
        // After a placement the search treats the opponent as the side to move, one quarter turn
        // away.
        let placed = if pending {
            vec![Some(search(other, own, 1).root(plies))]
        } else {
            search(own, other, 0).placements(plies)
        };
        moves.iter().map(|m| score(m, placed[number(m)].as_ref())).collect()
    };
    let mut scores = search(plies, &asked);
    let mut spent = leaves(free, plies, asked.len());
    let more = |&n: &usize| fits(plies + 1, n, boards.saturating_sub(spent));
    if let Some(n) = (2..asked.len()).take_while(more).last().filter(|_| !pending) {
        let of = |place: usize| moves.iter().zip(&scores).filter(move |(m, _)| number(m) == place);
        asked.sort_by_cached_key(|&place| Reverse(of(place).filter_map(|(_, &score)| score).max()));
        spent += leaves(free, plies + 1, n);
        let deeper = search(plies + 1, &asked[..n]);
        let best = deeper.iter().flatten().max().map_or(WIN, |&best| best.max(LOSS + 1) - 1);
        for (score, deeper) in scores.iter_mut().zip(deeper) {
            *score = deeper.or(score.map(|score| score.min(best)));
        }
    }
    let in_thousandths = |score| (Evaluation::expected(score) * 1000.0).round().clamp(1.0, 999.0) as u16;
    Guess { scores: scores.into_iter().map(|score| score.map(in_thousandths)).collect(), boards: spent }
}

/// Returns the score of a move with a turn, given the opponent's scores after its placement.
fn score(m: &Move, placed: Option<&Scores>) -> Option<u8> {
    let TurnPart::Turn(turn) = m.turn else { return None };
    let mut turns = [0; 4];
    turns[usize::from(turn.quadrant)] = turn.quarters();
    placed.map(|scores| scores.0[half_index(turns)].wrapping_neg())
}

/// Returns the number of boards that a search evaluates: the boards after `plies` placements on
/// `free` sockets, with a marble of the first player on at least one of `placements` sockets.
/// Saturates at `u64::MAX`.
#[must_use]
fn leaves(free: usize, plies: usize, placements: usize) -> u64 {
    let of_player = plies.div_ceil(2);
    if plies > free {
        return u64::MAX;
    }
    let sets = binomial(free, of_player) - binomial(free - placements, of_player);
    u64::try_from(sets * binomial(free - of_player, plies / 2)).unwrap_or(u64::MAX)
}

impl<'a> GuessSearch<'a> {
    /// Creates a search from the board with the marbles `own` of the side to move and `other` of
    /// the opponent. With `parallel`, the search uses all threads of the rayon pool.
    #[must_use]
    pub fn new(
        evaluation: &'a Evaluation,
        kernel: Kernel,
        parallel: bool,
        own: u64,
        other: u64,
        parity: u8,
    ) -> GuessSearch<'a> {
        let shape = Shape::Pentago;
        let free = shape.sockets_of(shape.board_mask() & !(own | other)).map(|socket| socket.bit()).collect();
        let binomials =
            std::array::from_fn(|n| std::array::from_fn(|k| binomial(n, k).min(u32::MAX.into()) as u32));
        let (masks, passes) = (WinMasks::get(shape), Passes::of(kernel));
        GuessSearch {
            evaluation,
            masks,
            passes,
            parallel,
            own,
            other,
            free,
            parity,
            placements: u64::MAX,
            binomials,
            place: Place::Wins,
        }
    }

    /// Restricts the first placement to a set of indices of free sockets.
    #[must_use]
    pub fn of(self, placements: u64) -> GuessSearch<'a> {
        GuessSearch { placements, ..self }
    }

    /// Returns the score after each placement of [`GuessSearch::of`], or `None` for other sockets,
    /// in the order of the sockets. The scores are the opponent's, at rotations of the other
    /// parity. `plies` is the total depth, at least 1.
    ///
    /// # Panics
    /// If there are fewer free sockets than plies.
    #[must_use]
    pub fn placements(&self, plies: usize) -> Vec<Option<Scores>> {
        assert!((1..=self.free.len()).contains(&plies));
        let mut below = None;
        for level in (2..=plies).rev() {
            below = Some(self.above(level, below.as_ref()));
        }
        match below {
            // The block of a placement holds only the board after it.
            Some(level) => level.into_iter().map(|block| block.first().copied()).collect(),
            None => {
                let mut sums = self.sums(1);
                let sets = (0..self.free.len()).map(|i| 1 << i);
                sets.map(|set| (set & self.placements != 0).then(|| self.leaf(&mut sums, set, 0, 1)))
                    .collect()
            }
        }
    }

    /// Returns the scores of the root from a search of `plies` plies.
    #[must_use]
    pub fn root(&self, plies: usize) -> Scores {
        if plies == 0 {
            return self.leaf(&mut self.sums(0), 0, 0, 0);
        }
        let mut best = Scores::all(LOSS);
        for (scores, socket) in self.placements(plies).into_iter().zip(&self.free) {
            if let Some(scores) = scores {
                best.improve(&self.moved(scores, self.own | socket, self.other, 1));
            }
        }
        best
    }

    /// Computes the level above level `level`. `below` has the boards of level `level`; without it
    /// they are evaluated.
    fn above(&self, level: usize, below: Option<&Level>) -> Level {
        let (own, other) = (level.div_ceil(2), level / 2);
        let by_player = level % 2 == 1;
        // The number of marbles in the set that stays, and in the set from which one marble is
        // removed.
        let (stays, placed) = if by_player { (other, own) } else { (own, other) };
        let passes_by = |own: u64| own & self.placements == 0;
        threads::map(self.parallel, subsets(self.free.len(), stays).collect(), |fixed| {
            if !by_player && passes_by(fixed) {
                return Vec::new();
            }
            let rest: Vec<u32> = (0..self.free.len() as u32).filter(|i| fixed >> i & 1 == 0).collect();
            let mut sums = self.sums(level);
            let mut block = vec![Scores::all(LOSS); self.binomials[rest.len()][placed - 1] as usize];
            for chosen in subsets(rest.len(), placed) {
                let set = bits(chosen).fold(0, |set, i| set | 1u64 << rest[i]);
                let (a, b) = if by_player { (set, fixed) } else { (fixed, set) };
                if passes_by(a) {
                    continue;
                }
                let scores = match below {
                    // In `below`, a block belongs to the set that is placed here.
                    Some(below) => below[self.rank(set)][self.rank_in_rest(fixed, set)],
                    None => self.leaf(&mut sums, a, b, level),
                };
                let (a, b) = (self.own | self.sockets(a), self.other | self.sockets(b));
                let (mover, waits) = if by_player { (a, b) } else { (b, a) };
                let moved = self.moved(scores, mover, waits, level);
                for i in bits(chosen) {
                    block[self.rank(chosen & !(1 << i))].improve(&moved);
                }
            }
            block
        })
    }

    /// Returns the scores of a board before the mover's turn, for the mover. `scores` are the
    /// opponent's after the turn, at level `level`.
    #[inline]
    fn moved(&self, mut scores: Scores, mover: u64, waits: u64, level: usize) -> Scores {
        let [mover, waits] = [mover, waits].map(|set| self.passes.fives(&self.masks.lines(set)));
        let after = (usize::from(self.parity) + level) % 2;
        scores.set(mover[after], LOSS);
        scores.set(waits[after], WIN);
        scores.set(mover[after] & waits[after], DRAW);
        let mut before = scores.before_turn();
        if self.place == Place::Wins {
            before.set(mover[1 - after], WIN);
        }
        before
    }

    /// Returns an accumulator of the weights for the boards of a level.
    fn sums(&self, level: usize) -> Sums<'a> {
        let marbles = (self.own | self.other).count_ones() + level as u32;
        self.evaluation.weights(marbles).sums()
    }

    /// Evaluates a board after `level` moves of the search, for the side to move, as if nobody had
    /// five in a row.
    #[inline]
    fn leaf(&self, sums: &mut Sums, a: u64, b: u64, level: usize) -> Scores {
        if level == self.free.len() {
            return Scores::all(DRAW);
        }
        let (a, b) = (self.own | self.sockets(a), self.other | self.sockets(b));
        let parity = (usize::from(self.parity) + level) as u8 % 2;
        if level.is_multiple_of(2) { sums.scores(a, b, parity) } else { sums.scores(b, a, parity) }
    }

    /// Converts a set of indices of free sockets to a set of sockets.
    #[inline]
    fn sockets(&self, set: u64) -> u64 {
        bits(set).fold(0, |sockets, i| sockets | self.free[i])
    }

    /// Returns the rank of a set among the sets of its size.
    #[inline]
    fn rank(&self, set: u64) -> usize {
        bits(set).zip(1..).map(|(i, k)| self.binomials[i][k] as usize).sum()
    }

    /// Returns the rank of a set without elements in `without`, among such sets of its size.
    #[inline]
    fn rank_in_rest(&self, set: u64, without: u64) -> usize {
        let place = |i: usize| i - (without & ((1 << i) - 1)).count_ones() as usize;
        bits(set).zip(1..).map(|(i, k)| self.binomials[place(i)][k] as usize).sum()
    }
}
