//! Command lines that the program refuses. Wrong usage has status 2, missing data has status 3, and
//! a lack of memory or disk space has status 4.

use std::path::Path;

use crate::common::{Folder, program, sh, tables};

/// The positions and rules that replace words in capital letters in `refusals.txt`. The word `OUT`
/// is replaced by a folder without tables, which contains a file `text`.
const NAMES: [(&str, &str); 6] = [
    ("SOLVABLE", "'O1OX2/2X1OX/2OOXX/X4X/2O1XO/OO1X2 x'"),
    ("LATE", "'root:1O1XO1/X1XO2/X1OX1O/1O1O1X/1XX1O1/1O1X2 x'"),
    ("EARLY", "'root:4X1/2X1O1/3XOO/1X2O1/2X1O1/3O1X x'"),
    ("EMPTY", "6/6/6/6/6/6"),
    ("XL", "9/9/9/9/9/9/9/9/9"),
    ("PENTE", "pente:n=4,k=4,opening=free"),
];

#[test]
fn every_refusal() {
    let folder = Folder::new();
    let drawn = format!("'root:{}'", sh("random --rules xl --marbles 69 --quiet-positions").ok().trim());
    std::fs::write(folder.at("text"), "no table").unwrap();
    let mut count = 0;
    for case in include_str!("refusals.txt").lines().filter(|line| !line.starts_with('#')) {
        let [code, line, expected] = case.split('\t').collect::<Vec<_>>()[..] else { panic!("{case}") };
        let line = NAMES.iter().fold(line.to_owned(), |line, (name, text)| line.replace(name, text));
        let error = sh(&line.replace("OUT", &folder).replace("DRAWN", &drawn)).fails(code.parse().unwrap());
        let is_error = error.starts_with("error: ") || line.is_empty();
        assert!(is_error && error.contains(&expected.replace("OUT", &folder)), "{case}: {error}");
        // The error must not repeat a cause.
        assert!(error.matches("but the limit is").count() <= 1, "{case}: {error}");
        count += 1;
    }
    assert_eq!((count, tables(Path::new(&*folder)).len()), (151, 0));
}

/// The environment variable applies to all commands, so a command that does not use the variable
/// accepts it.
#[test]
fn the_kernel_from_the_environment() {
    for (line, kernel, expected) in [
        ("solve 6/6/6/6/6/6", "slow", "invalid value 'slow' for 'PENTAGO_KERNEL'"),
        ("random --marbles 20", "portable", ""),
        ("random --marbles 20", "", ""),
    ] {
        let output = program().args(line.split(' ')).env("PENTAGO_KERNEL", kernel).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() == expected.is_empty() && error.contains(expected), "{error}");
    }
}
