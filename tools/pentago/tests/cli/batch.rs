//! `pentago solve --batch`: each line of input has one line of output.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::common::{Run, objects, positions, program, run_with};

#[test]
fn answers_come_in_order_also_behind_large_positions() {
    // Positions with 14 free sockets are too large for one thread.
    let mut lines = positions("pentago", 27, 40, 1);
    lines.insert(3, positions("pentago", 22, 1, 2).remove(0));
    lines.insert(20, positions("pentago", 22, 1, 3).remove(0));
    let out = run_with(&["solve", "--batch", "--threads", "3"], lines.join("\n").as_bytes()).ok();
    let objects = objects(&out);
    assert_eq!(objects.len(), lines.len());
    for (object, line) in objects.iter().zip(&lines) {
        assert_eq!(object["position"], line.as_str());
        assert_ne!(object["value"], "unknown");
    }
}

#[test]
fn bad_lines_are_reported_and_passed() {
    let input = b"\xef\xbb\xbf# a comment\n\nOO1OO1/6/6/6/6/XXXXX1 o\nnonsense\r\nOO1\xff\n  6/6/6/6/6/6q\n\
        X5/6/6/6/6/O5 o\nOO1OO1/6/6/6/6/XXXXX1 o";
    let Run { out, err, code } = run_with(&["solve", "--batch"], input);
    assert_eq!(code, Some(2));
    assert!(
        err.starts_with("error: 6 positions, 4 errors, ") && err.contains("/s; line 4: not a pos"),
        "{err}"
    );
    let objects = objects(&out);
    let lines: Vec<Option<u64>> = objects.iter().map(|object| object["line"].as_u64()).collect();
    assert_eq!(lines, [None, Some(4), Some(5), Some(6), Some(7), None]);
    assert!(objects[1]["error"].as_str().unwrap().starts_with("not a position"));
    assert_eq!(objects[3]["column"], 14);
    assert!(objects[4]["error"].as_str().unwrap().contains("it is X's move"));
    for arguments in [["solve", "--batch"], ["solve", "-"]] {
        let marked = run_with(&arguments, "\u{feff}OO1OO1/6/6/6/6/XXXXX1 o".as_bytes()).ok();
        assert!(marked.contains("loss") || marked.contains("x has won"), "{marked}");
    }
    for over in [&objects[0], &objects[5]] {
        assert_eq!((&over["value"], &over["moves"]), (&"loss".into(), &serde_json::json!([])));
    }
}

#[test]
fn a_line_may_be_too_long_and_a_position_too_large() {
    let late = &positions("pentago", 28, 1, 1)[0];
    let large = &positions("pentago", 18, 1, 1)[0];
    let [long, blank] = ["X", " "].map(|text| text.repeat(1_000_000));
    let input = format!("{long}\n{large}\n{late}\n{blank}{late}\n#{blank}\n");
    let solve = ["solve", "--batch", "--exact", "--memory", "50M"];
    assert_eq!(run_with(&solve, large.as_bytes()).code, Some(4));
    let Run { out, code, .. } = run_with(&solve, input.as_bytes());
    assert_eq!(code, Some(2), "the first of two errors decides");
    let [long, large, late, blank] = &objects(&out)[..] else { panic!("four lines: {out}") };
    for long in [long, blank] {
        assert!(long["error"].as_str().unwrap().contains("more than 4096 bytes"));
    }
    assert!(large["error"].as_str().unwrap().contains("--memory"));
    assert_eq!(large["line"], 2);
    assert!(late["moves"].is_array());
}

#[test]
fn an_answer_does_not_wait_for_the_next_line() {
    let mut child =
        program().args(["solve", "--batch"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for position in positions("pentago", 30, 3, 1) {
        writeln!(stdin, "{position}").unwrap();
        stdin.flush().unwrap();
        assert!(lines.next().unwrap().unwrap().contains(&position));
    }
    drop(stdin);
    assert!(lines.next().is_none());
    assert!(child.wait().unwrap().success());
}

#[test]
fn options_hold_for_every_line() {
    let lines = positions("mini", 8, 5, 1).join("\n");
    let out = run_with(&["solve", "--batch", "--distance", "--rules", "mini"], lines.as_bytes()).ok();
    for object in objects(&out) {
        assert_eq!(object["rules"], "mini");
        assert!(object["line"].is_array());
    }
    let Run { out, err, .. } =
        run_with(&["solve", "--batch", "--depth", "1", "--time", "0"], b"6/6/6/6/6/6\n");
    assert!(err.starts_with("1 position, 0 errors, ") && err.ends_with("/s\n"), "{err}");
    assert_eq!(objects(&out)[0]["proved"]["no_win_within"], 1);
}
