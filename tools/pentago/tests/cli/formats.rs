//! The program reads files of all released format versions, as docs/formats.md promises.

use std::path::{Path, PathBuf};

use crate::common::{program_at, run, run_with};

/// Returns the folder `what` of files that released versions have written.
fn written(what: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/formats").join(what)
}

/// Looks positions up in tables, and returns their values.
fn read(rules: &str, folder: &Path, positions: &str) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let found = run_with(&["query", "--batch", "--rules", rules, "--tables", folder], positions.as_bytes());
    let objects = crate::common::objects(&found.ok());
    for object in &objects {
        assert_eq!(object["source"], "table", "{object}");
    }
    objects.iter().map(|object| object["value"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn tables_of_version_6_in_every_codec() {
    // Positions with 31 marbles that are in the tables of every codec.
    let positions = "\
        XOOX1X/OX1O1O/O1XXOO/1XXOOX/XXXXOX/OXOOOX o\n\
        O1XXOX/XXXO1O/XOOOOX/1XOOOX/XX1XOX/1XOOOX o\n\
        XOOOOX/XXXO1O/OXXX1X/O1OOO1/XXXXOX/1XOOOX o\n\
        X1OOOX/XX1OXO/O1XX1X/OOOXOO/XXXXOX/1XOXOO o\n\
        O1XOOX/1XXOXO/XOOXXX/OX1OXO/1XXOOO/OX1XXO o\n\
        XXOOOX/XXOO1O/O1XXXX/1XOOXO/XX1OOO/OXOXX1 o\n\
        OXXOOX/XX1O1O/XOOX1X/1XOXXX/XX1OOO/OXOOXO o\n";
    for codec in ["compact", "quick", "zstd"] {
        let folder = written("tables/6").join(codec);
        let values = read("pentago", &folder, positions);
        assert_eq!(values, ["win", "win", "win", "draw", "draw", "loss", "loss"], "{codec}");
        run(&["verify", folder.to_str().unwrap(), "--hash"]).ok();
    }
}

#[test]
fn tables_of_version_6_of_the_other_games() {
    let pente = read("pente:n=3,k=3,opening=free", &written("tables/6/pente"), "3/3/3 x\n");
    assert_eq!(pente, ["draw"]);
    let root = "BBBAAABAB/1ABAB1BBA/AAABBABAA/A1AABAB1A/AAB2AAAB/BBB3BAB/BBAAABABB/ABABBAABA/BA1BBBABA b\n";
    assert_eq!(read("xl", &written("tables/6/xl"), root), ["draw"]);
}

#[test]
fn certificates_of_version_1() {
    let checker = Path::new(env!("CARGO_BIN_EXE_pentago-check"));
    for (file, proved) in [("pentago.txt", "x wins within 15 plies"), ("pente.txt", "x wins within 3 plies")]
    {
        let run = program_at(checker).arg(written("certificates/1").join(file)).output().unwrap();
        let text = String::from_utf8(run.stdout).unwrap();
        assert!(run.status.success() && text.starts_with(proved), "{file}: {text}");
    }
}
