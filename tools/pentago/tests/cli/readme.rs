//! Runs the commands in the documents, in order and exactly as printed.

use std::fs;
use std::path::Path;

use crate::common::{program, words};

/// Returns the text of a document, given its path from the root of the project.
fn document(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).expect(path)
}

/// Runs the commands of a document in a folder, with an empty standard input. Commands that begin
/// with an entry of `left_out` are skipped. Each entry of `names` must occur among the commands.
fn run_all(text: &str, names: &[&str], left_out: &[&str], folder: &Path) {
    // The fences split the text, and every second part is the content of a fenced block.
    let fenced = text.split("```").skip(1).step_by(2).filter(|block| block.starts_with("sh\n"));
    let mut root = String::new();
    let mut commands = Vec::new();
    for line in fenced.flat_map(|block| block.lines().skip(1)) {
        let line = line.split("  #").next().unwrap().trim_end();
        // `R` is the only variable in the documents.
        if let Some(value) = line.strip_prefix("R=") {
            root = words(value).concat();
        } else if line.starts_with("pentago ") {
            commands.push(line.replace("$R", &root));
        }
    }
    let is = |command: &str, name: &str| command.split(' ').nth(1) == Some(name);
    let begins = |command: &str, name: &str| command["pentago ".len()..].starts_with(name);
    for name in names.iter().chain(left_out) {
        assert!(commands.iter().any(|command| begins(command, name)), "{name} is shown");
    }
    // The tests contact no host, so skip commands with an address.
    for command in commands.iter().filter(|command| !command.contains("https://")) {
        if left_out.iter().any(|name| begins(command, name)) {
            continue;
        }
        let run = program().current_dir(folder).args(&words(command)[1..]).output().unwrap();
        assert!(run.status.success(), "{command}: {}", String::from_utf8_lossy(&run.stderr));
        let out = String::from_utf8_lossy(&run.stdout);
        if is(command, "query") {
            assert!(out.contains("source: table"), "{command}: {out}");
        }
    }
}

/// The commands of each document that take seconds in a development build. Other tests cover these
/// commands with less work.
const SLOW_IN_README: [&str; 3] = ["solve \"3OX1/", "random", "plan"];
const SLOW_IN_GAMES: [&str; 3] = ["solve", "build pente", "query \"4/4/4/4 x\""];
const SLOW_IN_TABLES: [&str; 3] = ["verify", "random", "export --tables tables --marbles 26 --format"];

/// A command that never ends by itself: the server.
const README_NEVER: [&str; 1] = ["serve"];
/// `import` needs published files, which are missing here. Counting whole games takes seconds.
const TABLES_NEVER: [&str; 2] = ["import", "verify tables --counts"];

#[test]
fn the_readme_has_two_screens_and_its_commands_work() {
    let folder = tempfile::tempdir().unwrap();
    let text = document("README.md");
    assert!(text.lines().count() <= 200, "what is longer belongs to docs/");
    let left_out = [&README_NEVER[..], &SLOW_IN_README].concat();
    run_all(&text, &["solve", "play", "build", "verify", "prove"], &left_out, folder.path());
}

#[test]
fn the_commands_about_the_other_games_work() {
    let folder = tempfile::tempdir().unwrap();
    run_all(&document("docs/games.md"), &["play", "build", "query"], &SLOW_IN_GAMES, folder.path());
}

#[test]
fn the_commands_about_tables_work() {
    let folder = tempfile::tempdir().unwrap();
    let left_out = [&TABLES_NEVER[..], &SLOW_IN_TABLES].concat();
    run_all(&document("docs/tables.md"), &["build", "info", "export"], &left_out, folder.path());
    let chart = fs::read_to_string(folder.path().join("tables.svg")).unwrap();
    assert!(chart.starts_with("<svg"));
}

#[test]
#[ignore = "long: finds a slow command in the documents that fails"]
fn long_all_commands_of_the_documents_work() {
    for (path, never) in
        [("README.md", &README_NEVER[..]), ("docs/games.md", &[]), ("docs/tables.md", &TABLES_NEVER)]
    {
        let folder = tempfile::tempdir().unwrap();
        run_all(&document(path), &[], never, folder.path());
    }
}
