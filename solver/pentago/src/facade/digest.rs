//! [`digest`]: hashes of a kernel's results, which tests compare between kernels and targets.

use crate::ask::Search;
use pentago_base::{Clock, Control};
use pentago_core::answer::Question;
use pentago_core::kernel::{Kernel, Pack, Passes, Turns};
use pentago_core::rules::Rules;
use pentago_core::solve::RootedSolver;
use pentago_core::supers::Half;
use std::num::NonZeroUsize;

/// The memory limit of a solution in bytes.
const MEMORY: u64 = 380_000_000;

/// The hash of an empty sequence of numbers.
const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds a number to a hash. The hash is FNV-1a with an additional rotation of bits.
fn add(hash: &mut u64, word: u64) {
    *hash = (*hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
}

/// Returns three hashes of a kernel's results. The hashes are equal for all kernels and for all
/// numbers of threads.
///
/// The hashes cover passes over pseudo-random half supers, the values of solved positions, and the
/// values of moves that proofs find for earlier positions. Tests compare the hashes of native
/// kernels with the hashes of WebAssembly kernels.
pub fn digest(kernel: Kernel, threads: NonZeroUsize, seed: u64) -> [u64; 3] {
    let mut state = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ state >> 31
    };
    let [mut passes, mut solved, mut proved] = [EMPTY; 3];
    for round in 0..2000 {
        let sparse = round % 2 == 1;
        let mut half = || Half([0, 1].map(|_| if sparse { word() & word() & word() } else { word() }));
        let pack = Pack(std::array::from_fn(|_| half()));
        for turns in [Turns::Both, Turns::Clockwise(0), Turns::Clockwise(1)] {
            let words = Passes::of(kernel).rotation_max(&pack, turns).0;
            words.iter().flat_map(|half| half.0).for_each(|word| add(&mut passes, word));
        }
    }
    for (_, rules) in Rules::presets() {
        let small = rules.shape.size() == 4;
        for marbles in if small { [2, 5, 8] } else { [20, 23, 27] } {
            let drawn = pentago_core::rules::random::positions(rules, marbles, 2, seed, true);
            for position in drawn.into_iter().flatten() {
                let mut solver = RootedSolver::new(*rules, kernel, threads, MEMORY);
                let plies = solver.all_plies(&position);
                // Also solve to 3 plies, because a truncated solution has leaves at which the game
                // is not over.
                for plies in [3, plies] {
                    let Ok(solution) = solver.solve(&position, plies, &Control::new()) else { continue };
                    solution.moves.iter().for_each(|m| add(&mut solved, u64::from(m.value.rank())));
                }
            }
        }
        let drawn = pentago_core::rules::random::positions(rules, if small { 1 } else { 14 }, 2, seed, true);
        for position in drawn.into_iter().flatten() {
            let mut solver = RootedSolver::new(*rules, kernel, threads, 50_000_000);
            solver.clock = Clock::none();
            let question = Question { proof_boards: Some(500_000), ..Question::default() };
            let control = Control::new();
            let search = Search::new(&position, &question, &mut solver, &control);
            let Ok(answer) = search.answer() else { continue };
            answer.moves.iter().for_each(|m| add(&mut proved, u64::from(m.value.rank())));
        }
    }
    [passes, solved, proved]
}
