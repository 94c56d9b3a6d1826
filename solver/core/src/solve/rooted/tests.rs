//! Compares the rooted solver with a plain negamax search over the rules, move by move, for the
//! rule options that change values and for all kernels.

use super::*;
use crate::answer::Value;
use crate::kernel::Kernel;
use crate::rules::tests::all_rules;
use crate::rules::{Outcome, Position, Rules, Shape, random};
use pentago_base::Control;
use std::collections::HashMap;
use std::num::NonZeroUsize;

/// Returns the value for the side to move: +1, 0 or -1. Returns `None` if a search of `plies` plies
/// doesn't decide the value.
fn negamax(
    rules: &Rules,
    p: &Position,
    plies: usize,
    memo: &mut HashMap<(Position, usize), Option<i8>>,
) -> Option<i8> {
    if let Some(outcome) = rules.outcome(p) {
        return Some(worth(outcome, p));
    }
    if plies == 0 {
        return None;
    }
    if let Some(&value) = memo.get(&(*p, plies)) {
        return value;
    }
    let mut best = Some(-1);
    for mv in rules.moves(p) {
        let played = rules.play(p, mv).unwrap();
        let value = match played.outcome {
            Some(outcome) => Some(worth(outcome, p)),
            None => negamax(rules, &played.position, plies - 1, memo).map(|v| -v),
        };
        best = match (best, value) {
            (Some(1), _) | (_, Some(1)) => Some(1),
            (None, _) | (_, None) => None,
            (Some(a), Some(b)) => Some(a.max(b)),
        };
        if best == Some(1) {
            break;
        }
    }
    memo.insert((*p, plies), best);
    best
}

fn worth(outcome: Outcome, p: &Position) -> i8 {
    match Value::of(outcome, p.to_move()) {
        Value::Win => 1,
        Value::Loss => -1,
        _ => 0,
    }
}

fn check(rules: &Rules, p: &Position, plies: usize, kernel: Kernel) {
    let mut solver = RootedSolver::new(*rules, kernel, NonZeroUsize::MIN, 1 << 30);
    let solution = solver.solve(p, plies, &Control::new()).unwrap();
    let mut memo = HashMap::new();
    let text = rules.format_position(p);
    assert_eq!(solution.moves.len(), rules.moves(p).len());
    for m in &solution.moves {
        let played = rules.play(p, m.mv).unwrap();
        let expected = match played.outcome {
            Some(outcome) => Some(worth(outcome, p)),
            None => negamax(rules, &played.position, plies - 1, &mut memo).map(|v| -v),
        };
        let got = match m.value {
            Value::Win => Some(1),
            Value::Draw => Some(0),
            Value::Loss => Some(-1),
            Value::Unknown => None,
        };
        // A truncated solution proves wins and losses, but never a draw.
        let expected = if !solution.complete && played.outcome.is_none() {
            expected.filter(|&v| v != 0)
        } else {
            expected
        };
        assert_eq!(got, expected, "{kernel} {rules} {plies} plies {text} {}", rules.format_move(m.mv));
    }
}

#[test]
fn agrees_with_negamax() {
    for shape in [Shape::Pentago, Shape::Mini4, Shape::Mini3] {
        for rules in all_rules(shape) {
            for free in 1..=5 {
                let marbles = shape.sockets() - free;
                let Ok(positions) = random::positions(&rules, marbles as u32, 2, free as u64, false) else {
                    continue;
                };
                for p in positions {
                    for kernel in Kernel::available() {
                        for plies in [free, 1, 2, 3] {
                            check(&rules, &p, plies, kernel);
                        }
                    }
                }
            }
        }
    }
}
