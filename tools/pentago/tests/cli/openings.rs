//! The published values of the first plies, which are part of the program, in `solve`, `query` and
//! `play` without tables.

use crate::common::{objects, positions, run, run_with, solve};

#[test]
fn solve_knows_the_first_moves() {
    let answer = solve(&["6/6/6/6/6/6"]);
    assert_eq!((&answer["value"], &answer["source"]), (&"win".into(), &"published".into()));
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 288);
    assert!(moves.iter().all(|m| m["source"] == "published" && m["value"] != "unknown"));
    // No board was computed.
    assert_eq!(answer["boards"], 0);
    let shown = run(&["solve", "6/6/6/6/6/6", "--quiet"]).ok();
    assert!(shown.contains("value: win for x") && shown.ends_with("source: published\n"), "{shown}");
    // A pending turn, and a batch.
    let pending = solve(&["X5/6/6/6/6/6 x turn"]);
    assert_eq!((&pending["value"], &pending["source"]), (&"draw".into(), &"published".into()));
    let late = &positions("pentago", 28, 1, 1)[0];
    let lines = objects(&run_with(&["solve", "--batch"], format!("6/6/6/6/6/6\n{late}\n").as_bytes()).ok());
    assert_eq!(lines[0]["source"], "published");
    assert_eq!(lines[1]["source"], "solved");
}

#[test]
fn query_needs_no_tables() {
    let home = tempfile::tempdir().unwrap();
    let query = |position: &str| {
        let mut command = crate::common::program();
        command.env("HOME", home.path()).env_remove("XDG_DATA_HOME");
        let output = command.args(["query", "--json", position]).output().unwrap();
        let [object] = &objects(&String::from_utf8_lossy(&output.stdout))[..] else { panic!("{output:?}") };
        object.clone()
    };
    let answer = query("6/1X4/6/3O2/6/6 x");
    assert_eq!(answer["source"], "published");
    assert!(answer["moves"].as_array().unwrap().iter().all(|m| m["value"] != "unknown"));
    let late = query("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o");
    assert_eq!((&late["value"], &late["source"]), (&"win".into(), &"solved".into()));
}

/// The program's replies in the first plies keep the published value.
#[test]
fn play_keeps_the_published_value() {
    for (moves, side) in [(&["c4/2+"][..], "x"), (&["a1/1+"], "x"), (&["a1/1+", "b2/3+"], "x"), (&[], "o")] {
        let mut lines: Vec<String> = moves.iter().map(|m| (*m).to_owned()).collect();
        lines.push("save game".to_owned());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("game.txt");
        *lines.last_mut().unwrap() = format!("save {}\n", file.display());
        run_with(&["play", "--side", side, "--time", "0"], lines.join("\n").as_bytes()).ok();
        let text = std::fs::read_to_string(&file).unwrap();
        let moves = text.split_once("\n\n").unwrap().1.split_whitespace();
        let played: Vec<&str> = moves.filter(|word| word.contains('/')).collect();
        assert!(!played.is_empty(), "{text}");
        // Each move of the program has the value of its position.
        let mut position = "6/6/6/6/6/6 x".to_owned();
        for (ply, m) in played.iter().enumerate() {
            let answer = solve(&[&position]);
            let of_solver = (ply % 2 == 1) == (side == "x");
            let found = answer["moves"].as_array().unwrap().iter().find(|found| found["move"] == **m);
            let found = found.unwrap();
            if of_solver {
                assert_eq!(found["value"], answer["value"], "{position} {m}");
            }
            position = found["position"].as_str().map(str::to_owned).unwrap();
        }
    }
}

/// With tables, `play` finds a value that a search without time can't find.
#[test]
fn play_uses_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    for seed in [1, 2] {
        let random = ["random", "--marbles", "22", "--quiet-positions", "--seed", &seed.to_string()];
        let position = &run(&random).ok().trim().to_owned();
        run(&["build", &format!("root:{position}"), "--keep", "23", "--out", path, "--quiet"]).ok();
        let usual = ["play", "--side", "o", "--time", "0", "--position", position];
        let blind = run(&usual).ok();
        assert!(blind.contains("(no win or loss within"), "{blind}");
        let seeing = run(&[&usual[..], &["--tables", path]].concat()).ok();
        let words = match solve(&[position])["value"].as_str() {
            Some("win") => "(this wins)",
            Some("draw") => "(a draw)",
            _ => "(lost against best play)",
        };
        assert!(seeing.contains(words), "{seeing}");
    }
    assert!(run(&["play", "--tables", "/no/such/folder"]).fails(3).contains("/no/such/folder"));
}
