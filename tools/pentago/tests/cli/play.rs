//! `pentago play` through a pipe.

use std::path::Path;

use crate::common::{Folder, Run, positions, run_with, solve};

pub fn play(arguments: &[&str], lines: &[&str]) -> Run {
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    run_with(&[&["play", "--time", "0"], arguments].concat(), input.as_bytes())
}

/// Returns the lines of output that follow the prompts of a side, without the prompts.
pub fn said<'a>(out: &'a str, side: &str) -> Vec<&'a str> {
    out.lines().filter_map(|line| line.strip_prefix(side)?.strip_prefix("> ")).collect()
}

#[test]
fn a_short_session() {
    let out = play(&[], &["help", "hepl", "c9/2+", "c4", "c4/2+", "hint", "board", "quit"]).ok();
    assert!(out.starts_with("You are x. Type a move such as c4/2+, or help.\n"));
    assert!(out.contains("\n  undo       take back your last move\n"));
    assert!(out.contains("\nUnknown command hepl: try help.\n"));
    assert!(out.contains("expected a rank, 1 to 6, after the file\n  c9/2+\n   ^\n"));
    assert!(out.contains("\nIllegal move: this placement does not end the game"));
    assert!(out.contains("\nTry "));
    assert_eq!(said(&out, "o").len(), 1, "the solver replies once");
    assert!(said(&out, "o")[0].ends_with("(loses against best play)"), "{out}");
    assert!(out.ends_with("\nBye.\n"));
}

#[test]
fn the_end_of_the_input_ends_politely() {
    assert!(play(&[], &[]).ok().ends_with("\nx> \nBye.\n"));
    assert!(play(&[], &["c4/2+"]).ok().ends_with("\nBye.\n"));
}

#[test]
fn undo_save_and_load() {
    let folder = Folder::new();
    let (game, foreign) = (folder.at("a game.txt"), folder.at("foreign.txt"));
    std::fs::write(&foreign, "my diary\n").unwrap();
    let save = format!("save {game}");
    let out = play(&["--side", "o"], &["undo", "a1/1-", "undo", "f6/4+", &save, &save]).ok();
    assert!(out.contains("\nYou have no move to take back.\n"));
    assert_eq!(out.matches(&format!("Saved {game}.")).count(), 2);
    let text = std::fs::read_to_string(&game).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..4], ["[Game \"Pentago\"]", "[Rules \"pentago\"]", "[Result \"*\"]", ""]);
    let words: Vec<&str> = lines[4].split(' ').collect();
    assert_eq!((words[2], words.len()), ("f6/4+", 6), "the move that was taken back is gone: {text}");
    assert_eq!(said(&out, "x").last().unwrap().split(' ').next(), Some(words[4]));

    let out = play(&["--side", "o"], &[&format!("load {game}")]).ok();
    assert!(out.contains("\nLoaded 3 moves, rules pentago.\n"));

    let out =
        play(&[], &[&format!("save {foreign}"), &format!("load {foreign}"), "save", "load -", "load /none"])
            .ok();
    let nowhere = play(&[], &["save /no/such/folder/game", "quit"]).ok();
    assert!(nowhere.contains("game: there is no folder /no/such/folder\n"), "{nowhere}");
    assert!(out.contains("exists already and isn't this game: choose another name"));
    assert!(out.contains("foreign.txt: line 1: my: this is no game"));
    assert!(
        ["save", "load"]
            .iter()
            .all(|word| out.contains(&format!("The name of a file is missing: {word} FILE")))
    );
    assert!(out.contains("loading /none: No such file"));
    // A save replaces only the same game. An error in a command doesn't end the session.
    let out = play(&["--memory", "1M"], &["hint", "undo 2", "a1/1+", &save]).ok();
    assert!(out.contains("the limit is 1.0 MB") && out.contains("undo stands alone: leave out 2."), "{out}");
    assert!(out.contains("isn't this game") && std::fs::read_to_string(&game).unwrap() == text, "{out}");
    assert_eq!(std::fs::read_to_string(Path::new(&foreign)).unwrap(), "my diary\n");
}

#[test]
fn a_loaded_game_brings_its_rules() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mini.txt");
    std::fs::write(&file, "rules mini\nstart 4/4/4/4\n\n# a comment\na1/1+\n").unwrap();
    let load = format!("load {}", file.to_str().unwrap());
    let out = play(&[], &[&load]).ok();
    assert!(out.contains("\nLoaded 1 move, rules mini.\n"));
    assert_eq!(said(&out, "o").len(), 1);
    std::fs::write(&file, "rules mini\nstart 4/4/4/4\na1/1+\na1/2+\n").unwrap();
    assert!(play(&[], &[&load]).ok().contains("line 4: a1/2+: this socket holds a marble of X"));
}

#[test]
fn the_solver_wins_at_once_where_it_can() {
    let arguments = ["--side", "o", "--position", "OO1OO1/6/6/6/6/XXXX2 x"];
    let out = play(&arguments, &["a1/1+", "hint", "moves"]).ok();
    assert!(out.contains("\nx> e1  (this wins)\n"));
    assert_eq!(out.matches("\nThe game is over: x has won (5 in a row).\n").count(), 3);
    assert!(out.contains("\nIllegal move: the game is over: x has won (5 in a row).\n"));
}

#[test]
fn the_solver_does_not_lose_at_once_where_it_need_not() {
    for position in positions("pentago", 13, 2, 4) {
        let out = play(&["--position", &position, "--side", "x"], &[]).ok();
        let reply = said(&out, "o")[0].split(' ').next().unwrap();
        let seen = solve(&[&position, "--depth", "2", "--time", "1"]);
        let moves = seen["moves"].as_array().unwrap();
        let value = |name: &str| moves.iter().find(|m| m["move"] == name).unwrap()["value"].clone();
        // The moves are listed with the best move first.
        let first = &moves[0]["value"];
        assert!(value(reply) == *first || value(reply) != "loss" && first != "win", "{position} {reply}");
    }
}

#[test]
fn a_turn_that_is_pending_is_made() {
    let out = play(&["--position", "X5/6/6/6/6/6 x turn"], &["c4/2+", "/1+", "quit"]).ok();
    assert!(out.contains("Illegal move: the marble of this move has been placed already"));
    assert_eq!(said(&out, "o").len(), 1);
}
