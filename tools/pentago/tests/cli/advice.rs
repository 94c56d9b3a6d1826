//! The advice in errors and notes. The tests run a command line, take the advised option or
//! commands from the message, run them, and compare the output with the promise of the message.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use crate::common::{Folder, Run, program, program_at, sh, words};

const LATE: &str = "1OOXOO/X1XO2/X1OX1O/1O1O1X/1XX1O1/1X1X2 x";
const PENTE: &str = "--rules pente:n=4,k=4,opening=free";

/// Returns a command line without an option and its value.
fn without(line: &str, name: &str) -> String {
    let Some((before, after)) = line.split_once(&format!(" {name}")) else { return line.to_owned() };
    let value = after.strip_prefix(' ').filter(|after| !after.starts_with("--"));
    format!("{before}{}", value.map_or(after, |value| value.find(' ').map_or("", |at| &value[at..])))
}

/// Returns a command line with the option that a message advises. The value is the word after the
/// option in the message if that word is quoted or has a digit, and `value` otherwise.
fn with(line: &str, name: &str, value: &str, message: &str) -> String {
    let (_, found) = message.split_once(name).unwrap_or_else(|| panic!("{name} in {message}"));
    let found = found.trim_start();
    let end = match found.strip_prefix('\'') {
        Some(quoted) => quoted.find('\'').map(|at| at + 2),
        None => found.find([' ', ',', ';', ')', '\n']),
    };
    let found = &found[..end.unwrap_or(found.len())];
    let is_value = found.starts_with('\'') || found.contains(|c: char| c.is_ascii_digit());
    format!("{} {name} {}", without(line, name), if is_value { found } else { value })
}

/// Returns the output of a run, and the messages if the run succeeded.
fn text(run: Run) -> String {
    assert_eq!(run.code, Some(0), "{}", run.err);
    run.out + &run.err
}

/// The columns are: the exit status, the command line, an option to leave out, an option to add,
/// the value of that option if the message has only a placeholder, and a part of the new output. If
/// no option is to be added, the message advises to leave out the other option. `OUT` is a folder.
#[test]
fn advised_options_work() {
    let folder = Folder::new();
    std::fs::write(folder.at("text"), "no certificate").unwrap();
    let named = |line: &str| line.replace("LATE", LATE).replace("PENTE", PENTE).replace("OUT", &folder);
    for root in [LATE, "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o"] {
        let built = sh(&named(&format!("build 'root:{root}' --keep 25 --out OUT/roots")));
        let said = format!("`pentago info` lists root:{root} in its canonical form: ");
        let canonical = built.err.split_once(&said).expect("the canonical form").1.lines().next().unwrap();
        assert!(sh(&named("info OUT/roots")).ok().contains(canonical), "{canonical}");
    }
    sh(&named("build slice:10 --rules mini --out OUT/mini")).ok();
    for (code, line, omitted, option, value, expected) in [
        (4, "solve 'LATE' --exact --memory 9M", "", "--memory", "", "value: "),
        (4, "solve 'LATE' --exact --memory 9M", "--exact", "--depth", "", "value: "),
        (4, "solve 'LATE' --depth 9 --memory 9M", "", "--depth", "", "value: "),
        (0, "solve 'LATE' --depth 2", "--depth", "", "", "value: "),
        (2, "solve 'LATE' --proofs-only --proof-boards 0 --time 1", "--proof-boards", "", "", "x to move"),
        (3, "solve PENTE '4/4/4/4 x' --exact --time 0", "--exact", "", "", "x to move"),
        (4, "query 'LATE' --memory 1", "", "--memory", "", "value: "),
        (2, "query 6/6/6/6/6/6 --no-solve --kernel portable", "--kernel", "", "", "value: win"),
        (4, "bench --marbles 0 --memory 1G --repeat 1", "", "--marbles", "28", "portable"),
        (3, "random --marbles 30 --where win --tables OUT/none", "--tables", "--solve", "", "/"),
        (2, "random PENTE --marbles 5 --where win --tables OUT/mini", "--tables", "--solve", "", "/"),
        (2, "prove '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o' --out OUT/text", "", "--force", "", "win"),
        (2, "verify OUT/mini --seed 1", "", "--sample", "3", "nothing wrong"),
        (2, "export --tables OUT/mini --marbles 10 --format npz", "", "--out", "OUT/a.npz", "boards in "),
        (2, "export --tables OUT/roots --marbles 25", "", "--target", "", "position,value"),
        (2, "build mini --keep 3 --out OUT/few", "--keep", "--keep-slices", "0..3", "slice-03"),
        (2, "build mini --rules xl --out OUT/whole", "--rules", "", "", "slice-00"),
        (4, "build slice:12 --rules mini --memory 20k --out OUT/slice", "", "--memory", "", "slice-12"),
        (0, "plan 'root:LATE' --memory 1M", "", "--memory", "", "can finish"),
    ] {
        let (line, value) = (named(line), named(value));
        let run = sh(&line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.err);
        let (message, rest) =
            (run.out + &run.err, if omitted.is_empty() { line.clone() } else { without(&line, omitted) });
        let advised = if option.is_empty() {
            assert!(message.contains(&format!("leave out {omitted}")), "{line}: {message}");
            rest
        } else {
            with(&rest, option, &value, &message)
        };
        let after = text(sh(&advised));
        assert!(after.contains(expected), "{advised}: {after}");
    }
}

/// Messages that advise commands: those in backticks, and lines that consist of a command. The
/// output of these commands, or that of the command line after them, has the last column.
#[test]
fn advised_commands_work() {
    let folder = Folder::new();
    // Commands quote a path with a space.
    std::fs::create_dir_all(folder.at("a b/empty")).unwrap();
    let named = |line: &str| line.replace("OUT", &format!("'{}'", folder.at("a b"))).replace("LATE", LATE);
    sh(&named("build mini --out OUT/gap")).ok();
    std::fs::remove_file(folder.at("a b/gap/mini/slice-05.pentago")).unwrap();
    for (code, line, expected) in [
        (3, "query 4/4/4/4 --rules mini --tables OUT/none", "value: win"),
        (3, "info OUT/empty", "mini"),
        (3, "serve --export OUT/page --tables OUT/none", "files in"),
        (0, "solve 'LATE' --proofs-only --proof-boards 1 --memory 50M", "x to move"),
        (0, "build slice:3 --rules mini --out OUT/gap", "existed already"),
        (0, "prove '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o' --out OUT/win", "o wins within"),
        (2, "build root:6/6/6/6/6/6 --out OUT/game", "supers     13,"),
    ] {
        let line = named(line);
        let run = sh(&line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.err);
        let quoted = run.err.split('`').skip(1).step_by(2).chain(run.err.lines());
        let commands: Vec<&str> = quoted.map(str::trim).filter(|text| text.starts_with("pentago")).collect();
        assert!(!commands.is_empty(), "{line}: {}", run.err);
        let mut outputs = String::new();
        for command in commands {
            let command = command.replace("TARGET", "mini").replace(" tables", &named(" OUT/tables"));
            outputs += &match command.strip_prefix("pentago ") {
                Some(command) => text(sh(command)),
                None => checked(&command),
            };
        }
        let after = sh(&line);
        assert!((outputs + &after.out + &after.err).contains(expected), "{line}: {expected}");
    }
}

/// Runs a command line of `pentago-check`, and returns its output.
fn checked(line: &str) -> String {
    let mut checker = program_at(Path::new(env!("CARGO_BIN_EXE_pentago-check")));
    String::from_utf8(checker.args(&words(line)[1..]).output().unwrap().stdout).unwrap()
}

/// The program advises `--anyway` only for a build that then starts.
#[test]
fn builds_start_anyway() {
    let line = format!("build 'root:{LATE}' --keep 23 --out {}", &*Folder::new());
    let error = sh(&format!("{line} --memory 1M")).fails(4);
    assert!(!error.contains("--anyway"), "{error}");
    let limited = format!("{line} --memory 48M --scratch-limit 10k");
    let advised = with(&limited, "--anyway", "", &sh(&limited).fails(4));
    assert!(sh(&advised).fails(4).contains("limit of 10,000 bytes is reached"));
}

#[test]
fn another_port_is_advised() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let line = format!("serve --port {}", taken.local_addr().unwrap().port());
    let advised = with(&line, "--port", "0", &sh(&line).fails(4));
    let mut server = program().args(words(&advised)).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(line.starts_with("http://127.0.0.1:"), "{line}");
}

#[test]
#[ignore = "measures rates for a minute; only this test finds that `bench --save` repairs no damaged file"]
fn long_bench_repairs_the_rates() {
    let folder = Folder::new();
    std::fs::create_dir(folder.at("pentago")).unwrap();
    std::fs::write(folder.at("pentago/rates.json"), "{}").unwrap();
    let run = |line: &str| {
        let output = Command::output(program().args(words(line)).env("XDG_CONFIG_HOME", &*folder)).unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    // Lines may end inside the advice.
    let error = run("plan slice:35").1.split_whitespace().collect::<Vec<_>>().join(" ");
    let advised = error.split('`').find_map(|text| text.strip_prefix("pentago ")).unwrap();
    assert_eq!(run(advised).0, Some(0));
    let (code, error) = run("plan slice:35");
    assert!(code == Some(0) && !error.contains("warning"), "{error}");
}
