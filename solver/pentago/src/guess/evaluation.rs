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

/// The weights for boards with one number of marbles.
#[derive(Clone, Debug)]
pub struct Weights {
    /// For each pattern of a line of six, 729 for each kind.
    sixes: Vec<i16>,
    /// For each pattern of a line of five.
    fives: Vec<i16>,
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
        let of = |places: &[u16]| places.iter().map(|&i| numbers[usize::from(i)]).collect();
        Weights {
            sixes: of(&geometry.six_weights),
            fives: of(&geometry.five_weights),
            quadrants: of(&geometry.quadrant_weights),
            numbers,
        }
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
        let states: [[usize; 4]; 4] =
            std::array::from_fn(|b| std::array::from_fn(|r| geometry.state(own, other, b, r as u8)));
        let parts = |b: usize, part: usize| states[b].map(|state| usize::from(geometry.parts[state][part]));
        // The lines in two quadrants a < b, turned r and s times: [a][b][r][s].
        let mut pairs = [[[[0i16; 4]; 4]; 4]; 4];
        for six in &geometry.sixes {
            let ([mut a, mut b], [mut p, mut q]) = (six.quadrants, six.parts);
            if a > b {
                ((a, b), (p, q)) = ((b, a), (q, p));
            }
            let table = &self.sixes[729 * six.kind..][..729];
            let (p, q) = (parts(a, p), parts(b, q));
            for (sums, p) in pairs[a][b].iter_mut().zip(p) {
                for (sum, q) in sums.iter_mut().zip(q) {
                    *sum += table[27 * p + q];
                }
            }
        }
        // The line that misses quadrant i, whose other quadrants are turned r, s, t times, in the
        // order of their numbers.
        let mut triples = [[[[0i16; 4]; 4]; 4]; 4];
        for five in &geometry.fives {
            let missing = 6 - five.quadrants.iter().sum::<usize>();
            let place = |q: usize| five.quadrants[q] - usize::from(five.quadrants[q] > missing);
            let places = [place(0), place(1), place(2)];
            let of = [0, 1, 2].map(|i| parts(five.quadrants[i], five.parts[i]));
            let mut turns = [0; 3];
            for r in 0..4 {
                for s in 0..4 {
                    let pattern = 27 * of[0][r] + 9 * of[1][s];
                    for (t, last) in of[2].into_iter().enumerate() {
                        (turns[places[0]], turns[places[1]], turns[places[2]]) = (r, s, t);
                        triples[missing][turns[0]][turns[1]][turns[2]] = self.fives[pattern + last];
                    }
                }
            }
        }
        let mut same = self.numbers[CONSTANT];
        for of_quadrant in &states {
            same += self.quadrants[of_quadrant[0]];
        }
        // In the order of the rotations: 32 r3 + 8 r2 + 4 h + r1, with r0 = 2 h + a low bit.
        let r0 = |j: usize, low: usize| 2 * (j / 4) + (low + j) % 2;
        let mut without_3 = [[[0i16; 8]; 4]; 2];
        let mut with_3 = [[[0i16; 8]; 4]; 2];
        for low in 0..2 {
            for r in 0..4 {
                for j in 0..8 {
                    let (r0, r1) = (r0(j, low), j % 4);
                    without_3[low][r][j] = same
                        + pairs[0][1][r0][r1]
                        + pairs[0][2][r0][r]
                        + pairs[1][2][r1][r]
                        + triples[3][r0][r1][r];
                    with_3[low][r][j] = pairs[0][3][r0][r] + pairs[1][3][r1][r] + triples[2][r0][r1][r];
                }
            }
        }
        let mut scores = [0; 128];
        for (r3, scores) in scores.chunks_exact_mut(32).enumerate() {
            for (r2, scores) in scores.chunks_exact_mut(8).enumerate() {
                let low = (usize::from(parity) + r2 + r3) % 2;
                for (j, to) in scores.iter_mut().enumerate() {
                    let last =
                        pairs[2][3][r2][r3] + triples[1][r0(j, low)][r2][r3] + triples[0][j % 4][r2][r3];
                    *to = score(without_3[low][r2][j] + with_3[low][r3][j] + last);
                }
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
