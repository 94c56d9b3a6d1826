//! Texts that are wrong: what is said about them, and where it points.

use super::*;

/// The message and the marked part of the error that a reader gives.
fn refusal<T>(read: Result<T, ParseError>) -> (String, String) {
    let error = read.err().expect("this is wrong");
    (error.message().to_string(), error.text()[error.span()].to_string())
}

#[test]
fn wrong_rules_are_explained() {
    for (text, message, marked) in [
        ("", "no rules are named: expected one of pentago, pentago-eu,", ""),
        ("pentagon", "unknown rules: expected one of pentago, pentago-eu, ", "pentagon"),
        ("pente:n=9", "unknown rules", "pente"),
        ("pentago:", "expected key=value, with one of the keys dir, both, reply,", ""),
        ("pentago:cw", "expected key=value, with one of the keys dir, both, reply,", "cw"),
        ("pentago:turn=cw", "unknown option: the options are dir, both, reply, skip,", "turn"),
        (" pentago:last=stop,dir=ccw", "unknown value: expected both or cw", "ccw"),
        ("pentago:skip=maybe", "unknown value: expected never or empty or neutral", "maybe"),
        ("pentago:dir=cw,dir=both", "the option dir is given twice", "dir"),
        ("pentago:dir=cw,", "expected key=value", ""),
        ("pentago:n=4", "n=4 needs bs=2 and k=3 or k=4, here bs=3 and k=5", "n=4"),
        ("pentago:k=4", "n=6 needs bs=3 and k=5, here bs=3 and k=4", "k=4"),
        ("mini:k=5", "n=4 needs bs=2 and k=3 or k=4", "k=5"),
        ("mini:n=5", "unknown value: expected 4 or 6", "5"),
    ] {
        let (was, place) = refusal(text.parse::<Rules>());
        assert!(was.starts_with(message), "{text}: {was}");
        assert_eq!(place, marked, "{text}: {was}");
    }
}

#[test]
fn wrong_positions_are_explained() {
    for (text, message, marked) in [
        ("", "there is no position: expected rows", ""),
        ("hello", "not a position: expected rows from the top, as in 6/6/6/6/6/6 x", "h"),
        ("6/6/6/6/6 x", "too few rows: expected 6, separated by /, found 5", ""),
        ("6/6/6/6/6/6/6/6", "too many rows: expected 6", "6/6"),
        ("6/OO1Q2/6/6/6/6", "unexpected character 'Q': expected X, O, or 1 to 6", "Q"),
        ("6/OO1é2/6/6/6/6", "unexpected character 'é'", "é"),
        ("6/6/6/OO1OO2/6/6", "rank 3 has more than 6 sockets", "2"),
        ("6/6/6/6/60/6", "unexpected character '0'", "0"),
        ("6/6/6/4X/6/6", "rank 3 has 5 sockets, expected 6", "4X"),
        ("6/6/6//6/6", "rank 3 has 0 sockets, expected 6", ""),
        ("6/6/6/6/6/6 y", "unexpected word: expected the side to move, x or o", "y"),
        ("6/6/6/6/6/6 x to", "expected \"x to move\", or \"x to turn\"", ""),
        ("6/6/6/6/6/6 x to go", "expected \"x to move\", or \"x to turn\"", "go"),
        ("6/6/6/6/6/6 x y", "unexpected word: expected the end, or \"turn\"", "y"),
        ("6/6/6/6/6/5X x turn y", "unexpected word: expected the end", "y"),
        ("6/6/6/6/6/6 o", "impossible position: with 0 X and 0 O it is X's move, not O's", "o"),
        ("6/6/6/6/6/6 turn", "impossible position: the board is empty", "turn"),
        ("6/6/6/6/6/5X o m", "impossible position: with 1 X and 0 O it is X's turn to make, not O's", "o"),
        ("6/6/6/6/6/5O", "impossible position: 0 X and 1 O: X moves first, so X has", "6/6/6/6/6/5O"),
        ("6/6/6/6/6/4XX x", "impossible position: 2 X and 0 O: X moves first", "6/6/6/6/6/4XX"),
        ("XO.", "a board in one word has 36 characters, but this one has 3", "XO."),
        ("XO1.................................", "unexpected character '1' in a board of . (empty)", "1"),
        ("0000000000000000000000000000000O1200", "unexpected character 'O' in a board of 0 (empty)", "O"),
        ("99999999999999999999", "this is neither a board number", "99999999999999999999"),
        ("19683m", "not a board number: its field for the lower left quadrant is 19683", "19683"),
        ("1m x y", "unexpected word: expected the end", "y"),
    ] {
        let (was, place) = refusal(Rules::default().parse_position(text));
        assert!(was.starts_with(message), "{text}: {was}");
        assert_eq!(place, marked, "{text}: {was}");
    }
    let (was, _) = refusal(Rules::mini().parse_position("12"));
    assert!(was.starts_with("board numbers are for 6x6 boards: expected 16"), "{was}");
    let (was, _) = refusal(Rules::mini().parse_position("6/6/6/6/6/6"));
    assert_eq!(was, "rank 4 has more than 4 sockets; this is a position of Pentago: --rules pentago");
    let (was, _) = refusal(Rules::default().parse_position("4/4/4/4"));
    assert!(was.ends_with("this is a position of Mini-Pentago: --rules mini"), "{was}");
}

#[test]
fn wrong_diagrams_are_explained() {
    let mini = Rules::mini();
    for (text, message, marked) in [
        ("....\n....\n....\n", "too few rows in this diagram: expected 4, found 3", ""),
        ("....\n.....\n....\n....", "rank 3 has more than 4 sockets", "."),
        ("....\n....\n. . .\n....", "rank 2 has 3 sockets, expected 4", ". . ."),
        ("....\n..0.\n....\n....", "unexpected character '0' in a diagram", "0"),
        (
            "1 ....\n2 ....\n3 ....\n4 ....",
            "unexpected rank 1: rows are listed from the top, so expected rank 4",
            "1",
        ),
        ("....\n....\n....\n....\n....", "unexpected word: expected the side to move", "...."),
        ("....\n....\n....\n...X\nx", "impossible position: with 1 X and 0 O it is O's move", "x"),
    ] {
        let (was, place) = refusal(mini.parse_position(text));
        assert!(was.starts_with(message), "{text}: {was}");
        assert_eq!(place, marked, "{text}: {was}");
    }
}

#[test]
fn wrong_moves_are_explained() {
    for (text, message, marked) in [
        ("", "there is no move: expected a socket and a turn, as in c4/2+", ""),
        ("g4/2+", "expected a file, a to f, as in c4/2+", "g"),
        ("€4/2+", "expected a file, a to f", "€"),
        ("c7/2+", "expected a rank, 1 to 6, after the file", "7"),
        ("c", "expected a rank, 1 to 6, after the file", ""),
        ("c0/2+", "expected a rank, 1 to 6", "0"),
        ("c42+", "unexpected character '2': expected / before the turn", "2"),
        ("c4/", "expected a quadrant, 1 to 4, or 0 to decline the turn", ""),
        ("c4/5+", "expected a quadrant, 1 to 4", "5"),
        ("c4/2", "expected + (clockwise) or - (counterclockwise)", ""),
        ("c4/2*", "expected + (clockwise) or - (counterclockwise)", "*"),
        ("c4/2+ x", "unexpected character ' ' after the move", " "),
        ("c4/0+", "unexpected character '+' after the move", "+"),
    ] {
        let (was, place) = refusal(Rules::default().parse_move(text));
        assert!(was.starts_with(message), "{text}: {was}");
        assert_eq!(place, marked, "{text}: {was}");
    }
    assert_eq!(refusal(Rules::mini().parse_move("e1/1+")).0, "expected a file, a to d, as in c4/2+");
    let nothing = Move { place: None, turn: TurnPart::None };
    assert_eq!(Rules::default().format_move(nothing), "-");
}

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
    // One line of several, with a bell that must not ring.
    let diagram = "......\r\n..\t\u{7}.\r\n......\r\n";
    assert!(shown(diagram).ends_with("\n  .. \u{fffd}.\n     ^"), "{}", shown(diagram));
    // A long line is cut on both sides.
    let long = shown(&format!("{}Q{}/", "X".repeat(300), "O".repeat(300)));
    assert!(long.lines().all(|line| line.chars().count() < 130), "{long}");
    let long = shown(&format!("6/6/6/6/6/6 {}Q", "x ".repeat(1000)));
    assert!(long.lines().all(|line| line.chars().count() < 130), "{long}");
}

#[test]
fn long_texts_are_refused_before_they_are_read() {
    let long = "é".repeat(MAX_TEXT);
    let error = Rules::default().parse_position(&long).unwrap_err();
    assert!(error.message().starts_with("the text is 8192 bytes long"), "{error}");
    assert!(error.text().len() <= MAX_TEXT);
    assert!(error.to_string().len() < 1000);
    assert!(Rules::default().parse_move(&long).is_err());
    assert!(long.parse::<Rules>().is_err());
}

#[test]
fn a_position_by_other_rules_gets_a_tip() {
    let message = |rules: Rules, text: &str| rules.parse_position(text).unwrap_err().message().to_owned();
    let mini = "rank 6 has 4 sockets, expected 6; this is a position of Mini-Pentago: --rules mini";
    assert_eq!(message(Rules::default(), "4/4/4/4"), mini);
    assert!(message(Rules::default(), "XO2/OX2/XO2/OX2 x").ends_with(": --rules mini"));
    assert!(message(Rules::default(), "XO..OX..XO..OX..").ends_with(": --rules mini"));
    assert!(message(Rules::mini(), "6/6/6/6/6/6").ends_with("a position of Pentago: --rules pentago"));
    for text in ["4/4/4", "5/5/5/5/5", "9/9/9/9/9/9/9/9/9", "nonsense", "", "4/4/4/X3 x"] {
        assert!(!message(Rules::default(), text).contains("--rules"), "{text}");
    }
}
