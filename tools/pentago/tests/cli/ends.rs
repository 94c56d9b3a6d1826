//! How the program ends: its status, a reader that leaves, Ctrl-C.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{program, run};

/// Eighteen free sockets: this takes seconds, and 0.4 GB.
const LONG: &str = "O1OX2/2X1OX/2OOXX/X4X/2O1XO/OO1X2 x";

#[test]
fn no_command_is_a_usage_error() {
    assert!(run(&[]).fails(2).contains("Usage: pentago <COMMAND>"));
    assert!(run(&["slove"]).fails(2).contains("solve"));
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    for arguments in [
        &["random", "--marbles", "20", "--count", "100000"][..],
        &["perft", "6/6/6/6/6/6", "2", "--divide"],
        &["completions", "zsh"],
        &["rules"],
    ] {
        let mut child = program().args(arguments).spawn().expect("the program runs");
        let mut first = String::new();
        let mut out = BufReader::with_capacity(16, child.stdout.take().unwrap());
        out.read_line(&mut first).unwrap();
        drop(out);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(!err.contains("error") && !err.contains("panic"), "{arguments:?}: {err}");
    }
}

/// Sends what Ctrl-C sends, and waits for the end. What ignored it would end with another status, or
/// never.
#[cfg(unix)]
fn interrupt(child: &mut Child) {
    // Time to begin.
    std::thread::sleep(Duration::from_millis(300));
    let id = child.id().to_string();
    assert!(child.try_wait().unwrap().is_none(), "still at work");
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill is there").success());
    child.wait().unwrap();
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_130() {
    for arguments in [
        &["solve", LONG, "--distance", "--kernel", "portable", "--threads", "1"][..],
        &["perft", "6/6/6/6/6/6", "9", "--threads", "1"],
        // These wait for input.
        &["play"],
        &["solve", "-"],
        &["solve", "--batch"],
    ] {
        let mut child = program().args(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        interrupt(&mut child);
        let output = child.wait_with_output().unwrap();
        drop(input);
        assert_eq!(output.status.code(), Some(130), "{arguments:?}");
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(err.ends_with("stopped\n"), "{arguments:?}: {err}");
    }
}
