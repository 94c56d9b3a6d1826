//! The learned weights of the patterns on a board, and the score that they add up to.

use super::scores::{DRAW, SHIFT, score};
use super::sums::{Sums, WeightTables};
use super::terms::{CONSTANT, WEIGHTS, terms};
use std::ops::RangeInclusive;
use std::sync::OnceLock;

/// The numbers of marbles for which weights exist. A board with fewer or more marbles uses the
/// weights of the nearest number in this range.
pub const STAGES: RangeInclusive<u32> = 8..=24;
/// The sum of weights that corresponds to odds of e to 1. In general, the logarithm of the odds is
/// the sum divided by `UNIT`.
pub const UNIT: f32 = 168.0;

/// The weights for boards with a certain number of marbles.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The weights, indexed by the indices that `terms` returns. The last weight is the constant.
    numbers: Vec<i16>,
    /// The weights arranged for look-up. These tables are computed when the first board is
    /// evaluated.
    tables: OnceLock<WeightTables>,
}

impl Weights {
    /// Creates weights from a list that is indexed by the indices that [`terms`] returns. The last
    /// weight is the constant.
    ///
    /// # Panics
    /// If the list doesn't have [`WEIGHTS`] elements.
    pub fn new(numbers: Vec<i16>) -> Weights {
        assert_eq!(numbers.len(), WEIGHTS);
        Weights { numbers, tables: OnceLock::new() }
    }

    /// Returns the weights, indexed by the indices that [`terms`] returns. The last weight is the
    /// constant.
    pub fn numbers(&self) -> &[i16] {
        &self.numbers
    }

    /// Returns the score of a board whose quadrants aren't turned, for the player to move. This
    /// plain definition is the reference for the faster `Sums`.
    pub fn score(&self, own: u64, other: u64) -> u8 {
        let sum: i32 = terms(own, other).iter().map(|&i| i32::from(self.numbers[usize::from(i)])).sum();
        score(sum as i16 + self.numbers[CONSTANT])
    }

    /// Returns an accumulator that sums these weights for one board after another.
    pub fn sums(&self) -> Sums<'_> {
        Sums::new(self.tables.get_or_init(|| WeightTables::new(&self.numbers)))
    }
}

/// An evaluation function for boards, with separate weights for each number of marbles.
#[derive(Clone, Debug)]
pub struct Evaluation {
    stages: Vec<Weights>,
}

impl Evaluation {
    /// Returns the evaluation with the learned weights, which are part of the program.
    pub fn learned() -> &'static Evaluation {
        static LEARNED: OnceLock<Evaluation> = OnceLock::new();
        LEARNED.get_or_init(|| Evaluation::of_bytes(include_bytes!("weights.bin")))
    }

    /// Parses an evaluation from bytes: for each number of marbles in [`STAGES`], all weights as
    /// little-endian `i16`.
    ///
    /// # Panics
    /// If the number of bytes isn't exactly two for each weight.
    pub fn of_bytes(bytes: &[u8]) -> Evaluation {
        let weights = bytes.as_chunks::<2>().0;
        let stage = |weights: &[[u8; 2]]| weights.iter().map(|&w| i16::from_le_bytes(w)).collect();
        let stages: Vec<Weights> =
            weights.chunks(WEIGHTS).map(|weights| Weights::new(stage(weights))).collect();
        assert_eq!(stages.len(), STAGES.count());
        Evaluation::new(stages)
    }

    /// Creates an evaluation. `stages` has the weights for consecutive numbers of marbles. Its last
    /// element is for the upper end of [`STAGES`].
    pub fn new(stages: Vec<Weights>) -> Evaluation {
        Evaluation { stages }
    }

    /// Returns the weights for boards with `marbles` marbles.
    pub fn weights(&self, marbles: u32) -> &Weights {
        let missing = STAGES.end().saturating_sub(marbles) as usize;
        &self.stages[self.stages.len().saturating_sub(missing + 1)]
    }

    /// Converts a score of the search to an expected result: 0 is a loss, 1 is a win.
    pub fn expected(score: u8) -> f32 {
        let odds = f32::from(i16::from(score) - i16::from(DRAW)) * f32::from(1u8 << SHIFT) / UNIT;
        1.0 / (1.0 + (-odds).exp())
    }
}
