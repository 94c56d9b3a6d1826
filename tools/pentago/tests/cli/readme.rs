//! The tutorials of the README: their commands run, one after the other, as they stand there.

use std::fs;
use std::path::Path;

use crate::common::program;

/// The words of a command line as a shell reads them: quotes of both kinds, nothing else that is
/// special.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().expect("there is a word").push(c),
        }
    }
    words
}

/// Runs the commands of a part of the README in a folder; each of those names must be among them.
/// The standard input is empty.
fn run_all(part: &str, names: &[&str], folder: &Path) {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = fs::read_to_string(readme).expect("there is a README");
    let (_, tutorial) = text.split_once(&format!("\n## {part}\n")).expect("it has this part");
    let (tutorial, _) = tutorial.split_once("\n## ").expect("which ends");
    // Every second piece is fenced.
    let fenced = tutorial.split("```").skip(1).step_by(2);
    let mut root = String::new();
    let mut commands = Vec::new();
    for line in fenced.flat_map(|block| block.lines().skip(1)) {
        // The one variable that is used.
        if let Some(value) = line.strip_prefix("R=") {
            root = words(value).concat();
        } else if line.starts_with("pentago ") {
            commands.push(line.replace("$R", &root));
        }
    }
    for name in names {
        assert!(commands.iter().any(|c| c.starts_with(&format!("pentago {name} "))), "{name} is shown");
    }
    for command in commands {
        let run = program().current_dir(folder).args(&words(&command)[1..]).output().expect("it runs");
        assert!(run.status.success(), "{command}: {}", String::from_utf8_lossy(&run.stderr));
        let out = String::from_utf8_lossy(&run.stdout);
        if command.starts_with("pentago query") {
            assert!(out.contains("source: table"), "{command}: {out}");
        }
    }
}

#[test]
fn the_commands_about_the_other_games_work() {
    let folder = tempfile::tempdir().expect("a folder");
    run_all("Pentago XL and Pente", &["solve", "play", "build", "query"], folder.path());
}

#[test]
fn the_commands_of_the_tutorial_work() {
    let folder = tempfile::tempdir().expect("a folder");
    run_all("Tables", &["build", "query", "info", "verify"], folder.path());
    let chart = fs::read_to_string(folder.path().join("tables.svg")).expect("the chart is there");
    assert!(chart.starts_with("<svg"));
}
