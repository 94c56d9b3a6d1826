//! Tests of moves, outcomes and perft against the reference, in random games and random positions.

use pentago_reference::{XlAfter, XlOptions, XlState};
use pentago_xl::{Outcome, Position, Rules};

/// Returns the state that the reference uses for a position.
pub fn state(rules: &Rules, p: &Position) -> XlState {
    XlOptions::parse(&rules.to_string()).unwrap().read(&rules.format_position(p)).unwrap()
}

/// Returns the place of each seat, as the reference reports an outcome: in a team game, each seat
/// has the place of its team.
fn places(outcome: Outcome) -> [u8; 4] {
    match outcome {
        Outcome::Places(places) => places,
        Outcome::Teams(None) => [1; 4],
        Outcome::Teams(Some(winner)) => std::array::from_fn(|i| 1 + ((i + winner.index()) % 2) as u8),
    }
}

const RULES: [&str; 8] = [
    "xl",
    "xl:supply=81",
    "xl:seats=3",
    "xl:seats=4",
    "xl:seats=4,mode=2v2",
    "xl:seats=3,continue=yes",
    "xl:seats=4,continue=yes",
    "xl:seats=4,supply=11,continue=yes",
];

/// Compares all moves of a position, and the positions after them, with the reference. Returns the
/// positions after the moves that do not end the game.
fn compare(rules: &Rules, p: &Position) -> Vec<Position> {
    let options = XlOptions::parse(&rules.to_string()).unwrap();
    let mut expected = options.moves(&state(rules, p));
    let mut next = Vec::new();
    let mut found = Vec::new();
    for m in rules.moves(p) {
        let played = rules.play(p, m).unwrap();
        let after = match played.outcome {
            Some(outcome) => XlAfter::Over(places(outcome)),
            None => {
                next.push(played.position);
                XlAfter::Goes(state(rules, &played.position))
            }
        };
        found.push((rules.format_move(m), after));
    }
    let by_text = |a: &(String, XlAfter), b: &(String, XlAfter)| a.0.cmp(&b.0);
    expected.sort_by(by_text);
    found.sort_by(by_text);
    assert_eq!(found, expected, "{rules} {}", rules.format_position(p));
    next
}

#[test]
fn moves_and_results_in_random_positions() {
    for text in RULES {
        let rules: Rules = text.parse().unwrap();
        for marbles in (0..rules.most_marbles()).step_by(3).filter(|&n| n < 76 - 8 * rules.seats()) {
            for p in rules.random_positions(marbles, 2, marbles as u64, false).unwrap() {
                compare(&rules, &p);
            }
        }
    }
}

#[test]
fn moves_and_results_in_play() {
    // Play from a crowded position, so that games end in every possible way, and with
    // `continue=yes` seats get places.
    let mut numbers = 1_u64;
    for text in RULES {
        let rules: Rules = text.parse().unwrap();
        let mut ends = std::collections::BTreeSet::new();
        for seed in 0..6 {
            let marbles = (rules.most_marbles() - 1).min(40);
            let mut p = rules.random_positions(marbles, 1, seed, false).unwrap()[0];
            loop {
                let next = compare(&rules, &p);
                for m in rules.moves(&p) {
                    ends.extend(rules.play(&p, m).unwrap().outcome);
                }
                if next.is_empty() {
                    break;
                }
                numbers = numbers.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                p = next[(numbers >> 33) as usize % next.len()];
                assert!(rules.check(&p).is_ok());
            }
        }
        assert!(!ends.is_empty(), "{text}: {ends:?}");
    }
}
