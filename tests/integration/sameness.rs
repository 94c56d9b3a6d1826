//! Answers don't depend on the kernel, the number of threads or the order in which a solver answers
//! questions.

use crate::common::{answer, kernel, positions, solver};
use pentago::ask::Search;
use pentago::rules::Rules;
use pentago::{Control, NotEnoughMemory};
use pentago_core::answer::{Answer, Question};
use pentago_core::kernel::Kernel;
use pentago_core::solve::RootedSolver;
use std::num::NonZeroUsize;

/// Returns the answer of a solver that runs in a pool of `threads` threads.
fn answer_with(rules: Rules, kernel: Kernel, threads: usize, text: &str) -> Answer {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
    let position = rules.parse_position(text).expect("the text is a position");
    pool.install(|| {
        let mut solver = RootedSolver::new(rules, kernel, crate::common::threads(threads), 1 << 30);
        let mut answer = answer(&mut solver, &position, &Question::default());
        // Ignore the memory of the solution, which depends on the number of threads.
        answer.full.bytes = 0;
        answer
    })
}

#[test]
fn every_kernel_and_number_of_threads() {
    for (name, rules) in Rules::presets().iter().filter(|(name, _)| *name != "mini") {
        for position in positions(rules, 21, 1, 21, true) {
            let text = rules.format_position(&position);
            let expected = answer_with(*rules, kernel(), 1, &text);
            for other in Kernel::available() {
                assert!(answer_with(*rules, other, 1, &text) == expected, "{name} {other} {text}");
            }
            for threads in [2, 3, 7, 16] {
                assert!(answer_with(*rules, kernel(), threads, &text) == expected, "{name} {threads} {text}");
            }
        }
    }
}

/// A solver that was already used for larger and smaller positions gives the same answers as a
/// fresh solver.
#[test]
fn solvers_can_be_used_again() {
    let rules = Rules::default();
    let mut reused = solver(rules);
    for marbles in [30, 22, 27, 35, 21] {
        for position in positions(&rules, marbles, 3, 23, false) {
            let answer = |solver| answer(solver, &position, &Question::default());
            let same = answer(&mut reused) == answer(&mut solver(rules));
            assert!(same, "{}", rules.format_position(&position));
        }
    }
}

/// A symmetry of the whole board maps moves to moves and preserves all values.
#[test]
fn symmetric_positions_have_the_same_values() {
    use pentago_core::symmetry::Element;
    let rules = Rules::default();
    for position in positions(&rules, 24, 5, 24, true) {
        let mut solver = solver(rules);
        let mut values = |position| {
            let answer = answer(&mut solver, &position, &Question::default());
            let mut values: Vec<_> = answer.moves.iter().map(|m| m.value.name()).collect();
            values.sort_unstable();
            (answer.value, values)
        };
        let expected = values(position);
        for g in 1..8 {
            let image = Element::whole_board(g).image(&position);
            assert_eq!(values(image), expected);
        }
    }
}

#[test]
fn too_little_memory_is_refused_with_the_figure() {
    let rules = Rules::default();
    let position = positions(&rules, 18, 1, 25, true)[0];
    let mut solver = RootedSolver::new(rules, kernel(), NonZeroUsize::MIN, 100 << 20);
    let estimate = solver.estimate(&position, solver.all_plies(&position));
    let exact = Question { exact: true, ..Question::default() };
    let error = Search::new(&position, &exact, &mut solver, &Control::new()).answer().unwrap_err();
    let &NotEnoughMemory { asked, full, limit, fits } = error.downcast_ref().expect("too little memory");
    let need = asked.bytes;
    assert_eq!((need, full, limit), (estimate.bytes, true, 100 << 20));
    let fits = fits.expect("a few plies fit");
    assert!(fits.bytes <= limit && solver.estimate(&position, fits.plies + 1).bytes > limit);
    // The slices overlap in memory. Without the overlap, two consecutive slices with 16 bytes per
    // board would take 510 MB.
    assert!((274 << 20..=400 << 20).contains(&need), "{need}");
}
