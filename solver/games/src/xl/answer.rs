//! Converts the results of Pentago XL's solver and rules.

use std::collections::BTreeMap;

use ::pentago::Value;
use pentago_base::counted_plies;
use pentago_xl::{Bounds, Outcome, Played, Rules, Seat};

use crate::answer::source;
use crate::{Answer, Ending, MoveAnswer, Position, Proved};

/// Converts the solver's answer about moves or turns. `text` formats a move or turn, and `play`
/// plays a move or turn.
pub fn answer<M: Copy>(
    rules: &Rules,
    position: &Position,
    mover: Seat,
    solved: &pentago_xl::Answer<M>,
    text: impl Fn(M) -> String,
    play: impl Fn(M) -> Option<Played>,
) -> Answer {
    let plies = |plies: Option<u32>| plies.map(|plies| plies as usize);
    let moves = solved.moves.iter().map(|m| {
        let (value, after) = (value_of(m.bounds), play(m.m));
        let over = after.as_ref().is_some_and(|after| after.outcome.is_some());
        let position = after.map_or_else(String::new, |after| rules.format_position(&after.position));
        let answer = MoveAnswer::new(text(m.m), value, source(value, over), position);
        MoveAnswer { distance: plies(m.plies), ..answer }
    });
    let mut moves: Vec<MoveAnswer> = moves.collect();
    moves.sort_by_key(|m| m.value.order(m.distance));
    let value = value_of(solved.of(mover));
    let within = |plies| format!("no forced win within {}", counted_plies(plies as usize));
    let said = solved.no_win_within.map(within);
    let best = solved.best_moves().into_iter().map(&text);
    Answer {
        value,
        source: source(value, position.over.is_some()),
        seats: seat_names(rules, |seat| value_of(solved.of(seat))),
        distance: plies(solved.plies),
        best: if value == Value::Unknown { Vec::new() } else { best.collect() },
        moves,
        engine: Some(solved.engine.name().to_owned()),
        proved: said.map(|said| Proved::Said(vec![said])),
        nodes: Some(solved.nodes),
        ..Answer::unknown(rules.to_string(), position)
    }
}

/// Returns the name of each seat's value, keyed by seat.
pub fn seat_names(rules: &Rules, of: impl Fn(Seat) -> Value) -> Option<BTreeMap<String, &'static str>> {
    Some(rules.everyone().iter().map(|seat| (seat.to_string(), of(seat).name())).collect())
}

fn value_of(bounds: Bounds) -> Value {
    bounds.value().map_or(Value::Unknown, Value::from)
}

/// Converts the outcome of a finished game.
pub fn ending(rules: &Rules, outcome: &Outcome) -> Ending {
    let wins = |seat: &Seat| outcome.value(rules, *seat) == pentago_xl::Value::Win;
    let winners: String = rules.everyone().iter().filter(wins).map(Seat::letter).collect();
    Ending { winners, words: in_words(rules, outcome), text: outcome.to_string() }
}

/// Describes the outcome of a finished game in words.
fn in_words(rules: &Rules, outcome: &Outcome) -> String {
    let names = |seats: Vec<Seat>| {
        let names: Vec<String> = seats.iter().map(|seat| seat.letter().to_string()).collect();
        names.join(" and ")
    };
    let first: Vec<Seat> = match outcome {
        Outcome::Teams(None) => return "a draw".to_owned(),
        Outcome::Teams(Some(winner)) => rules.side_of(*winner).iter().collect(),
        Outcome::Places(_) if rules.continues() => return format!("{outcome} (1 is the first place)"),
        Outcome::Places(places) => rules.everyone().iter().filter(|seat| places[seat.index()] == 1).collect(),
    };
    match first.len() {
        all if all == rules.seats() => "a draw".to_owned(),
        1 => format!("{} has won", names(first)),
        _ if matches!(outcome, Outcome::Teams(_)) => format!("{} have won", names(first)),
        _ => format!("{} share the first place", names(first)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_in_words() {
        for (text, places, words) in [
            ("xl", [1, 2, 0, 0], "a has won"),
            ("xl", [1, 1, 0, 0], "a draw"),
            ("xl:seats=4", [1, 1, 3, 3], "a and b share the first place"),
            ("xl:seats=4", [1, 1, 1, 1], "a draw"),
            ("xl:seats=3,continue=yes", [1, 3, 2, 0], "A1 B3 C2 (1 is the first place)"),
        ] {
            let rules: Rules = text.parse().unwrap();
            assert_eq!(in_words(&rules, &Outcome::Places(places)), words);
        }
        let teams: Rules = "xl:seats=4,mode=2v2".parse().unwrap();
        assert_eq!(in_words(&teams, &Outcome::Teams(Some(Seat::B))), "b and d have won");
        assert_eq!(in_words(&teams, &Outcome::Teams(None)), "a draw");
    }
}
