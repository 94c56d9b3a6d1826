//! Compares distances and principal variations with the reference's negamax search, which also
//! computes distances.

use crate::common::{answer, positions, reference, solver, worth};
use pentago::rules::Rules;
use pentago_core::answer::{Question, Value};
use rayon::prelude::*;
use std::collections::BTreeMap;

fn with_distance() -> Question {
    Question { distance: true, ..Question::default() }
}

#[test]
fn distances_agree() {
    for (_, rules) in Rules::presets() {
        let sockets = rules.shape.sockets() as u32;
        for free in 1..=6 {
            let positions = positions(rules, sockets - free, if free > 5 { 4 } else { 25 }, 11, false);
            positions.par_iter().for_each(|position| {
                let (options, state) = reference(rules, position);
                let mut slow = pentago_reference::Solver::new(options);
                let text = rules.format_position(position);
                let got = answer(&mut solver(*rules), position, &with_distance());
                let found = (worth(got.value), got.distance.unwrap_or(0) as u32);
                assert_eq!(found, slow.distance(&state), "{rules} {text}");
                let expected: BTreeMap<String, (i8, u32)> =
                    slow.moves_with_distance(&state).into_iter().map(|(m, v, d)| (m, (v, d))).collect();
                let found: BTreeMap<String, (i8, u32)> = got
                    .moves
                    .iter()
                    .map(|m| (rules.format_move(m.mv), (worth(m.value), m.distance.unwrap_or(0) as u32)))
                    .collect();
                assert_eq!(found, expected, "{rules} {text}");
            });
        }
    }
}

/// A principal variation consists of legal moves, and its length is the distance. The distance
/// decreases by one ply per move. The variation ends the game with the value of the root.
#[test]
fn principal_variations_lead_to_the_end() {
    let rules = Rules::default();
    for (marbles, count) in [(20, 2), (24, 4), (28, 6)] {
        for position in positions(&rules, marbles, count, 12, true) {
            let got = answer(&mut solver(rules), &position, &with_distance());
            let Some(distance) = got.distance else {
                assert_eq!(got.value, Value::Draw);
                assert!(got.line.is_empty());
                continue;
            };
            assert_eq!(got.line.len(), distance, "{}", rules.format_position(&position));
            let mut at = position;
            let mut outcome = None;
            for (i, mv) in got.line.iter().enumerate() {
                let here = answer(&mut solver(rules), &at, &with_distance());
                assert_eq!(here.distance, Some(distance - i));
                let played = rules.play(&at, *mv).expect("the line is legal");
                (at, outcome) = (played.position, played.outcome);
            }
            let outcome = outcome.expect("the line ends the game");
            assert_eq!(Value::of(outcome, position.to_move()), got.value);
        }
    }
}

/// A solution that is limited to k plies finds the value of a move if and only if the distance of
/// the move is at most k.
#[test]
fn truncated_solutions_decide_what_is_near() {
    let rules = Rules::default();
    for position in positions(&rules, 25, 4, 13, true) {
        let full = answer(&mut solver(rules), &position, &with_distance());
        let full: BTreeMap<_, _> = full.moves.iter().map(|m| (rules.format_move(m.mv), m)).collect();
        for depth in 1..=11 {
            let question = Question { depth: Some(depth as u32), ..Question::default() };
            let near = answer(&mut solver(rules), &position, &question);
            for m in &near.moves {
                let known = full[&rules.format_move(m.mv)];
                // A move's value is known if its distance is within the limit. A draw is known only
                // if the solution reaches the end of the game.
                let over = rules.outcome(&m.position).is_some();
                let within = known.distance.is_some_and(|d| d <= depth) || depth == 11 || over;
                assert_eq!(m.value, if within { known.value } else { Value::Unknown }, "{depth} plies");
            }
        }
    }
}
