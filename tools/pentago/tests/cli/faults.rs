//! Tables that other programs change while a batch or a server uses them. Each answer is the
//! undisturbed answer, or an error that names the file.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use serde_json::Value;

use crate::common::{Folder, objects, positions, program, run, run_with};
use crate::host::Host;
use crate::serve::{Server, timeless};

const FAULTS: [&str; 6] = ["cut", "overwritten", "copied", "replaced", "deleted", "unreadable"];

/// Applies a fault to a file that contains the bytes `whole`. Repeats the fault `copied` until
/// `ended` is set: it overwrites the file with the same bytes, as `cp` does.
fn disturb(fault: &str, file: &Path, whole: &[u8], ended: &AtomicBool) {
    match fault {
        "cut" => fs::OpenOptions::new().write(true).open(file).unwrap().set_len(700).unwrap(),
        "overwritten" => fs::write(file, whole.iter().map(|byte| !byte).collect::<Vec<_>>()).unwrap(),
        "copied" => {
            while !ended.load(SeqCst) {
                fs::write(file, whole).unwrap();
            }
        }
        // Another table takes the name of this table.
        "replaced" => replace(file, &fs::read(file.with_file_name("slice-16.pentago")).unwrap()),
        _ => {
            fs::remove_file(file).unwrap();
            if fault == "unreadable" {
                fs::create_dir(file).unwrap();
            }
        }
    }
}

/// Replaces a file as `docs/tables.md` recommends.
fn replace(file: &Path, bytes: &[u8]) {
    let _ = fs::remove_dir(file);
    fs::write(file.with_extension("new"), bytes).unwrap();
    fs::rename(file.with_extension("new"), file).unwrap();
}

/// Starts a batch. Returns a function that sends a position and returns its answer.
fn batch(tables: &str) -> impl FnMut(&str) -> Value {
    let mut program = program();
    program.args(["query", "--batch", "--rules", "mini", "--tables", tables]).stdin(Stdio::piped());
    let mut child = program.spawn().unwrap();
    let (mut to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    std::thread::spawn(move || child.wait());
    let mut lines = BufReader::new(from).lines();
    move |position| {
        writeln!(to, "{position}").unwrap();
        serde_json::from_str(&lines.next().expect("the batch lives").unwrap()).unwrap()
    }
}

/// Calls `ask` for 1,000 positions while the tables in `folder` change. Returns the number of
/// errors.
fn ask(folder: &Path, known: &[(String, Value)], mut ask: impl FnMut(&str) -> Value) -> usize {
    let mut errors = 0;
    let mut check = |(position, expected): &(String, Value), name: &str| {
        let answer = ask(position);
        let Some(error) = answer["error"].as_str() else {
            return assert!(timeless(answer) == *expected, "{position}");
        };
        assert!(!name.is_empty() && error.contains(name), "{position} {name}: {error}");
        errors += 1;
    };
    // The first answer comes after the program has opened the folder.
    check(&known[240], "");
    for (marbles, group) in known.chunks(30).enumerate() {
        // In every second group, the table is open when the fault begins.
        let (before, fault) = group.split_at(marbles % 2 * 5);
        before.iter().for_each(|known| check(known, ""));
        let name = format!("mini/slice-{:02}.pentago", marbles + 1);
        let file = folder.join(&name);
        let (whole, ended) = (fs::read(&file).unwrap(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let disturb = || disturb(FAULTS[marbles / 2 % 6], &file, &whole, &ended);
            let disturbing = scope.spawn(disturb);
            if marbles / 2 % 6 != 2 {
                disturbing.join().unwrap();
            }
            fault.iter().for_each(|known| check(known, &name));
            check(&known[(marbles + 8) % 16 * 30], "");
            ended.store(true, SeqCst);
        });
        replace(&file, &whole);
        group.iter().for_each(|known| check(known, ""));
    }
    errors
}

#[test]
fn changed_tables_cause_errors_for_their_positions_only() {
    let path: &str = &Folder::of("mini");
    run(&["publish", path, "--quiet"]).ok();
    let all: Vec<String> = (0..16).flat_map(|marbles| positions("mini", marbles, 30, 5)).collect();
    let query = ["query", "--batch", "--rules", "mini", "--tables", path];
    let answers = objects(&run_with(&query, all.join("\n").as_bytes()).ok()).into_iter().map(timeless);
    let known: Vec<(String, Value)> = all.into_iter().zip(answers).collect();
    let host = Host::of(Path::new(path));
    for tables in [path, &host.address] {
        assert!(ask(Path::new(path), &known, batch(tables)) > 20, "{tables}");
        let server = Server::start(&["--tables", tables]);
        let errors = ask(Path::new(path), &known, |position| {
            let query = format!("/api/v1/position?rules=mini&p={}", position.replace(' ', "%20"));
            let (status, body) = server.reply("GET", &query, "");
            assert!(!body.contains(tables), "{body}");
            assert_eq!(status == "503", body.contains("\"kind\":\"tables\""), "{status} {body}");
            serde_json::from_str(&body).unwrap()
        });
        assert!(errors > 20, "{tables}: {errors}");
        assert!(server.reply("GET", "/metrics", "").1.contains("\npentago_panics_total 0\n"));
        let log = server.stop();
        assert!(log.contains(&format!("{tables}/mini/slice-01.pentago: ")), "{log}");
    }
}

/// A table that becomes a folder is missing data, like a deleted table.
#[test]
fn a_table_that_becomes_a_folder_is_missing() {
    let folder = Folder::of("mini");
    let mut program = program();
    program.args(["query", "--batch", "--rules", "mini", "--no-solve", "--tables", &*folder]);
    let mut child = program.stdin(Stdio::piped()).spawn().unwrap();
    let (mut to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut lines = BufReader::new(from).lines();
    for (position, error) in [("XOXO/XOXO/4/4 x", ""), ("4/4/4/4 x", "it is a folder")] {
        writeln!(to, "{position}").unwrap();
        let answer = lines.next().unwrap().unwrap();
        assert_eq!(answer.contains("error"), !error.is_empty(), "{answer}");
        assert!(answer.contains(error), "{answer}");
        let table = folder.at("mini/slice-00.pentago");
        let _ = fs::remove_file(&table);
        let _ = fs::create_dir(table);
    }
    drop(to);
    assert_eq!(child.wait().unwrap().code(), Some(3));
}
