//! The rule cases that all programs of the project are checked with, where they are present.

use std::path::Path;

use crate::rules::{Color, Outcome, Rules};

/// Cases that are studies: their numbers of stones come from no game.
const STUDIES: [&str; 8] = ["Q09", "Q10", "Q12", "Q13", "Q14", "Q15", "Q16", "Q33"];

/// Plays the moves; how that ends, as the cases write it, with the captures.
fn outcome(rules: &Rules, position: &str, moves: &str) -> (String, [u16; 2]) {
    let mut p = rules.parse_study(position).unwrap();
    let mut outcome = None;
    for text in moves.split_whitespace() {
        match rules.play(&p, rules.parse_move(text).unwrap()) {
            Ok(played) => (p, outcome) = (played.position, played.outcome),
            Err(_) => return (String::from("illegal"), p.captured),
        }
    }
    let text = match outcome {
        Some(Outcome::Win(color)) => color.to_string(),
        Some(Outcome::Draw) => String::from("draw"),
        None => String::from("none"),
    };
    (text, [p.captured(Color::X), p.captured(Color::O)])
}

#[test]
fn every_case_of_the_rule_sheets() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/rules/cases.txt");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is absent", path.display());
        return;
    };
    let mut checked = 0;
    for line in text.lines().filter(|line| line.starts_with('Q')) {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let (game, position) = fields[1].split_once(' ').unwrap();
        // `placed=24` says only that the counts are not those of play.
        let rules: Rules = game.replace(",placed=24", "").parse().unwrap();
        let study = STUDIES.contains(&fields[0]);
        assert_eq!(rules.parse_position(position).is_err(), study, "{line}");
        let (found, captured) = outcome(&rules, position, fields[2]);
        let (expected, cap) = fields[3].split_once(' ').unwrap_or((fields[3], ""));
        assert_eq!(found, expected, "{line}");
        if !cap.is_empty() {
            assert_eq!(format!("cap={}-{}", captured[0], captured[1]), cap, "{line}");
        }
        checked += 1;
    }
    assert!(checked >= 31, "only {checked} cases");
}
