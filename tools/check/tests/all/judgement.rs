//! Tests with handwritten certificates, right and wrong, and with arbitrary bytes.

use pentago_check::{Failure, check};
use proptest::prelude::*;

use crate::sealed::{BY_TWO, sealed};

fn judge(text: &str) -> Result<u32, Failure> {
    check(sealed(text).as_bytes()).map(|proved| proved.plies)
}

fn refuted(text: &str) -> bool {
    matches!(judge(text), Err(Failure::Refuted(_)))
}

fn malformed(text: &str) -> bool {
    matches!(judge(text), Err(Failure::Malformed(_)))
}

#[test]
fn an_open_four() {
    let proved = check(sealed(BY_TWO).as_bytes()).unwrap();
    assert_eq!((proved.plies, proved.positions, proved.replies), (3, 1, 42));
    assert_eq!(judge(&BY_TWO.replace("within 3", "within 9")), Ok(3));
    assert!(refuted(&BY_TWO.replace("within 3", "within 2")));
    // Each case replaces the moves by wrong moves. In order: a move that makes no open four, an
    // occupied point, no move, a point outside of the board, and a move with a turn.
    for (moves, count) in [("F4", 1), ("D4", 1), ("", 0), ("H4", 1), ("E4/1+", 1)] {
        let text =
            BY_TWO.replace("\nE4\n", &format!("\n{moves}\n")).replace("moves 1", &format!("moves {count}"));
        assert!(refuted(&text), "{moves}");
    }
    assert!(malformed(&BY_TWO.replace("E4\n", "E4 E4\n")));
    assert!(malformed(&BY_TWO.replace("moves 1", "moves 2")));
    // The row of three stones is blocked at one end, so it doesn't become an open four.
    assert!(refuted(&BY_TWO.replace("/1XXX3/", "/OXXX3/").replace("OO4O", "O5O")));
    // In order: a claim for the other side is refuted, a weaker claim is proved, and a position
    // with the other side to move is malformed.
    assert!(refuted(&BY_TWO.replace("claim x", "claim o")));
    assert_eq!(judge(&BY_TWO.replace("x wins", "x does not lose")), Ok(3));
    assert!(malformed(&BY_TWO.replace("OO4O x", "OO4O o")));
    assert!(malformed(&BY_TWO.replace("claim x", "claim a")));
    // O can capture two of the four stones, which refutes the claim.
    assert!(refuted(&BY_TWO.replace("7/7/7/1XXX3", "7/7/2O4/1XXX3/2X4").replace("/7/7/OO4O", "/4OO1/O6")));
}

#[test]
fn the_example_of_the_format() {
    let document = include_str!("../../../../certificate-format.md");
    let example = document.split("```\n").find(|text| text.starts_with("pentago certificate 1\n")).unwrap();
    let proved = check(example.as_bytes()).unwrap();
    assert_eq!(example, sealed(BY_TWO));
    assert!(document.contains(&format!("```\n{proved}\n```")));
}

#[test]
fn moves_that_win_at_once_are_not_written() {
    let at_once = "pentago certificate 1\ngame pentago\nposition OO1OO1/6/6/6/6/XXXX2 x\n\
                   claim x wins within 1\nmoves 0\n";
    assert_eq!(judge(at_once), Ok(1));
    assert!(malformed(&at_once.replace("moves 0\n", "moves 1\ne1\n")));
    // X wins before O can win, whatever O plays, so a claim that O wins is refuted.
    let lost = at_once.replace("x wins within 1", "o wins within 9");
    assert!(refuted(&lost));
}

#[test]
fn games_that_are_over_prove_nothing() {
    let over = "pentago certificate 1\ngame mini\nposition XXXX/OOO1/4/4 o\nclaim x wins within 0\nmoves 0\n";
    assert!(malformed(over));
    let full = "pentago certificate 1\ngame pente:n=3,opening=free,k=3\nposition XOX/XOO/OXX o\n\
                claim o does not lose within 0\nmoves 0\n";
    assert!(malformed(full));
}

#[test]
fn headers_must_be_complete() {
    let lines: Vec<&str> = BY_TWO.lines().collect();
    for missing in 0..lines.len() - 1 {
        let mut rest = lines.clone();
        rest.remove(missing);
        assert!(malformed(&(rest.join("\n") + "\n")), "line {missing}");
    }
    assert!(matches!(check(BY_TWO.as_bytes()), Err(Failure::Malformed(_))));
    assert!(matches!(check(b""), Err(Failure::Malformed(_))));
    assert!(matches!(check(b"\n"), Err(Failure::Malformed(_))));
    assert!(matches!(check(&[0xff; 40]), Err(Failure::Malformed(_))));
    assert!(malformed(&BY_TWO.replace("within 3", "within 03")));
    assert!(malformed(&BY_TWO.replace("certificate 1", "certificate 2")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(check(&bytes).is_err());
    }

    /// Builds headers from plausible parts, so that the checker parses them far enough to use the
    /// rules of the game.
    #[test]
    fn plausible_headers_never_panic(
        game in "(pentago|pentago-cs|mini|mini:k=3|xl|xl:seats=[2-4]|pente|pente:n=[0-9]{1,2},opening=free|\
                 pente:win=400,k=2,w=3,h=3)",
        position in "[XOABCD0-9/]{0,40} [xoabcd]( cap=[0-9]-[0-9])?",
        claim in "(x|o|a|ac) (wins|does not lose) within [0-9]{1,2}",
        moves in "([A-Ta-t][0-9]{1,2}(/[0-9][+-]?)?[ \n]){0,8}",
        count in 0..8_u32,
    ) {
        let text = format!(
            "pentago certificate 1\ngame {game}\nposition {position}\nclaim {claim}\nmoves {count}\n{moves}\n"
        );
        let _ = check(sealed(&text).as_bytes());
    }
}
