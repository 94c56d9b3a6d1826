//! Round trips of the texts of rules, positions and moves. `tests/data/refusals.txt` lists texts
//! that the parsers must refuse.

use proptest::prelude::*;

use crate::rules::random::{self, PlayStyle};
use crate::rules::{RuleOptions, Rules};

const ALL_RULES: [&str; 8] = [
    "pente",
    "pente:opening=free",
    "pente:n=4,k=4,opening=free",
    "pente:w=4,h=6,k=4,opening=free,cap=2+3,win=15,over=no",
    "pente:n=9,k=3,win=4",
    "pente:w=5,h=1,opening=free,cap=0",
    "pente:n=18,opening=free",
    "pente:w=7,h=3,over=no",
];

fn rules(text: &str) -> Rules {
    text.parse().unwrap()
}

#[test]
fn texts_of_rules_are_canonical() {
    for text in ALL_RULES {
        assert_eq!(rules(text).to_string(), text);
    }
    for (text, canonical) in [
        (" pente:n=19,k=5,opening=pro,cap=2,win=10,over=yes ", "pente"),
        ("pente:opening=free,k=4,n=4", "pente:n=4,k=4,opening=free"),
        ("pente:h=5,opening=free,w=5", "pente:n=5,opening=free"),
    ] {
        assert_eq!(rules(text).to_string(), canonical);
    }
    assert_eq!(Rules::new(RuleOptions::default()), Ok(Rules::default()));
}

#[test]
fn positions_round_trip() {
    for text in ALL_RULES {
        let rules = rules(text);
        for stones in [0, 1, 2, 3, 4, rules.points() / 2] {
            let Ok(positions) = random::positions(&rules, PlayStyle::Uniform, stones, 20, 3, false) else {
                continue;
            };
            for p in positions {
                let written = rules.format_position(&p);
                assert_eq!(rules.parse_position(&written), Ok(p), "{written}");
                assert_eq!(rules.parse_position(&format!(" {written} ")), Ok(p));
                assert!(rules.diagram(&p).contains(" to move"));
            }
        }
        for p in rules.all_points() {
            assert_eq!(rules.parse_move(&rules.format_move(p)), Ok(p));
            assert_eq!(rules.parse_move(&format!(" {} ", rules.format_move(p).to_lowercase())), Ok(p));
        }
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,60}") {
        let _ = text.parse::<Rules>();
        let _ = Rules::default().parse_move(&text);
        let _ = Rules::default().parse_position(&text);
    }

    #[test]
    fn what_is_read_is_written_again(text in "[XOxo1-4/]{0,24} [xo]( cap=[0-9]-[0-9])?") {
        let rules: Rules = "pente:n=4,k=3,opening=free,cap=2+3".parse().unwrap();
        if let Ok(p) = rules.parse_study(&text) {
            prop_assert_eq!(rules.parse_study(&rules.format_position(&p)), Ok(p));
            match rules.parse_position(&text) {
                Ok(q) => prop_assert_eq!(q, p),
                Err(error) => prop_assert!(error.message().starts_with("no game leads here")),
            }
        }
    }
}
