//! The cases that the rule sheets were checked with, one a line:
//! `name | rules position side | moves | A1 B2..., AC, BD, draw, none or illegal | remark`.

use super::*;
use crate::geometry::SOCKETS;

/// The rules of a case in the text of this crate, and the seats that are placed already.
fn read_rules(text: &str) -> (Rules, String) {
    let (name, options) = text.split_once(':').unwrap();
    let mut placed = String::new();
    let mut all = Vec::new();
    for option in options.split(',') {
        match option.split_once('=').unwrap() {
            ("p", value) => all.push(format!("seats={value}")),
            ("m", value) => all.push(format!("supply={value}")),
            ("done", value) => placed = format!(" {value}"),
            _ => all.push(option.to_string()),
        }
    }
    (rules(&format!("{name}:{}", all.join(","))), placed)
}

#[test]
fn all_cases_of_xl() {
    let path = ["/../../../shared", "/../../shared"]
        .map(|up| format!("{}{up}/rules/cases.txt", env!("CARGO_MANIFEST_DIR")));
    let Some(cases) = path.iter().find_map(|path| std::fs::read_to_string(path).ok()) else {
        println!("skipped: there is no {}", path[0]);
        return;
    };
    let mut checked = 0;
    for line in cases.lines().filter(|line| line.starts_with("XL")) {
        let fields: Vec<&str> = line.split(" | ").collect();
        let (game, text) = fields[1].split_once(' ').unwrap();
        let (rules, placed) = read_rules(game);
        let text = format!("{text}{placed}");
        let start = rules.parse_any_position(&text).unwrap_or_else(|e| panic!("{line}: {e}"));
        // One case has a marble of A less than turn order gives.
        assert_eq!(rules.parse_position(&text).is_ok(), fields[0] != "XL19", "{line}");
        assert_eq!(rules.format_position(&start), text, "{line}");
        let mut result = String::from("none");
        let (mut now, mut outcome) = (start, rules.outcome(&start));
        for text in fields[2].split(' ') {
            let legal = rules.parse_move(text).ok().filter(|_| outcome.is_none());
            match legal.and_then(|m| rules.play(&now, m).ok()) {
                Some(played) => (now, outcome) = (played.position, played.outcome),
                None => result = String::from("illegal"),
            }
        }
        if let Some(outcome) = outcome {
            result = outcome.to_string();
        }
        assert_eq!(result, fields[3], "{line}");
        checked += 1;
    }
    assert_eq!(checked, 22);
}

#[test]
fn perft_from_the_empty_board() {
    let rules = Rules::default();
    for (depth, expected) in [1, 1296, 1_658_880].into_iter().enumerate() {
        assert_eq!(rules.perft(&Position::EMPTY, depth as u32), expected);
    }
    // The third level has no five: every move has sixteen turns.
    assert_eq!(1_658_880 * 79 * 16, 2_096_824_320_u64);
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
    // One socket stays empty.
    let rules = rules("xl");
    let p = rules.random_positions(79, 1, 1, true).unwrap()[0];
    let quiet = rules.moves(&p).into_iter().map(|m| rules.play(&p, m).unwrap());
    let ends: Vec<Played> = quiet.collect();
    assert_eq!(ends.len(), 32);
    assert!(ends.iter().all(|end| end.outcome.is_some() && end.position.empty() == 1));
}
