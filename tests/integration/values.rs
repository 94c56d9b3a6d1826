//! The value of random positions and of all their moves, under all rule presets, against the
//! reference's negamax.

use crate::common::{answer, reference, solver, worth};
use pentago::rules::{Position, Rules, random};
use pentago_core::answer::Request;
use pentago_core::solve::RootedSolver;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Compares `count` random positions with so many marbles.
fn compare(rules: Rules, marbles: u32, count: usize, seed: u64) {
    let positions = random::positions(&rules, marbles, count, seed, false).expect("there are such positions");
    let compare = |solver: &mut RootedSolver, position: &Position| {
        let (options, state) = reference(&rules, position);
        let expected: BTreeMap<String, i8> =
            pentago_reference::Solver::new(options).moves(&state).into_iter().collect();
        let got = answer(solver, position, &Request::default());
        let text = rules.format_position(position);
        assert!(got.complete);
        assert_eq!(worth(got.value), *expected.values().max().expect("there are moves"), "{rules} {text}");
        let got: BTreeMap<String, i8> =
            got.moves.iter().map(|m| (rules.format_move(m.mv), worth(m.value))).collect();
        assert_eq!(got, expected, "{rules} {text}");
    };
    positions.par_iter().for_each_init(|| solver(rules), compare);
}

/// The presets of 6x6 Pentago.
fn presets() -> impl Iterator<Item = Rules> {
    Rules::presets().iter().map(|(_, rules)| *rules).filter(|rules| rules.shape.sockets() == 36)
}

/// `total` positions of `marbles`, spread over the presets.
fn compare_presets(marbles: std::ops::RangeInclusive<u32>, total: usize, seed: u64) {
    let each = total.div_ceil(presets().count() * marbles.clone().count());
    for rules in presets() {
        for marbles in marbles.clone() {
            compare(rules, marbles, each, seed + u64::from(marbles));
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
#[ignore = "long: finds what is wrong in one position of thousands"]
fn long_ten_thousand_positions_of_29_to_35_marbles() {
    compare_presets(29..=35, 10_000, 2);
}

#[test]
#[ignore = "long: finds what needs eight and more plies, in one position of hundreds"]
fn long_three_hundred_positions_of_26_to_28_marbles() {
    compare_presets(26..=28, 300, 4);
}

/// Option combinations that no preset has.
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
        let rules: Rules = text.parse().expect("these are rules");
        for marbles in 31..=35 {
            compare(rules, marbles, 40, 5);
        }
    }
}

/// Positions with a turn pending: every placement of random positions that doesn't end the game.
#[test]
fn pending_turns() {
    let turn_first: Rules = "pentago:place=turn".parse().expect("these are rules");
    for rules in presets().chain([turn_first]) {
        for marbles in 31..=35 {
            for position in random::positions(&rules, marbles, 4, 6, false).expect("there are such positions")
            {
                for socket in rules.shape.sockets_of(position.board().free(rules.shape)) {
                    let placed = rules.place(&position, socket).expect("the socket is free");
                    if placed.outcome.is_some() {
                        continue;
                    }
                    let placed = placed.position;
                    let (options, state) = reference(&rules, &placed);
                    let expected: BTreeMap<String, i8> =
                        pentago_reference::Solver::new(options).moves(&state).into_iter().collect();
                    let got = answer(&mut solver(rules), &placed, &Request::default());
                    let got: BTreeMap<String, i8> =
                        got.moves.iter().map(|m| (rules.format_move(m.mv), worth(m.value))).collect();
                    assert_eq!(got, expected, "{rules} {}", rules.format_position(&placed));
                }
            }
        }
    }
}

#[test]
fn mini_with_a_third_of_the_sockets_taken() {
    for text in ["mini", "mini:dir=cw,both=mover,last=stop"] {
        for marbles in 6..16 {
            compare(text.parse().expect("these are rules"), marbles, 3, 7);
        }
    }
}

/// Mini-Pentago from the empty board, where the whole game is one root, and from random positions
/// of all sizes.
#[test]
#[ignore = "long: finds what goes wrong far from the end, where the reference takes seconds"]
fn long_mini_from_the_first_move() {
    compare_mini(&["mini"]);
}

#[test]
#[ignore = "long: finds options that go wrong far from the end"]
fn long_mini_from_the_first_move_with_options() {
    compare_mini(&["mini:reply=place", "mini:dir=cw,both=mover,last=stop", "mini:place=turn"]);
}

fn compare_mini(rules: &[&str]) {
    // At the same time: most of it is the reference's, in one thread.
    rules.par_iter().for_each(|text| {
        let rules: Rules = text.parse().expect("these are rules");
        let options =
            pentago_reference::Options::parse(&rules.to_string()).expect("the reference reads rules");
        let table = pentago_reference::MiniTable::solve(options);
        let mut solver = solver(rules);
        for marbles in 0..16 {
            for position in random::positions(&rules, marbles, 12, 7, false).unwrap_or_default() {
                let got = answer(&mut solver, &position, &Request::default());
                let state = reference(&rules, &position).1;
                assert_eq!(
                    worth(got.value),
                    table.value(&state),
                    "{rules} {}",
                    rules.format_position(&position)
                );
                for m in &got.moves {
                    // A finished game has its value by the rules; all others are in the table.
                    if rules.outcome(&m.position).is_none() {
                        let state = reference(&rules, &m.position).1;
                        assert_eq!(
                            worth(m.value),
                            -table.value(&state),
                            "{rules} {}",
                            rules.format_move(m.mv)
                        );
                    }
                }
            }
        }
    });
}
