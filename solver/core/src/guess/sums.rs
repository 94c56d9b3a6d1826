//! Sums of weights of a board at all 128 rotations of one parity.
//!
//! A line of six lies in two quadrants, and a line of five in three. All lines in the same
//! quadrants share one table of sums, indexed by the turns of these quadrants. If none of these
//! quadrants changes from one board to the next, the table stays valid.

use super::scores::{Scores, score};
use super::terms::{CONSTANT, EDGE_PATTERNS, Geometry, PAIRS, PARTS, PatternLine};
use std::mem::swap;

/// The factors for the index into a table of lines of six. The index is the sum of the base-3
/// numbers of both parts of the line, each multiplied by its factor. Every index is below
/// [`PLACES`]. The look-up still reduces the index modulo `PLACES`, so that the compiler omits the
/// bounds check.
const SIX: [usize; 2] = [32, 1];
/// The number of elements in a table of weights for lines of six.
const PLACES: usize = 1024;
/// The factors for the index into a table of lines of five: the first factor is for the middle part
/// of the line, the second for its upper end. Each element of the table covers the four turns of
/// the lower end.
const FIVE: [usize; 2] = [9, 1];
/// The number of elements in a table of weights for lines of five.
const PLACES_OF_FIVE: usize = 32;

/// The turns r0 of quadrant 0. The first index is the parity of r0 + r1. The second index, j, is
/// the index of the rotation's bit within a byte: the bit of a rotation has index
/// `32 r3 + 8 r2 + j`.
const R0: [[usize; 8]; 2] = [[0, 1, 0, 1, 2, 3, 2, 3], [1, 0, 1, 0, 3, 2, 3, 2]];
/// The turns r1 of quadrant 1, indexed by j as in `R0`.
const R1: [usize; 8] = [0, 1, 2, 3, 0, 1, 2, 3];

/// Sums indexed by the turns of two quadrants.
type ByTurns = [[i16; 4]; 4];

/// The weights for one number of marbles, arranged in tables for fast look-up.
#[derive(Clone, Debug)]
pub(super) struct WeightTables {
    /// For each kind of line of six, the weights of all its patterns, indexed by means of [`SIX`].
    sixes: Vec<[i16; PLACES]>,
    /// For each line of five, the weights of all its patterns. The first index is the pattern of
    /// the edge cells in the quadrant of the lower end. The second index is computed with [`FIVE`]
    /// from the other two parts. The last index is the number of turns of the quadrant of the lower
    /// end.
    fives: [Vec<[[i16; 4]; PLACES_OF_FIVE]>; 4],
    /// The weights of the states of a quadrant, indexed by state.
    quadrants: Vec<i16>,
    constant: i16,
}

impl WeightTables {
    /// Arranges the weights `numbers` in tables. `numbers` is indexed by the indices that
    /// [`super::terms::terms`] returns, and its last weight is the constant.
    pub fn new(numbers: &[i16]) -> WeightTables {
        let geometry = Geometry::get();
        let of = |place: u16| numbers[usize::from(place)];
        let six = |weights: &[u16]| {
            let mut table = [0; PLACES];
            for (pattern, &weight) in weights.iter().enumerate() {
                table[SIX[0] * (pattern / 27) + SIX[1] * (pattern % 27)] = of(weight);
            }
            table
        };
        let fives = std::array::from_fn(|i| {
            let is_first = geometry.fives[i].end() == 0;
            let mut table = vec![[[0; 4]; PLACES_OF_FIVE]; EDGE_PATTERNS];
            for (of_edges, numbers) in table.iter_mut().zip(&geometry.ends[i]) {
                for (middle, last) in (0..3).flat_map(|middle| (0..9).map(move |last| (middle, last))) {
                    of_edges[FIVE[0] * middle + FIVE[1] * last] = numbers.map(|number| {
                        let first = usize::from(number);
                        let (a, c) = if is_first { (first, last) } else { (last, first) };
                        of(geometry.five_weights[27 * a + 9 * middle + c])
                    });
                }
            }
            table
        });
        let sixes = geometry.six_weights.chunks_exact(729).map(six).collect();
        let quadrants = geometry.quadrant_weights.iter().map(|&weight| of(weight)).collect();
        WeightTables { sixes, fives, quadrants, constant: numbers[CONSTANT] }
    }
}

/// The sums of weights of the latest board. The next board reuses the sums of unchanged quadrants.
pub struct Sums<'a> {
    tables: &'a WeightTables,
    /// The marbles in each quadrant: of the player to move, then of the opponent. The initial sets
    /// differ from the sets of every board, so the first board computes all sums.
    quadrants: [[u64; 2]; 4],
    /// The state of each quadrant without turns. `numbers` has, for each quadrant and each part of
    /// a line, the base-3 numbers of the part after 0 to 3 turns.
    states: [usize; 4],
    numbers: [[[u8; 4]; PARTS]; 4],
    /// For each pair of quadrants in the order of `PAIRS`, the sums of its lines of six. The first
    /// index is the number of turns of the second quadrant, the second index that of the first
    /// quadrant.
    pairs: [ByTurns; 6],
    /// For each quadrant, the weights of the line of five that misses the quadrant. The last index
    /// is the number of turns of the quadrant of the lower end
    /// ([`super::terms::PatternLine::end`]). The first two indices are the numbers of turns of the
    /// other two quadrants, higher-numbered quadrant first.
    triples: [[ByTurns; 4]; 4],
}

impl<'a> Sums<'a> {
    pub(super) fn new(tables: &'a WeightTables) -> Sums<'a> {
        Sums {
            tables,
            quadrants: [[u64::MAX; 2]; 4],
            states: [0; 4],
            numbers: [[[0; 4]; PARTS]; 4],
            pairs: Default::default(),
            triples: Default::default(),
        }
    }

    /// Returns the scores of a board at all rotations of parity `parity`, for the player to move.
    pub fn scores(&mut self, own: u64, other: u64, parity: u8) -> Scores {
        self.change(own, other);
        let mut sums = [[0; 8]; 16];
        self.add_up::<0>(parity, &mut sums);
        self.add_up::<1>(parity, &mut sums);
        let mut scores = [0; 128];
        for (to, &sum) in scores.iter_mut().zip(sums.as_flattened()) {
            *to = score(sum);
        }
        Scores(scores)
    }

    /// Computes the sums at all rotations at which r0 + r1 has parity `LOW`. `sums[4 * r3 + r2]`
    /// has the sums of the eight rotations with these r2 and r3.
    #[inline]
    fn add_up<const LOW: usize>(&self, parity: u8, sums: &mut [[i16; 8]; 16]) {
        let [of_01, of_02, of_12, of_03, of_13, of_23] = &self.pairs;
        let [of_123, of_023, of_013, of_012] = &self.triples;
        let (r0, r1) = (&R0[LOW], &R1);
        let same = self.states.iter().map(|&state| self.tables.quadrants[state]);
        let same = same.fold(self.tables.constant, i16::wrapping_add);
        let (mut without_3, mut with_3) = ([[0i16; 8]; 4], [[0i16; 8]; 4]);
        for r in 0..4 {
            let (by_2, by_3) = (&mut without_3[r], &mut with_3[r]);
            for j in 0..8 {
                by_2[j] = same.wrapping_add(of_01[r1[j]][r0[j]]).wrapping_add(of_02[r][r0[j]]);
                by_2[j] = by_2[j].wrapping_add(of_12[r][r1[j]]).wrapping_add(of_012[r][r0[j]][r1[j]]);
                by_3[j] = of_03[r][r0[j]].wrapping_add(of_13[r][r1[j]]).wrapping_add(of_013[r][r1[j]][r0[j]]);
            }
        }
        for r3 in 0..4 {
            for half in 0..2 {
                let r2 = 2 * half + (LOW + usize::from(parity) + r3) % 2;
                let (of_0, of_1) = (&of_023[r3][r2], &of_123[r3][r2]);
                let (by_2, by_3, both) = (&without_3[r2], &with_3[r3], of_23[r3][r2]);
                let sums = &mut sums[4 * r3 + r2];
                for j in 0..8 {
                    sums[j] = both.wrapping_add(of_0[r0[j]]).wrapping_add(of_1[r1[j]]);
                    sums[j] = sums[j].wrapping_add(by_2[j]).wrapping_add(by_3[j]);
                }
            }
        }
    }

    /// Updates all sums for a new board. Recomputes only the sums that involve a changed quadrant.
    fn change(&mut self, own: u64, other: u64) {
        let geometry = Geometry::get();
        let mut changed = [false; 4];
        for (b, changed) in changed.iter_mut().enumerate() {
            let sets = [own, other].map(|set| set >> (16 * b) & 0xffff);
            *changed = self.quadrants[b] != sets;
            if *changed {
                self.quadrants[b] = sets;
                let turned = geometry.states(own, other, b);
                self.states[b] = turned[0];
                for (turns, &state) in turned.iter().enumerate() {
                    for (numbers, number) in self.numbers[b].iter_mut().zip(geometry.parts[state]) {
                        numbers[turns] = number;
                    }
                }
            }
        }
        self.change_pairs(geometry, changed);
        self.change_triples(geometry, changed);
    }

    /// Recomputes the sums of the lines of six in each pair of quadrants in which a quadrant has
    /// changed.
    #[inline]
    fn change_pairs(&mut self, geometry: &Geometry, changed: [bool; 4]) {
        for ((quadrants, lines), sums) in PAIRS.into_iter().zip(&geometry.pairs).zip(&mut self.pairs) {
            if quadrants.iter().all(|&b| !changed[b]) {
                continue;
            }
            *sums = ByTurns::default();
            for line in lines {
                let i = usize::from(line.quadrants[0] != quadrants[0]);
                let of = |i: usize| places(&self.numbers[line.quadrants[i]][line.parts[i]], SIX[i]);
                add_line(sums, of(i), of(1 - i), &self.tables.sixes[line.kind]);
            }
        }
    }

    /// Recomputes the weights of each line of five that has a changed quadrant.
    #[inline]
    fn change_triples(&mut self, geometry: &Geometry, changed: [bool; 4]) {
        for (five, table) in geometry.fives.iter().zip(&self.tables.fives) {
            let missing = five.missing();
            if (0..4).all(|b| b == missing || !changed[b]) {
                continue;
            }
            let (first, last) = (five.end(), 2 - five.end());
            let edges = PatternLine::edges(self.numbers[five.quadrants[first]][five.parts[first]]);
            let table = &table[edges];
            let of = |i: usize, factor| places(&self.numbers[five.quadrants[i]][five.parts[i]], factor);
            let (mut of_y, mut of_z) = (of(1, FIVE[0]), of(last, FIVE[1]));
            if five.quadrants[1] > five.quadrants[last] {
                swap(&mut of_y, &mut of_z);
            }
            for (triples, of_z) in self.triples[missing].iter_mut().zip(of_z) {
                for (sums, of_y) in triples.iter_mut().zip(of_y) {
                    *sums = table[(of_y + of_z) % PLACES_OF_FIVE];
                }
            }
        }
    }
}

/// Returns what one part of a line adds to the index into a table: the base-3 number of the part
/// times `factor`, for the quadrant turned 0 to 3 times.
#[inline]
fn places(numbers: &[u8; 4], factor: usize) -> [usize; 4] {
    let [a, b, c, d] = *numbers;
    [usize::from(a) * factor, usize::from(b) * factor, usize::from(c) * factor, usize::from(d) * factor]
}

/// Adds the weights of a line of six to the sums of its pair of quadrants. `of_a` and `of_b` are
/// what the first and the second quadrant add to the index into `table`, for 0 to 3 turns.
#[inline]
fn add_line(sums: &mut ByTurns, of_a: [usize; 4], of_b: [usize; 4], table: &[i16; PLACES]) {
    for (sums, of_b) in sums.iter_mut().zip(of_b) {
        for (sum, of_a) in sums.iter_mut().zip(of_a) {
            *sum = sum.wrapping_add(table[(of_a + of_b) % PLACES]);
        }
    }
}
