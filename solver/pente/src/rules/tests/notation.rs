//! Texts of rules, positions and moves: round trips, and what is refused and where.

use proptest::prelude::*;

use crate::rules::random::{self, Play};
use crate::rules::{self, Options, Rules};

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
    assert_eq!(Rules::new(Options::default()), Ok(Rules::default()));
}

#[test]
fn wrong_rules_are_refused_where_they_are_wrong() {
    for (text, place, message) in [
        ("", "", "no rules are named"),
        ("pent", "pent", "unknown rules"),
        ("pente:", "", "key=value"),
        ("pente:n", "n", "key=value"),
        ("pente:n=20", "20", "1 to 19"),
        ("pente:n=0", "0", "1 to 19"),
        ("pente:n=+5", "+5", "1 to 19"),
        ("pente:n=5", "n=5", "opening=free has no such need"),
        ("pente:n=8", "n=8", "centre"),
        ("pente:k=1,n=9", "k=1,n=9", "2 to 19"),
        ("pente:n=9,w=9", "w", "n is both sides"),
        ("pente:w=9,n=9", "n", "n is both sides"),
        ("pente:k=4,k=5", "k", "given twice"),
        ("pente:cap=3", "3", "expected 2 or 2+3 or 0"),
        ("pente:win=401", "401", "1 to 400"),
        ("pente:size=9", "size", "unknown option"),
    ] {
        let error = text.parse::<Rules>().unwrap_err();
        assert_eq!(&text[error.span()], place, "{error}");
        assert!(error.message().contains(message), "{error}");
    }
}

#[test]
fn positions_round_trip() {
    for text in ALL_RULES {
        let rules = rules(text);
        for stones in [0, 1, 2, 3, 4, rules.points() / 2] {
            let Ok(positions) = random::positions(&rules, Play::Uniform, stones, 20, 3, false) else {
                continue;
            };
            for p in positions {
                let written = rules.format_position(&p);
                assert_eq!(rules.parse_position(&written), Ok(p), "{written}");
                assert_eq!(rules::parse(&format!(" {rules}  {written} ")), Ok((rules, p)));
                assert!(rules.diagram(&p).contains(" to move"));
            }
        }
        for p in rules.all_points() {
            assert_eq!(rules.parse_move(&rules.format_move(p)), Ok(p));
            assert_eq!(rules.parse_move(&format!(" {} ", rules.format_move(p).to_lowercase())), Ok(p));
        }
    }
}

#[test]
fn wrong_positions_are_refused_where_they_are_wrong() {
    let all = [
        ("pente:n=3,opening=free", "", "", "there is no position"),
        ("pente:n=3,opening=free", "3/3/3", "", "side to move is missing"),
        ("pente:n=3,opening=free", "3/3/3 z", "z", "expected the side to move"),
        ("pente:n=3,opening=free", "3/3/3/3 x", "3", "too many rows"),
        ("pente:n=3,opening=free", "3/3 x", "", "too few rows"),
        ("pente:n=3,opening=free", "3/2/3 x", "2", "rank 2 has 2 points"),
        ("pente:n=3,opening=free", "3/X3/3 x", "3", "more than 3 points"),
        ("pente:n=3,opening=free", "3/99999999999999999999/3 x", "99999999999999999999", "more than 3"),
        ("pente:n=3,opening=free", "3/X0X/3 x", "0", "unexpected character '0'"),
        ("pente:n=3,opening=free", "3/Xé1/3 x", "é", "unexpected character 'é'"),
        ("pente:n=3,opening=free", "3/3/3 x cap", "cap", "captured stones"),
        ("pente:n=3,opening=free", "3/3/3 x cap=2", "2", "captured stones"),
        ("pente:n=3,opening=free", "3/3/3 x cap=a-0", "a", "expected a number"),
        ("pente:n=3,opening=free", "3/3/3 x cap=0-0 x", "x", "ends before"),
        ("pente:n=3,opening=free", "3/X2/3 x", "x", "after 1 plies O is to move"),
        ("pente:n=3,opening=free", "3/XX1/3 x", "3/XX1/3", "2 of X are on the board"),
        ("pente:n=3,opening=free", "3/3/3 x cap=3-0", "cap=3-0", "3 stones cannot be captured"),
        ("pente:n=3,opening=free,cap=0", "3/3/3 x cap=2-0", "cap=2-0", "cannot be captured"),
        ("pente:n=3,opening=free", "3/3/3 x cap=26-26", "cap=26-26", "no move takes more than 16"),
        ("pente:n=3,k=3,opening=free", "XXX/OO1/O2 x", "XXX/OO1/O2", "has won already"),
        ("pente:n=3,k=3,opening=free,win=2", "O2/XX1/2X o cap=2-0", "o", "after 6 plies X is to move"),
        ("pente:n=3,k=3,opening=free,win=2", "OO1/XX1/2X x cap=2-0", "OO1/XX1/2X", "X then has placed 4"),
        ("pente:n=7", "X6/7/7/7/7/7/7 o", "X6/7/7/7/7/7/7", "belongs on the centre"),
        ("pente:n=7", "7/7/7/O2XX2/7/7/7 o", "7/7/7/O2XX2/7/7/7", "three or more points away"),
    ];
    for (game, text, place, message) in all {
        let error = rules(game).parse_position(text).unwrap_err();
        assert_eq!(&text[error.span()], place, "{error}");
        assert!(error.message().contains(message), "{error}");
    }
}

#[test]
fn wrong_moves_are_refused_where_they_are_wrong() {
    for (text, place, message) in [
        ("", "", "there is no move"),
        ("I9", "I", "no file I"),
        ("i9", "i", "no file I"),
        ("U1", "U", "A to T"),
        ("10", "1", "expected a file"),
        ("K", "", "1 to 19"),
        ("K0", "0", "1 to 19"),
        ("K010", "010", "1 to 19"),
        ("K20", "20", "1 to 19"),
        ("K1 0", " ", "unexpected character"),
        ("éK", "é", "expected a file"),
    ] {
        let error = Rules::default().parse_move(text).unwrap_err();
        assert_eq!(&text[error.span()], place, "{error}");
        assert!(error.message().contains(message), "{error}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,60}") {
        let _ = text.parse::<Rules>();
        let _ = rules::parse(&text);
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
