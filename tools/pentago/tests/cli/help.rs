//! The help texts, word for word: a file for each command.

use std::path::Path;

use snapbox::{Assert, Data};

use crate::common::run;

/// The commands that there are.
const COMMANDS: [&str; 24] = [
    "solve",
    "query",
    "build",
    "plan",
    "import",
    "merge",
    "publish",
    "info",
    "counts",
    "verify",
    "export",
    "play",
    "review",
    "convert",
    "ugi",
    "serve",
    "prove",
    "perft",
    "random",
    "symmetries",
    "rules",
    "bench",
    "completions",
    "man",
];

fn check(name: &str, arguments: &[&str]) {
    let text = run(arguments).ok();
    assert!(text.contains("\nExample"), "{name}: every command comes with an example");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cli/help/{name}.txt"));
    let assert = Assert::new().action_env(snapbox::assert::DEFAULT_ACTION_ENV);
    assert.eq(text, Data::read_from(&file, None));
}

#[test]
fn of_the_program() {
    check("pentago", &["--help"]);
    let short = run(&["-h"]).ok();
    for command in COMMANDS {
        assert!(short.contains(&format!("\n  {command} ")), "{command} is listed");
    }
}

#[test]
fn of_every_command() {
    for command in COMMANDS {
        check(command, &[command, "--help"]);
    }
}

#[test]
fn version() {
    assert_eq!(run(&["--version"]).ok(), concat!("pentago ", env!("CARGO_PKG_VERSION"), "\n"));
}
