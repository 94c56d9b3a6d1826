//! Tests of the display of parse errors. The file `tests/data/refusals.txt` has the messages of all
//! errors.

use super::*;

#[test]
fn the_caret_stands_under_the_character() {
    let shown = |text: &str| Rules::default().parse_position(text).unwrap_err().to_string();
    assert_eq!(
        shown("6/ÄÖ1Q2/6/6/6/6"),
        "unexpected character 'Ä': expected X, O, or 1 to 6 for a run of empty sockets\n  \
         6/ÄÖ1Q2/6/6/6/6\n    ^"
    );
    assert_eq!(
        shown("6/6/6/6/6/5X x"),
        "impossible position: with 1 X and 0 O it is O's move, not X's\n  \
         6/6/6/6/6/5X x\n               ^"
    );
    // The error is in one of several lines. A control character (bell) in this line is replaced in
    // the display.
    let diagram = "......\r\n..\t\u{7}.\r\n......\r\n";
    assert!(shown(diagram).ends_with("\n  .. \u{fffd}.\n     ^"), "{}", shown(diagram));
    // A long line is truncated on both sides.
    let long = shown(&format!("{}Q{}/", "X".repeat(300), "O".repeat(300)));
    assert!(long.lines().all(|line| line.chars().count() < 130), "{long}");
    let long = shown(&format!("6/6/6/6/6/6 {}Q", "x ".repeat(1000)));
    assert!(long.lines().all(|line| line.chars().count() < 130), "{long}");
}

#[test]
fn long_texts_are_refused_before_they_are_read() {
    let long = "é".repeat(MAX_TEXT);
    let error = Rules::default().parse_position(&long).unwrap_err();
    assert!(error.message().starts_with("the text has more than 4096 bytes"), "{error}");
    assert!(error.text().len() <= MAX_TEXT);
    assert!(error.to_string().len() < 1000);
    assert!(Rules::default().parse_move(&long).is_err());
    assert!(long.parse::<Rules>().is_err());
}

#[test]
fn a_position_by_other_rules_gets_a_tip() {
    let message = |rules: Rules, text: &str| rules.parse_position(text).unwrap_err().message().to_owned();
    let mini = "rank 6 has 4 of 6 sockets; this is a position of Mini-Pentago: choose the rules mini";
    assert_eq!(message(Rules::default(), "4/4/4/4"), mini);
    assert!(message(Rules::default(), "XO2/OX2/XO2/OX2 x").ends_with(": choose the rules mini"));
    assert!(message(Rules::default(), "XO..OX..XO..OX..").ends_with(": choose the rules mini"));
    assert!(message(Rules::mini(), "6/6/6/6/6/6").ends_with("Pentago: choose the rules pentago"));
    for text in ["4/4/4", "5/5/5/5/5", "9/9/9/9/9/9/9/9/9", "nonsense", "", "4/4/4/X3 x"] {
        assert!(!message(Rules::default(), text).contains("choose the rules"), "{text}");
    }
}

/// With `place=turn` a move without a turn is refused.
#[test]
fn a_five_waits_for_the_turn() {
    for text in ["pentago:place=turn,last=stop", "pentago-cs:place=turn", "mini:reply=place,place=turn"] {
        let error = text.parse::<Rules>().expect_err("they don't go together");
        assert!(error.message().contains("neither reply=place nor last=stop"), "{error}");
    }
    let rules: Rules = "pentago:place=turn".parse().expect("rules");
    let position = rules.parse_position("OO1OO1/6/6/6/6/XXXX2 x").expect("a position");
    let play = |text: &str| rules.play(&position, rules.parse_move(text).expect("a move"));
    assert_eq!(play("e1"), Err(IllegalMove::TurnMissing));
    assert_eq!(play("e1/1+").expect("legal").outcome, Some(Outcome::Win(Color::X)));
    assert_eq!(play("e1/4+").expect("legal").outcome, None, "the turn undoes it");
    // Neither player has five in a row in this position, so the game continues.
    let both = rules.parse_position("O1OOO1/1O4/6/6/5X/XXXX2 x").expect("a position");
    assert_eq!(rules.outcome(&both), None);
    let pending = rules.parse_position("OO1OO1/6/6/6/6/XXXXX1 x turn").expect("a position");
    assert_eq!((rules.outcome(&pending), rules.moves(&pending).len()), (None, 8));
}
