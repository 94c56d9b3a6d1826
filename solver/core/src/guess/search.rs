//! A search of a few plies that backs up scores from the evaluation of the boards at its last ply.
//!
//! The search visits all moves, and all 128 rotations of each board at once, as a full solution
//! does (Irving 2014). It computes 128 scores of each board instead of 128 values. A level holds
//! the boards after a certain number of placements. Each board is a pair of sets: the new marbles
//! of the player, and the new marbles of the opponent. A placement changes only one of the two
//! sets. The boards that share the other set form a block.

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

/// A search that starts at one board, for all rotations of one parity.
pub struct GuessSearch<'a> {
    evaluation: &'a Evaluation,
    masks: &'static WinMasks,
    passes: Passes,
    parallel: bool,
    own: u64,
    other: u64,
    /// The bit of each free socket, in ascending order.
    free: Vec<u64>,
    /// The parity of the rotations of the root.
    parity: u8,
    /// The sockets on which the first placement may be, as a bit set of indices into `free`.
    placements: u64,
    binomials: [[u32; 37]; 37],
    /// The rule that decides whether five in a row wins immediately after the placement, before the
    /// turn.
    place: Place,
}

/// The boards of one level. The outer index is the rank of the set that the placement leaves
/// unchanged. The inner index is the rank of the set of the side that places a marble.
type Level = Vec<Vec<Scores>>;

/// The guessed scores of a position whose game is not over.
pub struct Guess {
    /// The expected score of each requested move in thousandths, from 1 to 999. The score is `None`
    /// for a move that has no turn.
    pub scores: Vec<Option<u16>>,
    /// The number of boards that the search evaluated.
    pub boards: u64,
}

/// Guesses the scores of some moves of a position whose game is not over.
///
/// The search is as deep as the limits of `boards` evaluations and `memory` bytes allow. If
/// evaluations remain after the deepest complete search, the most promising placements are searched
/// one ply deeper. Every other placement is then given a score below the best score of the deeper
/// search.
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
    // The indices of the sockets on which the requested moves place a marble. If only a turn is
    // pending, the indices of all free sockets.
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
    // Searches `plies` plies from the sockets in `placements`. Returns the score of each requested
    // move, or `None` if its socket isn't in `placements`.
    let search = |plies: usize, placements: &[usize]| -> Vec<Option<u8>> {
        let search = |own, other, parity| {
            let search = GuessSearch::new(evaluation, kernel, true, own, other, parity);
            GuessSearch { place: rules.place, ..search }.of(placements.iter().fold(0, |set, &i| set | 1 << i))
        };
        // If only the turn is pending, search from the board after the placement. On this board,
        // the opponent is to move, at the rotations of parity 1.
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

/// Returns the score of a move for the player who makes it. `placed` holds the opponent's scores
/// after the placement of the move, at each rotation. Returns `None` if the move has no turn or if
/// `placed` is `None`.
fn score(m: &Move, placed: Option<&Scores>) -> Option<u8> {
    let TurnPart::Turn(turn) = m.turn else { return None };
    let mut turns = [0; 4];
    turns[usize::from(turn.quadrant)] = turn.quarters();
    placed.map(|scores| scores.0[half_index(turns)].wrapping_neg())
}

/// Returns the number of boards that a search evaluates: the boards after `plies` placements on
/// `free` free sockets. The first player must have a new marble on at least one of the `placements`
/// sockets that the search visits first. Saturates at `u64::MAX`.
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
    /// the opponent, at the rotations of parity `parity`. If `parallel` is `true`, the search uses
    /// all threads of the rayon pool.
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

    /// Restricts the first placement to the free sockets whose indices are in the bit set
    /// `placements`.
    #[must_use]
    pub fn of(self, placements: u64) -> GuessSearch<'a> {
        GuessSearch { placements, ..self }
    }

    /// Returns the opponent's scores after a placement on each free socket, at the rotations of the
    /// other parity. The elements are in the order of the sockets. An element is `None` if
    /// [`GuessSearch::of`] excludes its socket. `plies` is the depth of the search including the
    /// placement, at least 1.
    ///
    /// # Panics
    /// If `plies` is 0 or exceeds the number of free sockets.
    pub fn placements(&self, plies: usize) -> Vec<Option<Scores>> {
        assert!((1..=self.free.len()).contains(&plies));
        let mut below = None;
        for level in (2..=plies).rev() {
            below = Some(self.above(level, below.as_ref()));
        }
        match below {
            // At level 1, the block of a placement has a single board, or none for an excluded
            // placement.
            Some(level) => level.into_iter().map(|block| block.first().copied()).collect(),
            None => {
                let mut sums = self.sums(1);
                let sets = (0..self.free.len()).map(|i| 1 << i);
                sets.map(|set| (set & self.placements != 0).then(|| self.leaf(&mut sums, set, 0, 1)))
                    .collect()
            }
        }
    }

    /// Returns the scores of the root for the side to move, from a search of `plies` plies.
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

    /// Computes the level with one marble less than level `level`, from the scores `below` of level
    /// `level`. If `below` is `None`, evaluates the boards of level `level` instead.
    fn above(&self, level: usize, below: Option<&Level>) -> Level {
        let (own, other) = (level.div_ceil(2), level / 2);
        let by_player = level % 2 == 1;
        // `stays` is the number of marbles in the set that the placement leaves unchanged. `placed`
        // is the number in the other set, from which this function removes one marble.
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
                    // The blocks of `below` are indexed by the rank of `set`, because the preceding
                    // call of `above` left `set` unchanged.
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

    /// Returns the scores of a board after a placement and before the turn, for the player `mover`
    /// who turns. `scores` are the opponent's scores after the turn, at level `level`.
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

    /// Returns an accumulator that evaluates the boards of level `level`.
    fn sums(&self, level: usize) -> Sums<'a> {
        let marbles = (self.own | self.other).count_ones() + level as u32;
        self.evaluation.weights(marbles).sums()
    }

    /// Evaluates the board with the new marbles `a` of the player and `b` of the opponent, after
    /// `level` moves of the search, for the side to move, as if nobody had five in a row.
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

    /// Returns the rank of `set` among all sets of the same size, in colexicographic order.
    #[inline]
    fn rank(&self, set: u64) -> usize {
        bits(set).zip(1..).map(|(i, k)| self.binomials[i][k] as usize).sum()
    }

    /// Returns the rank of `set` among the sets of the same size that have no element in `without`.
    /// `set` itself must have no such element.
    #[inline]
    fn rank_in_rest(&self, set: u64, without: u64) -> usize {
        let place = |i: usize| i - (without & ((1 << i) - 1)).count_ones() as usize;
        bits(set).zip(1..).map(|(i, k)| self.binomials[place(i)][k] as usize).sum()
    }
}
