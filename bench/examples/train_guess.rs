//! Trains the weights of the guess on positions that this program solves:
//!
//! ```sh
//! cargo run --release --manifest-path bench/Cargo.toml --example train_guess -- \
//!     solver/core/src/guess/weights.bin
//! ```
//!
//! Boards with many marbles are solved completely; each board yields the values of 128 rotations.
//! Boards with fewer marbles are searched a few plies deep. The search evaluates its last boards
//! with the weights that are already trained for more marbles. The log odds of a win are the sum of
//! the weights of a board's terms. The weights are trained by stochastic gradient descent with
//! adaptive step sizes (AdaGrad: Duchi, Hazan, Singer 2011), and rounded to 168ths. The same seed
//! yields the same bytes.

use pentago::rules::{Rules, Shape, random};
use pentago_base::Random;
use pentago_core::guess::{
    DRAW, Evaluation, GuessSearch, LOSS, STAGES, TERMS, UNIT, WEIGHTS, WIN, Weights, terms,
};
use pentago_core::kernel::Kernel;
use pentago_core::supers::half::half_rotation;
use rayon::prelude::*;
use std::time::Instant;

/// The least number of marbles at which boards are solved completely.
const SOLVED: u32 = 24;
/// The maximum depth, in plies, of the searches of boards with fewer marbles. A search must end at
/// boards with a number of marbles for which weights exist.
const PLIES: u32 = 3;
/// The number of training passes over all samples.
const EPOCHS: usize = 3;
/// The step size of a quadrant's weight divided by the step size of a line's weight. The quadrant's
/// step is smaller, because quadrants have many states and all rotations of a board share the same
/// four states.
const QUADRANT_STEP: f32 = 0.3;

/// The indices of the quadrants' terms within the terms of a board.
const QUADRANTS: std::ops::Range<usize> = TERMS - 4..TERMS;

/// The terms of a board at one rotation, then the expected score of the board.
type Sample = ([u16; TERMS], f32);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().expect("the file to write");
    let boards: usize = arguments.next().map_or(10_000, |n| n.parse().expect("a number of boards"));
    let seed: u64 = arguments.next().map_or(1, |n| n.parse().expect("a seed"));
    let mut stages = Vec::new();
    let mut evaluation = Evaluation::new(vec![Weights::new(vec![0; WEIGHTS])]);
    for marbles in STAGES.rev() {
        let began = Instant::now();
        let plies = if marbles >= SOLVED { 36 - marbles } else { PLIES.min(STAGES.end() - marbles) };
        let samples = samples(&evaluation, marbles, plies as usize, boards, seed);
        let labelled = began.elapsed();
        let (stage, loss) = fit(&samples, seed);
        println!(
            "{marbles} marbles, {plies} plies: {} samples, {loss:.4} bits per sample, {:.1} s + {:.1} s",
            samples.len(),
            labelled.as_secs_f64(),
            (began.elapsed() - labelled).as_secs_f64()
        );
        stages.insert(0, stage);
        evaluation = Evaluation::new(stages.clone());
    }
    let bytes: Vec<u8> =
        stages.iter().flat_map(|stage| stage.numbers()).flat_map(|w| w.to_le_bytes()).collect();
    std::fs::write(&out, bytes).expect("a file that can be written");
}

/// Searches `boards` random boards. Returns one sample for each rotation at which the game is not
/// over.
fn samples(evaluation: &Evaluation, marbles: u32, plies: usize, boards: usize, seed: u64) -> Vec<Sample> {
    let seed = seed * 100 + u64::from(marbles);
    let boards =
        random::positions(&Rules::default(), marbles, boards, seed, false).expect("there are boards");
    let samples = boards.par_iter().map(|position| {
        let (own, other) = (position.own(), position.others());
        let scores = GuessSearch::new(evaluation, Kernel::best(), false, own, other, 0).root(plies);
        let at = scores.0.iter().enumerate().filter_map(|(i, &score)| {
            let r = half_rotation(0, i);
            let turned = |set: u64| {
                let pattern = |b: usize| Shape::Pentago.rotate_quadrant((set >> (16 * b)) as u16 & 511, r[b]);
                (0..4).fold(0, |all, b| all | u64::from(pattern(b)) << (16 * b))
            };
            let (own, other) = (turned(own), turned(other));
            let over = Shape::Pentago.has_line(own) || Shape::Pentago.has_line(other);
            let expected = match score {
                WIN => 1.0,
                LOSS => 0.0,
                DRAW if plies + marbles as usize == 36 => 0.5,
                score => Evaluation::expected(score),
            };
            (!over).then(|| (terms(own, other), expected))
        });
        at.collect::<Vec<Sample>>()
    });
    samples.flatten().collect()
}

/// Fits the weights to the samples. Returns the weights, then the cross-entropy in bits per sample.
fn fit(samples: &[Sample], seed: u64) -> (Weights, f64) {
    let mut weights = vec![0.0f32; WEIGHTS];
    let mut squares = vec![1e-2f32; WEIGHTS];
    let mut order: Vec<u32> = (0..samples.len() as u32).collect();
    let mut random = Random::new(seed);
    let mut bits = 0.0;
    for epoch in 0..EPOCHS {
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i + 1));
        }
        let rate = 0.1 / (1.0 + epoch as f32);
        bits = 0.0;
        for &i in &order {
            let (terms, expected) = &samples[i as usize];
            let places = terms.iter().map(|&i| usize::from(i)).chain([WEIGHTS - 1]);
            let sum: f32 = places.clone().map(|i| weights[i]).sum();
            let p = 1.0 / (1.0 + (-sum).exp());
            let error = expected - p;
            let (p, expected) = (f64::from(p.clamp(1e-6, 1.0 - 1e-6)), f64::from(*expected));
            bits -= expected * p.log2() + (1.0 - expected) * (1.0 - p).log2();
            for (term, i) in places.enumerate() {
                squares[i] += error * error;
                let step = if QUADRANTS.contains(&term) { QUADRANT_STEP } else { 1.0 };
                weights[i] += step * rate * error / squares[i].sqrt();
            }
        }
    }
    let rounded = weights.iter().map(|w| (w * UNIT).round().clamp(-1400.0, 1400.0) as i16).collect();
    (Weights::new(rounded), bits / samples.len() as f64)
}
