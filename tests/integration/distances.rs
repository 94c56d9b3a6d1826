//! Distances and principal variations against the reference's negamax with distance.

use crate::common::{answer, reference, solver, worth};
use pentago::rules::{Rules, random};
use pentago_core::answer::{Request, Value};
use rayon::prelude::*;
use std::collections::BTreeMap;

const WITH_DISTANCE: Request = Request {
    guess_boards: None,
    depth: None,
    exact: false,
    distance: true,
    time: None,
    proof_boards: None,
    proofs_only: false,
    tables_only: false,
};

#[test]
fn distances_agree() {
    for (_, rules) in Rules::presets() {
        let sockets = rules.shape.sockets() as u32;
        for free in 1..=6 {
            let count = if free > 5 { 4 } else { 25 };
            let positions =
                random::positions(rules, sockets - free, count, 11, false).expect("there are such positions");
            positions.par_iter().for_each(|position| {
                let (options, state) = reference(rules, position);
                let mut slow = pentago_reference::Solver::new(options);
                let text = rules.format_position(position);
                let got = answer(&mut solver(*rules), position, &WITH_DISTANCE);
                let (value, plies) = slow.distance(&state);
                assert_eq!(
                    (worth(got.value), got.distance.unwrap_or(0) as u32),
                    (value, plies),
                    "{rules} {text}"
                );
                let expected: BTreeMap<String, (i8, u32)> =
                    slow.moves_with_distance(&state).into_iter().map(|(m, v, d)| (m, (v, d))).collect();
                let moves = got
                    .moves
                    .iter()
                    .map(|m| (rules.format_move(m.mv), (worth(m.value), m.distance.unwrap_or(0) as u32)));
                assert_eq!(moves.collect::<BTreeMap<_, _>>(), expected, "{rules} {text}");
            });
        }
    }
}

/// A principal variation is as long as the distance says, legal, and ends the game with the value
/// of the root; along it the distance falls by one ply a move.
#[test]
fn principal_variations_lead_to_the_end() {
    let rules = Rules::default();
    for (marbles, count) in [(20, 2), (24, 4), (28, 6)] {
        for position in random::positions(&rules, marbles, count, 12, true).expect("there are such positions")
        {
            let got = answer(&mut solver(rules), &position, &WITH_DISTANCE);
            let Some(distance) = got.distance else {
                assert_eq!(got.value, Value::Draw);
                assert!(got.line.is_empty());
                continue;
            };
            assert_eq!(got.line.len(), distance, "{}", rules.format_position(&position));
            let mut at = position;
            let mut outcome = None;
            for (i, mv) in got.line.iter().enumerate() {
                let here = answer(&mut solver(rules), &at, &WITH_DISTANCE);
                assert_eq!(here.distance, Some(distance - i));
                let played = rules.play(&at, *mv).expect("the line is legal");
                (at, outcome) = (played.position, played.outcome);
            }
            let outcome = outcome.expect("the line ends the game");
            assert_eq!(Value::of(outcome, position.to_move()), got.value);
        }
    }
}

/// A solution truncated at k plies decides exactly what has a distance of at most k.
#[test]
fn truncated_solutions_decide_what_is_near() {
    let rules = Rules::default();
    for position in random::positions(&rules, 25, 4, 13, true).expect("there are such positions") {
        let full = answer(&mut solver(rules), &position, &WITH_DISTANCE);
        let full: BTreeMap<_, _> = full.moves.iter().map(|m| (rules.format_move(m.mv), m)).collect();
        for depth in 1..=11 {
            let request = Request { depth: Some(depth), ..Request::default() };
            let near = answer(&mut solver(rules), &position, &request);
            for m in &near.moves {
                let known = full[&rules.format_move(m.mv)];
                // A draw is proved only by the end of the game.
                let over = rules.outcome(&m.position).is_some();
                let within = known.distance.is_some_and(|d| d <= depth) || depth == 11 || over;
                assert_eq!(m.value, if within { known.value } else { Value::Unknown }, "{depth} plies");
            }
        }
    }
}
