//! Tests of the rules: perft, the end of a game without free marbles, and properties of the
//! notation.

mod notation;

use proptest::prelude::*;

use crate::geometry::SOCKETS;
use crate::*;

/// Parses the text of rules, which must be valid.
fn rules(text: &str) -> Rules {
    text.parse().unwrap_or_else(|e| panic!("{e}"))
}

/// Draws rules with any number of seats, any mode, and any supply of marbles.
fn any_rules() -> impl Strategy<Value = Rules> {
    (2..=4usize, any::<bool>(), prop::option::of(1..=81usize), any::<bool>()).prop_filter_map(
        "teams need four seats",
        |(seats, teams, supply, continues)| {
            let mode = if teams { Mode::Teams } else { Mode::FreeForAll };
            Rules::new(seats, mode, supply, continues).ok()
        },
    )
}

/// Draws rules, and a position with numbers of marbles that a game under these rules can reach.
fn any_position() -> impl Strategy<Value = (Rules, Position)> {
    (any_rules(), any::<u64>(), 0.0..1.0f64).prop_map(|(rules, seed, share)| {
        let marbles = (share * rules.most_marbles() as f64) as usize;
        let most = if rules.continues() { 50 } else { 76 };
        let marbles = marbles.min(most);
        (rules, rules.random_positions(marbles, 1, seed, false).unwrap()[0])
    })
}

#[test]
#[ignore = "a minute"]
fn perft_of_three_moves() {
    assert_eq!(Rules::default().perft(&Position::EMPTY, 3), 2_096_824_320);
}

#[test]
fn used_up_marbles_end_the_game() {
    for (text, most) in [("xl", 80), ("xl:seats=3", 60), ("xl:seats=4", 80), ("xl:supply=81", SOCKETS)] {
        assert_eq!(rules(text).most_marbles(), most);
    }
    // After 79 marbles, two sockets are free. Each seat has 40 marbles, so one socket stays free at
    // the end.
    let rules = rules("xl");
    let p = rules.random_positions(79, 1, 1, true).unwrap()[0];
    let quiet = rules.moves(&p).into_iter().map(|m| rules.play(&p, m).unwrap());
    let ends: Vec<Played> = quiet.collect();
    assert_eq!(ends.len(), 32);
    assert!(ends.iter().all(|end| end.outcome.is_some() && end.position.empty() == 1));
}
