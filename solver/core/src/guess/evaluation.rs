//! What the patterns on a board are worth.

use super::scores::{DRAW, SHIFT, score};
use super::sums::{Sums, WeightTables};
use super::terms::{CONSTANT, WEIGHTS, terms};
use std::ops::RangeInclusive;
use std::sync::OnceLock;

/// Marbles for which there are weights. With fewer or more, those of the nearest number are used.
pub const STAGES: RangeInclusive<u32> = 8..=24;
/// A sum of weights is so many times the logarithm of the odds.
pub const UNIT: f32 = 168.0;

/// The weights for boards with one number of marbles.
#[derive(Clone, Debug)]
pub struct Weights {
    /// As they are stored.
    numbers: Vec<i16>,
    /// As they are looked up: made for the first board.
    tables: OnceLock<WeightTables>,
}

impl Weights {
    /// These weights, in the order of [`terms`], the constant last.
    ///
    /// # Panics
    /// If there are not [`WEIGHTS`] of them.
    #[must_use]
    pub fn new(numbers: Vec<i16>) -> Weights {
        assert_eq!(numbers.len(), WEIGHTS);
        Weights { numbers, tables: OnceLock::new() }
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

    /// Sums of these weights, for one board after the other.
    #[must_use]
    pub fn sums(&self) -> Sums<'_> {
        Sums::new(self.tables.get_or_init(|| WeightTables::new(&self.numbers)))
    }
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
