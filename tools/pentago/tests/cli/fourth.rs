//! The game of `examples/ring.rs`, which is not part of the program, works in every command that
//! needs no tables.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use serde_json::Value;

use crate::common::program_at;
use crate::serve::Server;

/// The path of the program with the additional game. The program is built here if it doesn't exist
/// yet.
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
    let solved = json(&ring(&["solve", "--rules", "ring", "--json", "xx1/1o1/3 o"], ""));
    assert_eq!(answer["value"], solved["value"]);
}
