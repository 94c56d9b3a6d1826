//! A game outside of the program's list, `examples/ring.rs`, works in every command without tables.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use serde_json::Value;

use crate::common::program_at;
use crate::serve::Server;

/// The program with the additional game, built here if it doesn't exist yet.
static RING: LazyLock<PathBuf> = LazyLock::new(|| {
    let name = format!("ring{}", std::env::consts::EXE_SUFFIX);
    let path = Path::new(env!("CARGO_BIN_EXE_pentago")).with_file_name("examples").join(name);
    if !path.exists() {
        let build = ["build", "-q", "-p", "pentago-cli", "--example", "ring"];
        assert!(Command::new(env!("CARGO")).args(build).status().is_ok_and(|status| status.success()));
    }
    path
});

fn ring(arguments: &[&str], input: &str) -> String {
    let mut child = program_at(&RING).args(arguments).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Returns the value for the side to move by its definition: a search of all moves to the end.
fn value(cells: [u8; 9], mover: u8) -> i8 {
    const LINES: [[usize; 3]; 8] =
        [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
    let line = |of: u8| i8::from(LINES.iter().any(|l| l.iter().all(|&at| cells[at] == of)));
    let other = 3 - mover;
    if line(1) + line(2) > 0 || !cells.contains(&0) {
        return line(mover) - line(other);
    }
    let mut best = -1;
    for at in (0..9).filter(|&at| cells[at] == 0) {
        let mut placed = cells;
        placed[at] = mover;
        let [a, b, c, d, e, f, g, h, i] = placed;
        for turned in [[d, a, b, g, e, c, h, i, f], [b, c, f, a, e, i, d, g, h]] {
            best = best.max(-value(turned, other));
        }
    }
    best
}

#[test]
fn values_are_those_of_all_moves_to_the_end() {
    let drawn = ring(&["random", "--rules", "ring", "--marbles", "4", "--count", "12", "--seed", "2"], "");
    let answers = ring(&["solve", "--rules", "ring", "--batch"], &drawn);
    assert_eq!(answers.lines().count(), 12);
    for answer in answers.lines().map(json) {
        let text = answer["position"].as_str().unwrap();
        let (mut cells, mut at) = ([0; 9], 0);
        for c in text.chars().take_while(|&c| c != ' ').filter(|&c| c != '/') {
            match c.to_digit(10) {
                Some(run) => at += run as usize,
                None => {
                    cells[at] = if c == 'x' { 1 } else { 2 };
                    at += 1;
                }
            }
        }
        let mover = if text.ends_with('x') { 1 } else { 2 };
        let expected = ["loss", "draw", "win"][(value(cells, mover) + 1) as usize];
        assert_eq!(answer["value"], expected, "{text}");
    }
}

#[test]
fn every_command_without_tables_knows_the_game() {
    let early = json(&ring(&["solve", "--rules", "ring", "--json", "--distance", "x2/1o1/3 x"], ""));
    assert!(early["value"] != "unknown" && early["rules"] == "ring", "{early}");
    assert_eq!(early["moves"].as_array().map(Vec::len), Some(14));
    assert!(ring(&["solve", "--rules", "ring", "xx1/1o1/3 o"], "").contains("value:"));
    assert!(ring(&["perft", "--rules", "ring", "3/3/3 x", "2"], "").contains("288"));
    let orbit = ring(&["symmetries", "--rules", "ring", "x2/3/3 o"], "");
    assert!(orbit.contains("2/3/3 o") || orbit.contains("x2/3/3 o"), "{orbit}");
    assert!(ring(&["rules"], "").contains("outer ring turns"));
    let play = ["play", "--rules", "ring", "--time", "20", "--position", "x2/1o1/3 x"];
    let played = ring(&play, "a1+\nquit\n");
    assert!(played.contains("x> a1+") && played.contains("(a draw)"), "{played}");
    let server = Server::of(program_at(&RING), &[]);
    let answer = server.get("/api/v1/position?rules=ring&p=xx1/1o1/3%20o");
    assert_eq!(
        answer["value"],
        json(&ring(&["solve", "--rules", "ring", "--json", "xx1/1o1/3 o"], ""))["value"]
    );
}
