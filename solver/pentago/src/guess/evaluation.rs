//! What the patterns on a board are worth, at all 128 rotations of a parity at once.

use super::scores::{DRAW, LOSS, Scores, WIN};
use super::terms::{CONSTANT, Geometry, WEIGHTS, terms};
use std::ops::RangeInclusive;
use std::sync::OnceLock;

/// Marbles for which there are weights. With fewer or more, those of the nearest number are used.
pub const STAGES: RangeInclusive<u32> = 8..=24;
/// A sum of weights is so many times the logarithm of the odds.
pub const UNIT: f32 = 168.0;
/// A score is so many parts of a sum.
const SHIFT: u32 = 3;

/// The place of a line's weight is the sum of its parts' numbers, each times one of these. No place is
/// larger than [`PLACES`] allows, which the compiler sees.
const SIX: [usize; 2] = [32, 1];
/// The same for a line of five.
const FIVE: [usize; 3] = [64, 16, 1];
/// Places in a table.
const PLACES: usize = 1024;

/// The turns of quadrant 0 in the order of the rotations, 32 r3 + 8 r2 + j, by the parity of r0 + r1.
const R0: [[usize; 8]; 2] = [[0, 1, 0, 1, 2, 3, 2, 3], [1, 0, 1, 0, 3, 2, 3, 2]];
/// Those of quadrant 1.
const R1: [usize; 8] = [0, 1, 2, 3, 0, 1, 2, 3];

/// The weights for boards with one number of marbles.
#[derive(Clone, Debug)]
pub struct Weights {
    /// For each kind of a line of six, by the places of its parts ([`SIX`]).
    sixes: Vec<[i16; PLACES]>,
    /// For lines of five, by the places of their parts ([`FIVE`]).
    fives: Box<[i16; PLACES]>,
    /// For each state of a quadrant.
    quadrants: Vec<i16>,
    /// The weights as they are stored.
    numbers: Vec<i16>,
}

impl Weights {
    /// The tables of these weights, in the order of [`terms`], the constant last.
    ///
    /// # Panics
    /// If there are not [`WEIGHTS`] of them.
    #[must_use]
    pub fn new(numbers: Vec<i16>) -> Weights {
        assert_eq!(numbers.len(), WEIGHTS);
        let geometry = Geometry::get();
        let of = |place: u16| numbers[usize::from(place)];
        let six = |weights: &[u16]| {
            let mut table = [0; PLACES];
            for (pattern, &weight) in weights.iter().enumerate() {
                table[SIX[0] * (pattern / 27) + SIX[1] * (pattern % 27)] = of(weight);
            }
            table
        };
        let mut fives = Box::new([0; PLACES]);
        for (pattern, &weight) in geometry.five_weights.iter().enumerate() {
            let parts = [pattern / 27, pattern / 9 % 3, pattern % 9];
            fives[parts.iter().zip(FIVE).map(|(part, times)| part * times).sum::<usize>()] = of(weight);
        }
        let sixes = geometry.six_weights.chunks_exact(729).map(six).collect();
        let quadrants = geometry.quadrant_weights.iter().map(|&weight| of(weight)).collect();
        Weights { sixes, fives, quadrants, numbers }
    }

    /// The weights, in the order of [`terms`], the constant last.
    #[must_use]
    pub fn numbers(&self) -> &[i16] {
        &self.numbers
    }

    /// The score of a board as it lies, for the player to move: the plain definition.
    #[must_use]
    pub fn score(&self, own: u64, other: u64) -> u8 {
        let sum: i32 = terms(own, other).iter().map(|&i| i32::from(self.numbers[usize::from(i)])).sum();
        score(sum as i16 + self.numbers[CONSTANT])
    }

    /// The scores of a board at all rotations of a parity, for the player to move.
    #[must_use]
    pub fn scores(&self, own: u64, other: u64, parity: u8) -> Scores {
        let geometry = Geometry::get();
        let states: [[usize; 4]; 4] = std::array::from_fn(|b| geometry.states(own, other, b));
        let parts = states.map(|of_quadrant| of_quadrant.map(|state| &geometry.parts[state]));
        let place = |b: usize, part: usize, times| parts[b].map(|numbers| usize::from(numbers[part]) * times);
        // The lines in two quadrants a < b, turned r and s times: [a][b][s][r].
        let mut pairs = [[[[0i16; 4]; 4]; 4]; 4];
        for six in &geometry.sixes {
            let [p, q] = [0, 1].map(|i| place(six.quadrants[i], six.parts[i], SIX[i]));
            let [a, b] = six.quadrants;
            let (a, b, p, q) = if a < b { (a, b, p, q) } else { (b, a, q, p) };
            let (table, pairs) = (&self.sixes[six.kind], &mut pairs[a][b]);
            for s in 0..4 {
                for r in 0..4 {
                    pairs[s][r] = pairs[s][r].wrapping_add(table[(p[r] + q[s]) % PLACES]);
                }
            }
        }
        // The places of the line that misses quadrant i, whose other quadrants are turned r, s, t times, in
        // the order of their numbers.
        let mut places = [[[0; 4]; 3]; 4];
        for five in &geometry.fives {
            let missing = 6 - five.quadrants.iter().sum::<usize>();
            for (i, (&quadrant, times)) in five.quadrants.iter().zip(FIVE).enumerate() {
                places[missing][quadrant - usize::from(quadrant > missing)] =
                    place(quadrant, five.parts[i], times);
            }
        }
        let five = |missing: usize, [r, s, t]: [usize; 3]| {
            let [first, second, third] = &places[missing];
            self.fives[(first[r] + second[s] + third[t]) % PLACES]
        };
        let sum = |weights: &[i16]| weights.iter().fold(0i16, |sum, &weight| sum.wrapping_add(weight));
        let same = sum(&states.map(|of_quadrant| self.quadrants[of_quadrant[0]]));
        let same = same.wrapping_add(self.numbers[CONSTANT]);
        let mut without_3 = [[[0i16; 8]; 4]; 2];
        let mut with_3 = [[[0i16; 8]; 4]; 2];
        for (low, r0s) in R0.iter().enumerate() {
            for r in 0..4 {
                for (j, (&r0, r1)) in r0s.iter().zip(R1).enumerate() {
                    let pairs_of_2 = [pairs[0][1][r1][r0], pairs[0][2][r][r0], pairs[1][2][r][r1]];
                    without_3[low][r][j] = sum(&[same, sum(&pairs_of_2), five(3, [r0, r1, r])]);
                    with_3[low][r][j] = sum(&[pairs[0][3][r][r0], pairs[1][3][r][r1], five(2, [r0, r1, r])]);
                }
            }
        }
        let mut scores = [0; 128];
        for (r3, scores) in scores.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            for (r2, scores) in scores.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                let low = (usize::from(parity) + r2 + r3) % 2;
                let with_0: [i16; 4] = std::array::from_fn(|r0| five(1, [r0, r2, r3]));
                let with_1: [i16; 4] = std::array::from_fn(|r1| five(0, [r1, r2, r3]));
                let both = pairs[2][3][r3][r2];
                let of = |j: usize| {
                    let last = sum(&[both, with_0[R0[low][j]], with_1[R1[j]]]);
                    sum(&[without_3[low][r2][j], with_3[low][r3][j], last])
                };
                let sums: [i16; 8] = std::array::from_fn(of);
                *scores = sums.map(score);
            }
        }
        Scores(scores)
    }
}

/// A sum as a score that is neither that of a lost game nor that of a won one.
fn score(sum: i16) -> u8 {
    (i16::from(DRAW) + (sum >> SHIFT)).clamp(i16::from(LOSS) + 1, i16::from(WIN) - 1) as u8
}

/// An evaluation: weights for each number of marbles.
#[derive(Clone, Debug)]
pub struct Evaluation {
    stages: Vec<Weights>,
}

impl Evaluation {
    /// The evaluation that was learned.
    #[must_use]
    pub fn learned() -> &'static Evaluation {
        static LEARNED: OnceLock<Evaluation> = OnceLock::new();
        LEARNED.get_or_init(|| Evaluation::of_bytes(include_bytes!("weights.bin")))
    }

    /// The evaluation whose weights are these bytes: for each number of marbles its weights, as
    /// numbers of two bytes.
    ///
    /// # Panics
    /// If there are more or fewer of them.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Evaluation {
        let weights = bytes.as_chunks::<2>().0;
        let stage = |weights: &[[u8; 2]]| weights.iter().map(|&w| i16::from_le_bytes(w)).collect();
        let stages: Vec<Weights> =
            weights.chunks(WEIGHTS).map(|weights| Weights::new(stage(weights))).collect();
        assert_eq!(stages.len(), STAGES.count());
        Evaluation::new(stages)
    }

    /// The evaluation with weights for these numbers of marbles, the last of [`STAGES`] last.
    #[must_use]
    pub fn new(stages: Vec<Weights>) -> Evaluation {
        Evaluation { stages }
    }

    /// The weights for boards with this number of marbles.
    #[must_use]
    pub fn weights(&self, marbles: u32) -> &Weights {
        let missing = STAGES.end().saturating_sub(marbles) as usize;
        &self.stages[self.stages.len().saturating_sub(missing + 1)]
    }

    /// The expected score, 0 to 1, that a score of the search stands for.
    #[must_use]
    pub fn expected(score: u8) -> f32 {
        let odds = f32::from(i16::from(score) - i16::from(DRAW)) * f32::from(1u8 << SHIFT) / UNIT;
        1.0 / (1.0 + (-odds).exp())
    }
}
