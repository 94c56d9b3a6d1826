//! Tests of the rules: the cases of the rule sheets, perft, and properties of the text.

mod cases;
mod notation;

use proptest::prelude::*;

use crate::*;

/// The rules of this text.
fn rules(text: &str) -> Rules {
    text.parse().unwrap_or_else(|e| panic!("{e}"))
}

/// All kinds of rules, with small and large supplies.
fn any_rules() -> impl Strategy<Value = Rules> {
    (2..=4usize, any::<bool>(), prop::option::of(1..=81usize), any::<bool>()).prop_filter_map(
        "teams need four seats",
        |(seats, teams, supply, continues)| {
            let mode = if teams { Mode::Teams } else { Mode::FreeForAll };
            Rules::new(seats, mode, supply, continues).ok()
        },
    )
}

/// Any rules, with any position that the numbers of marbles allow.
fn any_position() -> impl Strategy<Value = (Rules, Position)> {
    (any_rules(), any::<u64>(), 0.0..1.0f64).prop_map(|(rules, seed, share)| {
        let marbles = (share * rules.most_marbles() as f64) as usize;
        let most = if rules.continues() { 50 } else { 76 };
        let marbles = marbles.min(most);
        (rules, rules.random_positions(marbles, 1, seed, false).unwrap()[0])
    })
}
