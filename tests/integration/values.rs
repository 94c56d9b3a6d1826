//! Compares the values of random positions and of all their moves, under all rule presets, with the
//! reference's negamax search. Also checks known results that the solver below a root must
//! reproduce.

use crate::common::{answer, options, positions, reference, rules, solver, worth};
use pentago::rules::{Position, Rules};
use pentago_core::answer::{Question, Value};
use pentago_core::solve::RootedSolver;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Compares the value of a position and the values of its moves with the values that the reference
/// computes.
fn compare(rules: Rules, solver: &mut RootedSolver, position: &Position) {
    let (options, state) = reference(&rules, position);
    let expected: BTreeMap<String, i8> =
        pentago_reference::Solver::new(options).moves(&state).into_iter().collect();
    let got = answer(solver, position, &Question::default());
    let text = rules.format_position(position);
    assert!(got.complete);
    assert_eq!(worth(got.value), *expected.values().max().expect("there are moves"), "{rules} {text}");
    let got: BTreeMap<String, i8> =
        got.moves.iter().map(|m| (rules.format_move(m.mv), worth(m.value))).collect();
    assert_eq!(got, expected, "{rules} {text}");
}

/// Compares the values of `count` random positions of `marbles` marbles with the reference.
fn compare_random(rules: Rules, marbles: u32, count: usize, seed: u64) {
    let positions = positions(&rules, marbles, count, seed, false);
    positions.par_iter().for_each_init(|| solver(rules), |solver, at| compare(rules, solver, at));
}

/// Returns the presets of 6x6 Pentago.
fn presets() -> impl Iterator<Item = Rules> {
    Rules::presets().iter().map(|(_, rules)| *rules).filter(|rules| rules.shape.sockets() == 36)
}

/// Compares at least `total` random positions with the reference, divided evenly among the presets
/// and the numbers of marbles.
fn compare_presets(marbles: std::ops::RangeInclusive<u32>, total: usize, seed: u64) {
    let each = total.div_ceil(presets().count() * marbles.clone().count());
    for rules in presets() {
        for marbles in marbles.clone() {
            compare_random(rules, marbles, each, seed + u64::from(marbles));
        }
    }
}

#[test]
fn three_thousand_positions_of_29_to_35_marbles() {
    compare_presets(29..=35, 3_000, 1);
}

#[test]
fn a_position_of_28_marbles_under_each_preset() {
    compare_presets(28..=28, 1, 3);
}

#[test]
#[ignore = "long: finds an error that affects one position of thousands"]
fn long_ten_thousand_positions_of_29_to_35_marbles() {
    compare_presets(29..=35, 10_000, 2);
}

#[test]
#[ignore = "long: finds an error that needs eight plies and affects one position of hundreds"]
fn long_three_hundred_positions_of_26_to_28_marbles() {
    compare_presets(26..=28, 300, 4);
}

/// Compares positions with the reference, under combinations of options that no preset has.
#[test]
fn odd_combinations_of_options() {
    for text in [
        "pentago:dir=cw,both=mover,reply=place",
        "pentago:dir=cw,reply=place,last=stop",
        "pentago:both=mover,reply=place,skip=neutral",
        "pentago:both=mover,last=stop,skip=empty",
        "pentago:place=turn",
        "pentago:dir=cw,both=mover,skip=neutral,place=turn",
    ] {
        for marbles in 31..=35 {
            compare_random(rules(text), marbles, 40, 5);
        }
    }
}

/// Compares positions with a turn pending. Each such position follows a random position by a
/// placement that doesn't end the game.
#[test]
fn pending_turns() {
    for rules in presets().chain([rules("pentago:place=turn")]) {
        for marbles in 31..=35 {
            for position in positions(&rules, marbles, 4, 6, false) {
                for socket in rules.shape.sockets_of(position.board().free(rules.shape)) {
                    let placed = rules.place(&position, socket).expect("the socket is free");
                    if placed.outcome.is_none() {
                        compare(rules, &mut solver(rules), &placed.position);
                    }
                }
            }
        }
    }
}

#[test]
fn mini_with_a_third_of_the_sockets_taken() {
    for text in ["mini", "mini:dir=cw,both=mover,last=stop"] {
        for marbles in 6..16 {
            compare_random(rules(text), marbles, 3, 7);
        }
    }
}

/// Compares Mini-Pentago with the reference: the empty board, where the whole game is below one
/// root, and random positions of every number of marbles.
#[test]
#[ignore = "long: finds an error far from the end of the game, where the reference takes seconds"]
fn long_mini_from_the_first_move() {
    compare_mini(&["mini"]);
}

#[test]
#[ignore = "long: finds an error in an option far from the end of the game"]
fn long_mini_from_the_first_move_with_options() {
    compare_mini(&["mini:reply=place", "mini:dir=cw,both=mover,last=stop", "mini:place=turn"]);
}

fn compare_mini(texts: &[&str]) {
    // Run the games in parallel, because the reference takes most of the time and uses one thread
    // per game.
    texts.par_iter().for_each(|text| {
        let rules = rules(text);
        let table = pentago_reference::MiniTable::solve(options(rules));
        let mut solver = solver(rules);
        for marbles in 0..16 {
            for position in
                pentago::rules::random::positions(&rules, marbles, 12, 7, false).unwrap_or_default()
            {
                let got = answer(&mut solver, &position, &Question::default());
                let expected = table.value(&reference(&rules, &position).1);
                assert_eq!(worth(got.value), expected, "{rules} {}", rules.format_position(&position));
                // The rules determine the value of a finished game. The table contains all other
                // positions.
                for m in got.moves.iter().filter(|m| rules.outcome(&m.position).is_none()) {
                    let expected = -table.value(&reference(&rules, &m.position).1);
                    assert_eq!(worth(m.value), expected, "{rules} {}", rules.format_move(m.mv));
                }
            }
        }
    });
}

/// The empty board of Mini-Pentago has the known value under each option.
#[test]
fn the_first_move_of_mini_pentago() {
    for (text, value) in [
        ("mini", Value::Win),
        ("mini:dir=cw", Value::Win),
        ("mini:both=mover", Value::Win),
        ("mini:last=stop", Value::Win),
        ("mini:reply=place", Value::Draw),
        ("mini:k=3", Value::Win),
    ] {
        let rules = rules(text);
        let start = rules.parse_position("4/4/4/4").expect("the empty board");
        let got = answer(&mut solver(rules), &start, &Question::default());
        assert_eq!(got.value, value, "{text}");
        assert!(got.complete);
        if text == "mini" {
            // Every first move wins: each placement with each turn.
            assert!(got.moves.iter().all(|m| m.value == Value::Win));
            assert_eq!(got.moves.len(), 16 * 8);
        }
    }
}

/// The number of boards below a root equals a published number.
#[test]
fn boards_below_a_root() {
    let rules = Rules::default();
    for (marbles, boards) in [(24, 143_365), (18, 86_574_831)] {
        let position = positions(&rules, marbles, 1, 31, true)[0];
        assert_eq!(solver(rules).estimate(&position, 36).boards, boards);
    }
}
