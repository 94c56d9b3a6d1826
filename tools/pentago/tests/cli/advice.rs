//! The advice in errors and notes. The tests run a command line, take the advised option or
//! commands from the message, run them, and compare the output with the promise of the message.

use crate::common::{Folder, Run, sh};

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

/// Messages that advise commands: those in backticks, and lines that consist of a command. After
/// these commands, the command line itself works.
#[test]
fn advised_commands_work() {
    let folder = Folder::new();
    std::fs::create_dir(folder.at("empty")).unwrap();
    let named = |line: &str| line.replace("OUT", &folder).replace("LATE", LATE);
    sh(&named("build mini --out OUT/gap")).ok();
    std::fs::remove_file(folder.at("gap/mini/slice-05.pentago")).unwrap();
    for (code, line, expected) in [
        (3, "query 4/4/4/4 --rules mini --tables OUT/none", "value: win"),
        (3, "info OUT/empty", "mini"),
        (3, "serve --export OUT/page --tables OUT/none", "files in"),
        (0, "solve 'LATE' --proofs-only --proof-boards 1 --memory 50M", "x to move"),
        (0, "build slice:3 --rules mini --out OUT/gap", "existed already"),
    ] {
        let line = named(line);
        let run = sh(&line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.err);
        let quoted = run.err.split('`').skip(1).step_by(2).chain(run.err.lines());
        let commands: Vec<&str> = quoted.filter_map(|text| text.trim().strip_prefix("pentago ")).collect();
        assert!(!commands.is_empty(), "{line}: {}", run.err);
        for command in commands {
            let command = command.replace("TARGET", "mini").replace(" tables", &named(" OUT/tables"));
            text(sh(&command));
        }
        let after = sh(&line);
        assert!((after.out + &after.err).contains(expected), "{line}: {expected}");
    }
}
