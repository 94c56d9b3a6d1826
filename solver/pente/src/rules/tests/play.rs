//! Tests of perft, symmetries, illegal moves and random positions.

use crate::rules::RandomError;
use crate::rules::random::{self, PlayStyle};
use crate::rules::{Color, Outcome, Rules};

fn rules(text: &str) -> Rules {
    text.parse().unwrap()
}

#[test]
fn play_commutes_with_the_symmetries() {
    for text in ["pente:n=5,k=4,opening=free", "pente:w=4,h=6,k=4,opening=free,cap=2+3,over=no", "pente:n=9"]
    {
        let rules = rules(text);
        for p in random::positions(&rules, PlayStyle::Uniform, 12, 20, 5, false).unwrap() {
            for s in rules.symmetries() {
                let image = rules.image(&p, s);
                assert_eq!(rules.canonical(&image).0, rules.canonical(&p).0);
                for m in rules.moves(&p) {
                    let played = rules.play(&p, m).unwrap();
                    let other = rules.play(&image, s.apply(&rules, m)).unwrap();
                    assert_eq!(other.position, rules.image(&played.position, s));
                    assert_eq!(other.outcome, played.outcome);
                    assert_eq!(other.taken, s.apply_all(&rules, &played.taken));
                }
            }
        }
    }
}

#[test]
fn illegal_moves_are_explained() {
    let rules = rules("pente");
    let at = |text: &str| rules.parse_move(text).unwrap();
    let start = rules.start();
    let refused = |rules: &Rules, p, m, why: &str| {
        let error = rules.play(p, m).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    };
    refused(&rules, &start, at("K11"), "belongs on the centre");
    let one = rules.play(&start, at("K10")).unwrap().position;
    refused(&rules, &one, at("K10"), "a stone of X");
    let two = rules.play(&one, at("K11")).unwrap().position;
    refused(&rules, &two, at("M12"), "three or more points away");
    assert_eq!(rules.moves(&two).len(), 361 - 25);
    let over = rules.parse_position(&format!("{}9XXXXX5/OO1OO14/{} o", "19/".repeat(9), ["19"; 8].join("/")));
    let over = over.unwrap();
    assert_eq!(rules.outcome(&over), Some(Outcome::Win(Color::X)));
    refused(&rules, &over, at("A1"), "the game is over");
    assert!(rules.moves(&over).is_empty());
    let small: Rules = "pente:n=5,opening=free".parse().unwrap();
    refused(&small, &small.start(), at("K10"), "outside the board");
}

#[test]
fn a_row_that_a_capture_cut_wins_with_the_next_move() {
    let rules = rules("pente:n=9,opening=free,over=no");
    // X has six stones in a row. O captures F6 and F5, which leaves a row of five, and X is to
    // move.
    let p = rules.parse_study("9/9/5O3/5X3/XXXXXX3/9/9/9/9 o").unwrap();
    let played = rules.play(&p, rules.parse_move("F4").unwrap()).unwrap();
    assert_eq!((played.taken.len(), played.outcome), (2, None));
    let next = rules.play(&played.position, rules.parse_move("J1").unwrap()).unwrap();
    assert_eq!(next.outcome, Some(Outcome::Win(Color::X)));
}

#[test]
fn random_positions_are_the_same_everywhere() {
    let rules = rules("pente:n=9,opening=free");
    let texts = |play| -> Vec<String> {
        let positions = random::positions(&rules, play, 10, 2, 1, true).unwrap();
        positions.iter().map(|p| rules.format_position(p)).collect()
    };
    assert_eq!(texts(PlayStyle::Uniform), UNIFORM);
    assert_eq!(texts(PlayStyle::Purposeful), PURPOSEFUL);
    let small: Rules = "pente:n=2,k=2,opening=free".parse().unwrap();
    let ask = |stones| random::positions(&small, PlayStyle::Uniform, stones, 1, 1, false);
    assert_eq!(ask(4), Err(RandomError::TooMany { what: "stones", asked: 4, most: 3 }));
    assert_eq!(ask(3), Err(RandomError::NotFound { what: "stones", asked: 3, quiet: false, tries: 10_000 }));
}

const UNIFORM: [&str; 2] = ["7X1/4X4/9/4O4/8X/4XO3/O4O3/8X/6O2 x", "2X6/7O1/1OOX5/9/3X5/8O/9/2O2X3/3X5 x"];
const PURPOSEFUL: [&str; 2] = ["1O7/9/9/4X3O/2OX4X/9/5XO2/5O2X/9 x", "8O/1O1X1O3/2OXXXO2/2X6/9/9/9/9/9 x"];
