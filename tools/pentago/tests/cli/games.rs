//! Pentago XL and Pente at the same commands, and certificates.

use serde_json::Value;

use crate::common::run;

const XL: &str = "A3B4/4AAA2/1B7/6B2/9/6B2/3A2A2/B8/8B a";
const LATE: &str = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o";

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&run(arguments).ok()).expect("an object")
}

#[test]
fn a_small_board_of_pente_is_solved_in_full() {
    let answer = json(&["solve", "--json", "--distance", "--rules", "pente:n=3,k=3,opening=free", "3/3/3 x"]);
    // Tic-tac-toe with captures that never happen.
    assert_eq!(answer["value"], "draw");
    assert_eq!(answer["moves"].as_array().unwrap().len(), 9);
    assert_eq!(answer["captures"]["x"], 0);
    assert!(answer["proved"].is_null());
}

#[test]
fn seats_of_pentago_xl_have_values() {
    let position = run(&["random", "--rules", "xl", "--marbles", "78", "--seed", "4"]).ok();
    let answer = json(&["solve", "--json", "--rules", "xl", position.trim()]);
    assert_ne!(answer["value"], "unknown");
    let seats = &answer["seats"];
    let mover = answer["to_move"].as_str().unwrap().to_uppercase();
    assert_eq!(seats[&mover], answer["value"]);
    let other = if mover == "A" { "B" } else { "A" };
    let opposite = match answer["value"].as_str().unwrap() {
        "win" => "loss",
        "loss" => "win",
        other => other,
    };
    assert_eq!(seats[other], opposite);
    let text = run(&["solve", "--rules", "xl", position.trim()]).ok();
    assert!(text.contains("seats: A "), "{text}");
}

#[test]
fn games_are_counted() {
    let xl = run(&["perft", "--rules", "xl", "9/9/9/9/9/9/9/9/9 a", "1", "--quiet"]);
    assert_eq!(xl.ok(), "0 1\n1 1296\n");
    let pente = run(&["perft", "--rules", "pente:n=5,opening=free", "5/5/5/5/5 x", "3", "--quiet"]);
    assert_eq!(pente.ok(), "0 1\n1 25\n2 600\n3 13800\n");
    let divided =
        run(&["perft", "--divide", "--rules", "pente:n=5,opening=free", "5/5/5/5/5 x", "2", "-q"]).ok();
    assert!(divided.ends_with("\ntotal 600\n"), "{divided}");
}

#[test]
fn symmetries_of_other_boards() {
    let xl = json(&["symmetries", "--json", "--rules", "xl", XL]);
    assert_eq!(xl["board"]["order"], 8);
    let pente = run(&["symmetries", "--rules", "pente:n=5,opening=free", "5/5/5/5/5 x"]).ok();
    assert!(pente.contains("orbit      1\n"), "{pente}");
}

#[test]
fn lines_of_other_games_are_answered_one_by_one() {
    let input = "3/3/3 x\n# a comment\n\nnonsense\nXOX/OXO/X2 o\n";
    let answers = crate::common::run_with(
        &["solve", "--batch", "--json", "--rules", "pente:n=3,k=3,opening=free"],
        input.as_bytes(),
    )
    .ok();
    let lines: Vec<Value> = answers.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["value"], "draw");
    assert_eq!(lines[1]["line"], 4);
    assert!(lines[1]["error"].is_string());
}

#[test]
fn what_is_proved_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("win.certificate");
    let path = file.to_str().unwrap();
    run(&["prove", LATE, "--out", path]).ok();
    let bytes = std::fs::read(&file).unwrap();
    pentago_check::check(&bytes).expect("the checker agrees");
    // The same position from the other side: nothing to prove.
    let error = run(&["prove", "--rules", "mini", "XOXO/OXOX/XOXO/OX2 x", "--out", "-"]).fails(3);
    assert!(error.contains("no such win"), "{error}");
    assert!(run(&["prove", "nonsense"]).fails(2).contains("nonsense"));
}

#[test]
fn commands_that_know_one_game_say_so() {
    let error = run(&["query", "--rules", "xl", XL]).fails(2);
    assert!(error.contains("Pentago XL"), "{error}");
    let error = run(&["solve", "--rules", "xl:seats=9", XL]).fails(2);
    assert!(error.contains("seats"), "{error}");
    let error = run(&["solve", "--rules", "pente", "nonsense"]).fails(2);
    assert!(error.contains('^'), "{error}");
}
