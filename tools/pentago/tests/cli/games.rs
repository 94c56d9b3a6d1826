//! Tests of Pentago XL and Pente in the commands for all games, and tests of certificates.

use crate::common::{json, json_of, objects, run, run_with, sh};

const XL: &str = "A3B4/4AAA2/1B7/6B2/9/6B2/3A2A2/B8/8B a";
const EMPTY_PENTE: &str = "19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19 x";
const LATE: &str = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o";

/// On a board of 3x3 points, Pente is tic-tac-toe: no stone can be captured.
#[test]
fn a_small_board_of_pente_is_solved_in_full() {
    let answer = json_of("solve --distance --rules pente:n=3,k=3,opening=free '3/3/3 x'");
    assert_eq!((&answer["value"], &answer["captures"]["x"]), (&"draw".into(), &0.into()));
    assert_eq!(answer["moves"].as_array().map(Vec::len), Some(9));
    assert!(answer["proved"].is_null());
}

/// A value may be proved before its distance is known. The note then names the time, because more
/// time finds the distance.
#[test]
fn a_missing_distance_is_explained() {
    let found = sh("solve --rules pente:n=5,k=4,opening=free '5/5/5/1X3/5 o' --distance --time 4");
    let has_distance = found.out.contains("in 16 plies");
    let is_short = found.err.contains("the time was too short for it") || found.err.contains("not decided");
    assert!(has_distance || is_short, "{} {}", found.out, found.err);
    let found = sh("solve --rules xl 9/9/9/9/9/9/9/9/9 --distance --time 2");
    assert!(found.err.contains("a value whose source is `certificate` has none"), "{}", found.err);
}

#[test]
fn seats_of_pentago_xl_have_values() {
    let position = sh("random --rules xl --marbles 78 --seed 4").ok();
    let solve = format!("solve --exact --rules xl '{}'", position.trim());
    let answer = json_of(&solve);
    let (mover, other) = if answer["to_move"] == "a" { ("A", "B") } else { ("B", "A") };
    let opposite = match answer["value"].as_str().unwrap() {
        "win" => "loss",
        "loss" => "win",
        other => other,
    };
    assert_eq!(answer["seats"][mover], answer["value"]);
    assert_eq!(answer["seats"][other], opposite);
    assert_ne!(opposite, "unknown");
    assert!(sh(&solve).ok().contains("seats: A "));
}

#[test]
fn symmetries_of_other_boards() {
    let xl = json(&["symmetries", "--json", "--rules", "xl", XL]);
    assert_eq!((&xl["rules"], &xl["whole_board"]["order"]), (&"xl".into(), &8.into()));
    assert_eq!(xl["with_blocks"]["order"], 8 * 65_536);
    assert!(sh("symmetries --rules pente:n=5,opening=free '5/5/5/5/5 x'").ok().contains("orbit      1\n"));
}

#[test]
fn what_is_proved_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("win.certificate");
    let path = file.to_str().unwrap();
    let noted = run(&["prove", LATE, "--out", path]);
    assert!(noted.err.contains(&format!("`pentago-check {path}` checks it")), "{}", noted.err);
    noted.ok();
    let bytes = std::fs::read(&file).unwrap();
    pentago_check::check(&bytes).unwrap();
    let error = run(&["prove", "--rules", "mini", "XOXO/OXOX/XOXO/OX2 x", "--out", "-"]).fails(3);
    assert!(error.contains("the game is over"), "{error}");
    assert!(run(&["prove", "nonsense"]).fails(2).contains("nonsense"));
    // If the search finds no win, a win may still exist. A finished game can't be won.
    let error = run(&["prove", "--rules", "pente", "--depth", "3", EMPTY_PENTE]).fails(3);
    assert!(error.contains("no win was found by threats within 3 plies"), "{error}");
    for (rules, position) in
        [("xl", "AAAAA4/BBBB5/9/9/9/9/9/9/9 b"), ("pente:n=5,opening=free", "XXXXX/OOOO1/5/5/5 o")]
    {
        let error = run(&["prove", "--rules", rules, position]).fails(3);
        assert!(error.contains("the game is over"), "{rules}: {error}");
    }
}

#[test]
fn an_interrupted_proof_continues() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("win.txt");
    let journal = folder.path().join("win.txt.journal");
    let prove = |time| {
        let position = "9/1B7/9/9/4A4/9/9/9/9 a";
        run(&["prove", position, "--rules", "xl", "--time", time, "--out", file.to_str().unwrap()])
    };
    let error = prove("0.001").fails(3);
    assert!(error.contains("the same command continues from") && journal.exists(), "{error}");
    prove("600").ok();
    assert!(!journal.exists());
    pentago_check::check(&std::fs::read(&file).unwrap()).unwrap();
    // A file of another kind stays as it is.
    std::fs::write(&journal, "a diary\n").unwrap();
    assert!(prove("600").fails(2).contains("remove the file"));
    assert_eq!(std::fs::read_to_string(&journal).unwrap(), "a diary\n");
}

#[test]
fn exact_is_a_value_or_an_error() {
    let solve = ["solve", "--exact", "--time", "0.1", "--rules", "pente"];
    let error = run(&[&solve[..], &[EMPTY_PENTE]].concat()).fails(3);
    assert!(error.contains("the value was not found") && error.contains("--time"), "{error}");
    // In a batch, each line that can't be answered has its own error.
    let input = format!("# a comment\n\nnonsense\n{EMPTY_PENTE}\n");
    let answers = objects(&run_with(&[&solve[..], &["--batch"]].concat(), input.as_bytes()).out);
    let [nonsense, unknown] = &answers[..] else { panic!("{answers:?}") };
    assert!(nonsense["error"].is_string() && nonsense["line"] == 3, "{nonsense}");
    assert!(unknown["error"].as_str().unwrap().contains("the value was not found"), "{unknown}");
}

/// Places a marble of the side to move on the first free socket in reading order. Returns the
/// resulting position, in which the turn is pending, and the name of the socket.
fn with_a_marble(position: &str) -> (String, String) {
    let (board, side) = position.split_once(' ').unwrap();
    let at = board.find(|c: char| c.is_ascii_digit()).unwrap();
    let run = board[at..=at].parse::<usize>().unwrap();
    let rest = if run > 1 { (run - 1).to_string() } else { String::new() };
    let row = board[..at].matches('/').count();
    let file = board[..at].rsplit('/').next().unwrap().len();
    let socket = format!("{}{}", (b'a' + file as u8) as char, 9 - row);
    let marble = side.to_uppercase();
    (format!("{}{marble}{rest}{} {side} turn", &board[..at], &board[at + 1..]), socket)
}

#[test]
fn a_pending_turn_of_pentago_xl_is_worth_what_its_moves_are() {
    let mut compared = 0;
    for (rules, marbles) in
        [("xl", "78"), ("xl:seats=3,supply=81", "79"), ("xl:seats=4,mode=2v2,supply=81", "78")]
    {
        let random = ["random", "--rules", rules, "--marbles", marbles, "--count", "3", "--seed", "2"];
        for position in run(&random).ok().lines() {
            let (pending, socket) = with_a_marble(position);
            let whole = json(&["solve", "--json", "--rules", rules, position]);
            if whole["moves"].as_array().unwrap().iter().any(|m| m["move"] == socket.as_str()) {
                // This placement makes five in a row, so no turn follows.
                let error = run(&["solve", "--rules", rules, &pending]).fails(2);
                assert!(error.contains("no turn is pending"), "{error}");
                continue;
            }
            let turns = json(&["solve", "--json", "--distance", "--rules", rules, &pending]);
            assert_eq!(turns["position"], pending.as_str());
            assert_eq!(turns["to_move"], whole["to_move"]);
            let turns = turns["moves"].as_array().unwrap();
            assert_eq!(turns.len(), 16);
            for turn in turns {
                let name = format!("{socket}{}", turn["move"].as_str().unwrap());
                let known = whole["moves"].as_array().unwrap().iter().find(|m| m["move"] == name.as_str());
                let known = known.unwrap();
                assert_eq!(
                    (&known["value"], &known["position"]),
                    (&turn["value"], &turn["position"]),
                    "{name}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared >= 64, "{compared}");
    let first = run(&["perft", "--rules", "xl", "A8/9/9/9/9/9/9/9/9 a turn", "1", "-q"]).ok();
    assert_eq!(first, "0 1\n1 16\n");
    let error = run(&["prove", "--rules", "xl", "A8/9/9/9/9/9/9/9/9 a turn", "--out", "-"]).fails(2);
    assert!(error.contains("the turn is pending"), "{error}");
}

#[test]
fn a_turn_that_gives_several_seats_five_at_once_ends_the_game() {
    for (rules, position, result) in [
        ("xl", "AAAAA4/BBBBB4/9/9/9/9/9/9/9 a", "a draw"),
        ("xl:seats=3", "AAAAA4/BBBBB4/C1C1C1C2/9/9/C8/9/9/9 a", "a and b share the first place"),
        ("xl:seats=4,mode=2v2", "AAAAA4/BBBBB4/C1C1C1C2/D1D1D1D2/9/C8/D8/9/9 a", "a draw"),
        ("pentago", "OOOOO1/6/6/6/6/XXXXX1 x", "a draw (both have 5 in a row)"),
    ] {
        let text = run(&["solve", "--rules", rules, position]).ok();
        assert!(text.contains(&format!("the game is over: {result}")), "{rules}: {text}");
    }
}
