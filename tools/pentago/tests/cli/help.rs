//! The help texts: every command has a help text with an example. Five help texts are compared word
//! for word.

use std::fs;
use std::path::Path;

use crate::common::{Folder, program, run, sh};

#[test]
fn of_every_command() {
    let short = run(&["-h"]).ok();
    let (commands, _) = short.split_once("\nOptions:").unwrap();
    let names = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let commands: Vec<&str> = names.filter(|&name| !name.is_empty() && name != "help").collect();
    assert_eq!(commands.len(), 23, "{commands:?}");
    for command in commands {
        let output = program().args([command, "--help"]).env("COLUMNS", "80").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains("\nExample"), "{command}: {text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{command}: {text}");
        // The default memory limit of `ugi` is the default of its option `hash`.
        assert!(command != "ugi" || text.contains("[default: 64MiB]") && !text.contains("7/8"), "{text}");
    }
}

#[test]
fn lists_fit_on_a_narrow_terminal() {
    let out: &str = &Folder::of("mini");
    for line in [
        "rules",
        "plan mini",
        "info OUT",
        "info OUT --counts",
        "info OUT --counts --sections",
        "verify OUT --full --marbles 3",
    ] {
        let line = line.replace("OUT", out);
        let text = sh(&line).ok();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{line}: {text}");
    }
}

/// Set `UPDATE_HELP=1` to rewrite the expected texts: `UPDATE_HELP=1 cargo test -p pentago-cli
/// help`.
#[test]
fn word_for_word() {
    for name in ["pentago", "solve", "query", "build", "verify"] {
        let arguments = if name == "pentago" { &["--help"][..] } else { &[name, "--help"] };
        let text = run(arguments).ok();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cli/help/{name}.txt"));
        if std::env::var_os("UPDATE_HELP").is_some() {
            fs::write(&file, &text).unwrap();
        }
        assert_eq!(text, fs::read_to_string(&file).unwrap(), "{name}");
    }
}

#[test]
fn version() {
    assert_eq!(run(&["--version"]).ok(), concat!("pentago ", env!("CARGO_PKG_VERSION"), "\n"));
}
