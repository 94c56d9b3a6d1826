//! Tests of `pentago solve`: its JSON, its text and its errors.

use serde_json::Value;

use crate::common::{json, objects, positions, run, run_with, solve};

/// A position that X wins in one move: e1, or f1 with a suitable turn.
const NEARLY_OVER: &str = "OO1OO1/6/6/6/6/XXXX2 x";
/// A position with ten free sockets, in which X wins, but not with the next ply.
const LATE: &str = "1OOXOO/XOXO1O/XOOX1X/OX1O1X/1XX1X1/OX1X1O x";

fn text<'a>(object: &'a Value, key: &str) -> &'a str {
    object[key].as_str().unwrap_or_else(|| panic!("{key} is a text in {object}"))
}

fn number(object: &Value, key: &str) -> u64 {
    object[key].as_u64().unwrap_or_else(|| panic!("{key} is a number in {object}"))
}

fn moves(object: &Value) -> &[Value] {
    object["moves"].as_array().unwrap()
}

#[test]
fn lists_every_move_once() {
    let object = solve(&[NEARLY_OVER, "--depth", "2"]);
    assert_eq!(text(&object, "position"), NEARLY_OVER);
    assert_eq!(text(&object, "rules"), "pentago");
    assert_eq!(text(&object, "value"), "win");
    assert_eq!(object["best"], serde_json::json!(["e1"]));
    let perft = run(&["perft", "--quiet", NEARLY_OVER, "1"]).ok();
    assert_eq!(perft, format!("0 1\n1 {}\n", moves(&object).len()));
    let winner = &moves(&object)[0];
    assert_eq!(text(winner, "position"), "OO1OO1/6/6/6/6/XXXXX1 o");
}

#[test]
fn unknown_comes_with_what_was_proved() {
    let object = solve(&["6/6/6/6/6/6", "--depth", "2", "--time", "1"]);
    assert_eq!(text(&object, "value"), "unknown");
    assert_eq!(object["proved"], serde_json::json!({"no_win_within": 2, "no_loss_within": 2}));
    assert_eq!(number(&object["full"], "boards"), 24_072_650_378_629_801);
    assert!(number(&object["full"], "bytes") > 1 << 50);
    assert_eq!(moves(&object).len(), 288);
    assert!(object["distance"].is_null());

    let shown = run(&["solve", "6/6/6/6/6/6", "--depth", "2", "--time", "1"]).ok();
    // The evaluation was not trained with so few marbles, so there is no guess.
    let last = shown.lines().next_back().unwrap();
    assert!(last.starts_with("unknown: no win or loss within 2 plies; the full solution would take "));
    assert!(last.ends_with(" and 24,072,650,378,629,801 boards"));
    assert!(!shown.contains("value:"));
}

/// If the value is unknown, a guess orders the moves, and no field reports the guess as a value.
#[test]
fn a_guess_is_no_value() {
    guesses(6, &[7, 9, 11, 12]);
}

/// Without a time limit, neither the threads nor the speed of the machine change a guess.
#[test]
fn a_guess_is_the_same_everywhere() {
    let answer = |threads| {
        let position = "XXOXX1/O4O/5O/5O/1O1X2/2XO1X x";
        let object = solve(&["--depth", "2", "--threads", threads, position]);
        ["best_guess", "guess", "moves"].map(|field| object[field].clone())
    };
    assert_eq!(answer("1"), answer("2"));
}

#[test]
#[ignore = "long: finds bugs in one position of a hundred"]
fn long_a_guess_is_no_value() {
    guesses(40, &[7, 8, 9, 10, 11, 12, 13]);
}

/// Checks the answers to random positions, `each` positions for every number in `marbles`.
fn guesses(each: u32, marbles: &[u32]) {
    let mut undecided = 0;
    for &marbles in marbles {
        let lines = positions("pentago", marbles, each, 30).join("\n");
        let few = ["--time", "0", "--proof-boards", "100000", "--memory", "200M"];
        let out = run_with(&[&["solve", "--batch"], &few[..]].concat(), lines.as_bytes()).ok();
        for object in objects(&out) {
            let best = object.get("best_guess").unwrap_or(&object["best"]).as_array().unwrap();
            assert!(!best.is_empty() && object["best"].is_array(), "{object}");
            assert_eq!(object.get("guess").is_some(), object["best"] == serde_json::json!([]), "{object}");
            let moves = moves(&object);
            let value = text(&object, "value");
            assert_eq!(value == "unknown", text(&object, "source") == "unknown", "{object}");
            let Some(guess) = object.get("guess") else {
                assert!(value != "unknown" && moves.iter().all(|m| m.get("guess").is_none()), "{object}");
                continue;
            };
            let guess = guess.as_f64().unwrap();
            assert!(guess > 0.0 && guess < 1.0);
            undecided += u32::from(value == "unknown");
            for m in moves {
                let (value, source) = (text(m, "value"), text(m, "source"));
                assert_eq!(value == "unknown", source == "unknown", "{m}");
                assert_eq!(value == "unknown", m.get("guess").is_some(), "{m}");
                let is_best = best.contains(&m["move"]);
                assert!(m.get("guess").is_none_or(|m| m.as_f64().unwrap() < guess + 1e-9));
                assert!(!is_best || m["guess"].as_f64() == Some(guess), "{m}");
            }
        }
        if marbles % 3 != 1 {
            continue;
        }
        let first = lines.lines().next().unwrap();
        let shown = run(&[&["solve", first], &few[..]].concat()).ok();
        assert!(shown.contains("best guess: ") || shown.contains("value: "), "{shown}");
        assert!(shown.contains("value: ") || !shown.contains("\nbest: "), "{shown}");
    }
    assert!(undecided >= each * marbles.len() as u32 * 5 / 7, "{undecided}");
}

/// If tables would decide an unknown value within days, `solve` suggests the command that states
/// their cost.
#[test]
fn tables_give_exact_values() {
    let few = ["--time", "0", "--proof-boards", "0", "--memory", "3500M"];
    let shown = |position: &str| run(&[&["solve", position], &few[..]].concat());
    let twelve = "1XX3/2O3/2X3/1XO1X1/5X/OO1O1O x";
    let err = shown(twelve).err;
    assert!(err.contains(&format!("cost:\n  pentago plan 'root:{twelve}'\n")), "{err}");
    assert!(run(&["plan", &format!("root:{twelve}")]).out.contains("\ndisk  "));
    // No tables are suggested if a build would take months, or if the value is known.
    for position in ["6/2X3/1O1O2/2X3/4X1/2O3 x", NEARLY_OVER] {
        let err = shown(position).err;
        assert!(!err.contains("exact values"), "{err}");
    }
}

/// Checks that proofs in which the attacker may use all free sockets can show that a player has no
/// win, as a search of all moves can.
#[test]
fn proofs_rule_out_wins_and_losses() {
    let position = "X1O3/2X2X/5X/1O2O1/1OXOOX/2OX2 x";
    let options = ["--memory", "500M", "--time", "3", "--proofs-only", "--proof-boards", "1000000"];
    let object = solve(&[&[position], &options[..]].concat());
    let proved = serde_json::json!({"no_win_within": 5, "no_loss_within": 6});
    assert_eq!(object["proved"], proved);
    assert!(moves(&object).iter().all(|m| text(m, "value") != "unknown" || m["proved"] == proved));
    let shown = run(&[&["solve", "--quiet", position], &options[..]].concat()).ok();
    assert!(shown.contains("\nunknown: no win within 5 plies, no loss within 6; the full"), "{shown}");
    // A search of all moves also shows that a player has no win.
    let object = solve(&[position, "--depth", "4", "--time", "1"]);
    assert_eq!(object["proved"], serde_json::json!({"no_win_within": 4, "no_loss_within": 4}));
}

#[test]
fn a_finished_game_and_a_pending_turn() {
    let over = solve(&["OO1OO1/6/6/6/6/XXXXX1 o"]);
    assert_eq!(text(&over, "value"), "loss");
    assert!(moves(&over).is_empty());
    let shown = run(&["solve", "OO1OO1/6/6/6/6/XXXXX1 o"]).ok();
    assert!(shown.ends_with("\nthe game is over: x has won (5 in a row)\n"));

    let pending = solve(&["1OOXOO/XOXO1O/XOOX1X/OX1O1X/1XX1X1/OX1XXO x turn"]);
    assert_eq!(pending["pending"], true);
    assert_eq!(moves(&pending).len(), 8);
    assert!(text(&moves(&pending)[0], "move").starts_with('/'));
}

#[test]
fn text_for_a_person() {
    let run = run(&["solve", LATE]);
    assert!(run.err.contains(" boards in "), "{}", run.err);
    let out = run.ok();
    let (listed, rest) = out.split_once("\n\n").unwrap();
    let object = solve(&[LATE]);
    let shown: Vec<(&str, &str)> = listed
        .lines()
        .flat_map(|line| {
            let mut words = line.split_whitespace();
            let value = words.next().unwrap();
            words.map(move |m| (value, m))
        })
        .collect();
    let reported: Vec<(&str, &str)> =
        moves(&object).iter().map(|m| (text(m, "value"), text(m, "move"))).collect();
    assert_eq!(shown, reported);
    let expected = "  a b c   d e f
6 . O O | X O O
5 X O X | O . O
4 X O O | X . X
  ------+------
3 O X . | O . X
2 . X X | . X .
1 O X . | X . O

x to move
value: win for x
best: e5/1- e4/1- a2/2+ d2/3+ d2/3- (5 of 80 moves)
";
    assert_eq!(rest, expected);
}

#[test]
fn positions_in_every_form() {
    let expected = solve(&[LATE]);
    let diagram = run(&["solve", "--quiet", LATE]).ok();
    let (_, from_board) = diagram.split_once("\n\n").unwrap();
    let (board, _) = from_board.split_once("\n\n").unwrap();
    let read = run_with(&["solve", "--json", "-"], format!("{board}\nx to move\n").as_bytes()).ok();
    assert_eq!(objects(&read)[0]["moves"], expected["moves"]);
    let compact = ".OOXOOXOXO.OXOOX.XOX.O.X.XX.X.OX.X.O";
    assert_eq!(solve(&[compact])["moves"], expected["moves"]);
}

#[test]
fn bad_input_is_shown_with_its_place() {
    let err = run(&["solve", "OO1qO1/6/6/6/6/XXXX2"]).fails(2);
    let expected = "error: unexpected character 'q': expected X, O, or 1 to 6 for a run of empty sockets
  OO1qO1/6/6/6/6/XXXX2
     ^
";
    assert_eq!(err, expected);
    assert!(run_with(&["solve", "-"], b"\xff\xfe").fails(2).contains("UTF-8"));
    let empty = "error: the position is empty: expected rows from the top, as in 6/6/6/6/6/6 x\n";
    assert_eq!(run_with(&["solve", "-"], b" ").fails(2), empty);
    assert!(run_with(&["solve", "-"], &[b'X'; 10_000]).fails(2).contains("more than 4096"));
}

/// The position is too large to be solved, but the moves that lose immediately are known.
#[test]
fn a_win_at_once_leaves_the_other_moves_open_to_a_reply() {
    let answer = &json(&["query", NEARLY_OVER, "--json"]);
    let moves = answer["moves"].as_array().unwrap();
    let count = |value: &str| moves.iter().filter(|m| m["value"] == value).count();
    assert_eq!((answer["value"].as_str(), count("win"), count("loss")), (Some("win"), 1, 208));
}

#[test]
fn too_little_memory_says_what_would_fit() {
    let position = &positions("pentago", 18, 1, 5)[0];
    let err = run(&["solve", position, "--memory", "100M", "--exact"]).fails(4);
    assert!(err.starts_with("error: the full solution takes "), "{err}");
    assert!(err.contains("(86,574,831 boards), but the limit is 100.0 MB"), "{err}");
    assert!(err.contains("\n  otherwise, raise the limit with --memory "), "{err}");
    // The suggested depth fits in memory, but a depth of one ply more does not.
    let depth: usize = err.split_once("--depth ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
    let deeper = (depth + 1).to_string();
    let err = run(&["solve", position, "--memory", "100M", "--depth", &deeper]).fails(4);
    assert!(err.starts_with(&format!("error: searching {deeper} plies takes ")), "{err}");
    assert!(err.contains(&format!("--depth {depth} would fit")), "{err}");
    // Without `--exact`, proofs and shallower searches give an answer that may be partial.
    let answer = &json(&["solve", position, "--memory", "100M", "--proof-boards", "0", "--json"]);
    assert_eq!((answer["value"].as_str(), answer["plies"].as_u64()), (Some("win"), Some(1)));

    let err = run(&["solve", "6/6/6/6/6/6", "--exact"]).fails(4);
    assert!(err.contains("no machine has that much"), "{err}");
    let err = run(&["solve", LATE, "--memory", "1k"]).fails(4);
    assert!(!err.contains("--depth") && err.contains("--memory"), "{err}");
}
