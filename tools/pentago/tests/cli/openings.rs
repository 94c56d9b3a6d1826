//! The published values of the first plies, which are part of the program. `solve`, `query` and
//! `play` use these values without tables.

use crate::common::{Folder, objects, positions, run, run_with, sh, solve};

#[test]
fn solve_knows_the_first_moves() {
    let answer = solve(&["6/6/6/6/6/6"]);
    assert_eq!((&answer["value"], &answer["source"]), (&"win".into(), &"published".into()));
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 288);
    assert!(moves.iter().all(|m| m["source"] == "published" && m["value"] != "unknown"));
    // The values are published, so no board was computed.
    assert_eq!(answer["boards"], 0);
    let shown = run(&["solve", "6/6/6/6/6/6", "--quiet"]).ok();
    assert!(shown.contains("value: win for x") && shown.ends_with("source: published\n"), "{shown}");
    // Try a position whose turn is pending, and a batch.
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

/// With tables, `play` finds a value that a search with a time limit of 0 can't find.
#[test]
fn play_uses_tables() {
    let folder = Folder::new();
    let position = sh("random --marbles 22 --quiet-positions --seed 1").ok().trim().to_owned();
    sh(&format!("build 'root:{position}' --keep 23 --out {} --quiet", &*folder)).ok();
    let play = format!("play --side o --time 0 --position '{position}'");
    let blind = sh(&play).ok();
    assert!(blind.contains("(no win or loss within"), "{blind}");
    let seeing = sh(&format!("{play} --tables {}", &*folder)).ok();
    let words = match solve(&[&position])["value"].as_str() {
        Some("win") => "(this wins)",
        Some("draw") => "(a draw)",
        _ => "(loses against best play)",
    };
    assert!(seeing.contains(words), "{seeing}");
}
