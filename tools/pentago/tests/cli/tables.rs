//! Tests of `query`, `info`, `verify`, `export` and `random --where` on small tables: the answers,
//! and the errors for missing or damaged tables.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use serde_json::Value;

use crate::common::{
    self, Folder, Run, json, json_of, objects, positions, program, run, run_with, sh, solve,
};

/// A position with ten free sockets.
const ROOT: &str = "1OOXOO/XOXO1O/XOOX1X/OX1O1X/1XX1X1/OX1X1O x";

/// Returns a folder with tables: those of the positions below `ROOT` with up to 28 marbles, and
/// those of Mini-Pentago. The first call builds the tables.
fn tables() -> &'static str {
    static FOLDER: OnceLock<(tempfile::TempDir, String)> = OnceLock::new();
    let (_, path) = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap().to_owned();
        run(&["build", &format!("root:{ROOT}"), "--keep", "28", "--out", &path, "--quiet"]).ok();
        run(&["build", "mini", "--out", &path, "--quiet"]).ok();
        (folder, path)
    });
    path
}

/// Copies the tables below `ROOT` to a folder that a test may change.
fn copy() -> (Folder, Vec<String>) {
    let folder = Folder::new();
    let all = common::tables(Path::new(tables())).into_iter();
    let files = all.filter(|(path, _)| path.to_str().unwrap().starts_with("root-")).map(|(path, bytes)| {
        let to = folder.at(path.file_name().unwrap().to_str().unwrap());
        fs::write(&to, bytes).unwrap();
        to
    });
    let files: Vec<String> = files.collect();
    assert_eq!(files.len(), 3);
    (folder, files)
}

fn query(arguments: &[&str]) -> Value {
    let out = run(&[&["query", "--json", "--tables", tables()], arguments].concat()).ok();
    let [object] = &objects(&out)[..] else { panic!("one object: {out}") };
    object.clone()
}

/// Returns the value of an answer, and its moves. Each move has its name, value and position. The
/// moves are sorted by name.
fn plain(object: &Value) -> (&Value, Vec<[&Value; 3]>) {
    let moves = object["moves"].as_array().unwrap().iter();
    let mut moves: Vec<_> = moves.map(|m| ["move", "value", "position"].map(|key| &m[key])).collect();
    moves.sort_by_key(|[name, ..]| name.as_str());
    (&object["value"], moves)
}

#[test]
fn query_says_what_solve_says_and_where_it_is_from() {
    let mut text = ROOT.to_owned();
    for source in ["table", "table", "table", "solved"] {
        let found = query(&[&text]);
        assert_eq!((plain(&found), &found["source"]), (plain(&solve(&[&text])), &source.into()), "{text}");
        let next = found["moves"].as_array().unwrap().iter().find(|m| m["source"] != "rules");
        text = next.unwrap()["position"].as_str().unwrap().to_owned();
    }
    // In this position, a turn is pending.
    let pending = format!("{} turn", ROOT.replacen("1OOXOO", "XOOXOO", 1));
    assert_eq!(plain(&query(&[&pending])), plain(&solve(&[&pending])));
    let text = sh(&format!("query '{ROOT}' --tables {} --quiet", tables())).ok();
    assert!(text.contains("\nvalue: ") && text.contains("\nsource: table ("), "{text}");
}

/// A position with twelve marbles in which a small proof shows that X wins.
const PROVED: &str = "3X2/3X1X/1X3O/3O1O/1XO2O/4XO x";

#[test]
fn query_names_proofs() {
    let options = ["--memory", "500M", "--proof-boards", "200000", "--proofs-only"];
    let object = query(&[&[PROVED], &options[..]].concat());
    assert_eq!((&object["value"], &object["source"]), (&"win".into(), &"proof".into()));
    assert_eq!(object["found"]["by"], "proof");
    assert!(object["found"]["sockets"].as_u64() >= Some(7) && object["found"]["depth"].is_u64());
    let moves = object["moves"].as_array().unwrap();
    assert!(moves.iter().any(|m| m["source"] == "proof"));
    for m in moves {
        match m["source"].as_str().unwrap() {
            "proof" => assert_eq!(m["found"]["by"], "proof"),
            "unknown" => assert!(m["reason"].as_str().is_some_and(|r| r.ends_with("no proof was found"))),
            source => assert_eq!(source, "rules"),
        }
    }
    // With the same options, a batch and `solve` find the same proof.
    let batch = [&["query", "--batch", "--threads", "1", "--tables", tables()], &options[..]].concat();
    let [line] = &objects(&run_with(&batch, PROVED.as_bytes()).ok())[..] else { panic!("one line") };
    for other in [line, &solve(&[&[PROVED], &options[..]].concat())] {
        assert_eq!((plain(other), &other["found"]), (plain(&object), &object["found"]));
    }
    let text = run(&[&["query", PROVED, "--quiet", "--tables", tables()], &options[..]].concat()).ok();
    assert!(text.contains("\nfound: a proof with moves on "), "{text}");
    assert!(text.contains("\nsource: proof; of "), "{text}");
    assert!(text.contains(" moves: ") && text.contains(" proof, "), "{text}");
}

#[test]
fn positions_by_proof_without_a_table() {
    let ask = |value: &str, marbles: &str| {
        let arguments = ["random", "--marbles", marbles, "--seed", "3", "--quiet-positions", "--solve"];
        run(&[&arguments[..], &["--where", value, "--memory", "300M"]].concat())
    };
    // The README uses twelve marbles, which takes seconds, so use fifteen here.
    let early = ask("win", "15").ok();
    assert_eq!(ask("loss", "27").ok(), ask("loss", "27").ok());
    let options = ["--memory", "300M", "--proofs-only"];
    assert_eq!(solve(&[&[early.trim()], &options[..]].concat())["value"], "win");
    for value in ["win", "draw", "loss"] {
        assert_eq!(solve(&[ask(value, "27").ok().trim()])["value"], value);
    }
}

#[test]
fn query_in_a_batch() {
    let random = run(&["random", "--marbles", "28", "--seed", "1", "--quiet-positions"]).ok();
    let late = random.trim();
    let input = format!("{ROOT}\nnonsense\n{late}\n");
    let Run { out, code, .. } = run_with(&["query", "--batch", "--tables", tables()], input.as_bytes());
    assert_eq!(code, Some(2));
    let [first, wrong, last] = &objects(&out)[..] else { panic!("three lines: {out}") };
    assert_eq!(first["source"], "table");
    assert_eq!(wrong["line"], 2);
    assert_eq!(last["source"], "solved");
    let out = run_with(&["query", "--batch", "--no-solve", "--tables", tables()], late.as_bytes()).ok();
    let object = &objects(&out)[0];
    assert_eq!((&object["value"], &object["source"]), (&"unknown".into(), &"unknown".into()));
    assert!(object["reason"].as_str().unwrap().contains("not below any root"));
    assert_eq!(object.get("guess"), None, "nothing was worked out");
}

#[test]
fn query_tells_what_is_out_of_reach() {
    let far = &positions("pentago", 23, 1, 2)[0];
    let error = run(&["query", far, "--tables", tables(), "--no-solve"]).fails(3);
    assert!(error.contains("no value is known") && error.contains("not below any root"), "{error}");
    let error = run(&["query", far, "--rules", "pentago-eu", "--no-solve", "--tables", tables()]).fails(3);
    assert!(error.contains("no table for the rules pentago-eu") && error.contains("mini"), "{error}");
}

#[test]
fn the_folder_comes_from_the_environment() {
    let output = program().args(["query", ROOT]).env("PENTAGO_TABLES", tables()).output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("source: table"));
}

#[test]
fn info_lists_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let chart = folder.path().join("chart.svg");
    let out = run(&["info", tables(), "--json", "--plot", chart.to_str().unwrap()]).ok();
    let object: Value = serde_json::from_str(&out).unwrap();
    let targets = object["targets"].as_array().unwrap();
    assert_eq!(targets.len(), 2);
    let text = run(&["info", tables()]).ok();
    for target in targets {
        assert!(text.contains(target["target"].as_str().unwrap()));
        let mut bytes = 0;
        for slice in target["slices"].as_array().unwrap() {
            let file = Path::new(slice["file"].as_str().unwrap());
            assert_eq!(slice["bytes"].as_u64(), Some(fs::metadata(file).unwrap().len()));
            bytes += slice["bytes"].as_u64().unwrap();
            let counts: u64 = ["wins", "draws", "losses"].iter().map(|k| slice[k].as_u64().unwrap()).sum();
            if target["rules"] == "pentago" {
                assert_eq!(counts, 256 * slice["entries"].as_u64().unwrap());
            }
        }
        assert_eq!(target["bytes"], bytes);
    }
    // The first player wins the empty board.
    let mini = targets.iter().find(|t| t["rules"] == "mini").unwrap();
    let count = |n: usize, key: &str| mini["slices"][n][key].as_u64().unwrap();
    assert_eq!(count(0, "wins"), 1);
    let chart = fs::read_to_string(chart).unwrap();
    assert!(chart.starts_with("<svg") && chart.matches("<rect").count() > 20 && chart.contains("mini"));
    // XML allows no `--` within a comment.
    let comments = chart.split("<!--").skip(1).map(|rest| rest.split("-->").next().unwrap());
    assert!(comments.clone().count() == 1 && !comments.collect::<String>().contains("--"), "{chart}");
    assert!(run(&["info", tables(), "--plot", "chart.bmp"]).fails(2).contains(".svg"));
}

#[test]
fn verify_passes_and_says_what_it_did() {
    let out = run(&["verify", tables(), "--hash", "--sample", "100", "--full", "--quiet"]).ok();
    assert!(out.contains("hash: all ") && out.contains("3/N"), "{out}");
    assert!(out.contains("27 marbles: all ") && out.contains("values of 10 entries agree"), "{out}");
    assert!(out.contains("28 marbles: NOT compared: 90 entries"), "{out}");
    assert!(out.contains("2. mini\n") && out.contains("full: 0 marbles: all 256 values of 1 entry"), "{out}");
    let shared = "canonical forms and the index of\n  positions are shared with the solver";
    assert!(out.contains(shared), "{out}");
    assert!(out.contains("\nnothing wrong in 20 tables, "), "{out}");
    let sampled = |seed: &str| run(&["verify", tables(), "--sample", "50", "--seed", seed]).ok();
    assert_eq!(sampled("1"), sampled("1"));
    let report = json(&["verify", tables(), "--json"]);
    assert_eq!((&report["passed"], &report["tables"]), (&true.into(), &20.into()));
    assert_eq!(report["problems"], Value::Array(Vec::new()));
    assert!(run(&["verify", tables(), "--marbles", "31"]).fails(3).contains("31 marbles"));
}

#[test]
fn verify_says_what_is_missing() {
    let out: &str = &Folder::of("mini");
    let slice = |marbles: u8| format!("{out}/mini/slice-{marbles:02}.pentago");
    [4, 9].iter().for_each(|&marbles| fs::remove_file(slice(marbles)).unwrap());
    let found = sh(&format!("verify {out}")).ok();
    assert!(found.contains("missing: mini: no usable table with 4 and 9 marbles\n"), "{found}");
    assert!(found.contains("; checked 15, skipped 0, missing 2\n"), "{found}");
    let one = json_of(&format!("verify {out} --marbles 5"));
    assert_eq!(["checked", "skipped"].map(|key| one[key].as_u64()), [Some(1), Some(14)]);
    assert_eq!(one["missing"].as_array().map(Vec::len), Some(0));
    sh(&format!("publish {out} --quiet")).ok();
    fs::remove_file(slice(3)).unwrap();
    let fails = |text: &str| {
        let run = sh(&format!("verify {out}"));
        assert!(run.code == Some(1) && run.err.contains(text), "{text}: {}", run.err);
    };
    fails("slice-03.pentago is missing since the folder was published");
    fs::copy(slice(5), slice(3)).unwrap();
    fails("slice-03.pentago has changed since the folder was published");
    fails("slice-03.pentago holds the positions with 5 marbles, unlike its name");
    let refused = sh(&format!("publish {out}"));
    assert!(refused.code == Some(2) && refused.err.contains("nothing was published"), "{}", refused.err);
    // Slices before the first and after the last table are missing, too. A file that can't be
    // opened is not checked.
    [0, 1, 2, 16].iter().for_each(|&marbles| fs::remove_file(slice(marbles)).unwrap());
    fs::write(slice(3), "").unwrap();
    let list = format!("{out}/pentago-tables.tsv");
    let cut = fs::read_to_string(&list).unwrap().lines().take(5).collect::<Vec<_>>().join("\n");
    fs::write(&list, cut).unwrap();
    fails("slice-10.pentago is new since the folder was published");
    fs::remove_file(list).unwrap();
    let found = sh(&format!("verify {out}"));
    assert!(found.out.contains("no usable table with 0 to 4, 9 and 16 marbles\n"), "{}", found.out);
    assert!(found.err.contains("1 problem in 11 tables, "), "{}", found.err);
    assert!(found.err.contains("; checked 10, skipped 1, missing 7\n"), "{}", found.err);
    // A build that keeps few slices misses none. Without its plan, the gap is reported.
    let out: &str = &Folder::of("mini --keep-slices 2..5");
    let found = sh(&format!("verify {out}")).ok();
    assert!(found.starts_with("mini: built to hold the slices with 2 to 5 marbles\n"), "{found}");
    assert!(found.contains("; checked 4, skipped 0, missing 0\n"), "{found}");
    // Without known counts, `--counts` ends before the other checks begin.
    let none = sh(&format!("verify {out} --full --counts --marbles 3"));
    assert!(none.code == Some(3) && none.err.contains("no counts could be compared"), "{}", none.err);
    assert!(!none.out.contains("full: "), "{}", none.out);
    // A slice that was only counted is not missing.
    let counted: &str = &Folder::of("slice:9 --rules mini --counts-only");
    let found = sh(&format!("verify {counted}")).ok();
    assert!(found.contains("; checked 7, skipped 0, missing 0\n"), "{found}");
    fs::remove_file(format!("{out}/mini/.plan")).unwrap();
    let found = sh(&format!("verify {out}")).ok();
    assert!(found.starts_with("mini: slices with 0, 1 and 6 to 16 marbles: no usable table, "), "{found}");
    assert!(found.contains("; checked 4, skipped 0, missing 0\n"), "{found}");
}

#[test]
fn damage_is_found_and_named() {
    let (folder, files) = copy();
    let verify = format!("verify {}", &*folder);
    let fails = |more: &str, expected: &[&str]| {
        let run = sh(&format!("{verify} {more}"));
        assert_eq!(run.code, Some(1), "{more}: {}", run.err);
        assert!(expected.iter().all(|text| run.err.contains(text)), "{more}: {}", run.err);
        run.out
    };
    sh(&verify).ok();
    // Change a byte of the first block, which starts after the header and the 24 bytes of the
    // target. Only a read of the block finds the damage.
    let damage = |file: &str| {
        let whole = fs::read(file).unwrap();
        let mut bytes = whole.clone();
        bytes[pentago_tables::tables::HEADER_BYTES + 24] ^= 4;
        fs::write(file, &bytes).unwrap();
        whole
    };
    let whole = damage(&files[1]);
    for depth in ["--hash", "--full", "--sample 20 --marbles 27"] {
        fails(&format!("{depth} --quiet"), &["slice-27.pentago", "block 0"]);
    }
    let query = format!("query '{ROOT}' --tables {}", &*folder);
    let error = sh(&query).fails(3);
    assert!(error.contains("slice-27.pentago") && error.contains("build it again"), "{error}");
    // Commands that don't need a truncated table skip the table with a note.
    fs::write(&files[1], &whole[..whole.len() - 100]).unwrap();
    fails("", &["bytes long instead of"]);
    // The report names every damaged file, and states the number of intact files.
    let third = damage(&files[2]);
    let named = ["slice-27.pentago: ", "slice-28.pentago: block 0", "\nerror: 2 problems in 3 tables, "];
    let out = fails("", &named);
    assert!(out.contains(" bytes of 1 of 2 tables are intact"), "{out}");
    let report: Value = serde_json::from_str(&fails("--json", &[])).unwrap();
    assert_eq!((&report["passed"], &report["tables"]), (&false.into(), &3.into()));
    assert_eq!(report["problems"].as_array().map(Vec::len), Some(2));
    let kinds = [0, 1].map(|i| report["checks"][i]["check"].as_str());
    assert_eq!(kinds, [Some("slices"), Some("hash")]);
    fs::write(&files[2], &third).unwrap();
    let found = sh(&query);
    assert!(found.err.contains("skipped") && found.err.contains("slice-27.pentago"));
    assert!(found.ok().contains("source: table"));
    files.iter().for_each(|file| fs::write(file, b"").unwrap());
    assert!(sh(&format!("info {}", &*folder)).fails(3).contains("emptied"));
}

/// Returns the first words of an export command for the tables of `rules`.
fn export(rules: &str) -> String {
    let info = json_of(&format!("info {}", tables()));
    let number = 1 + info["targets"].as_array().unwrap().iter().position(|t| t["rules"] == rules).unwrap();
    format!("export --tables {} --target {number}", tables())
}

#[test]
fn export_writes_each_position_once() {
    let unknown = sh(&format!("export --tables {} --marbles 27 --target none", tables())).fails(3);
    assert!(unknown.contains("has no target none: it has "), "{unknown}");
    let export = export("pentago");
    let error = sh(&format!("{export} --marbles 3")).fails(3);
    assert!(error.contains("pentago, root:"), "{error}");
    let csv = sh(&format!("{export} --marbles 27")).ok();
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert_eq!(csv.lines().next(), Some("position,value,over"));
    assert!(rows.len() > 1000 && rows.len() <= 2560, "{}", rows.len());
    let lines = objects(&sh(&format!("{export} --marbles 27 --format jsonl --limit 20")).ok());
    assert_eq!(lines.len(), 20);
    for (row, object) in rows.iter().zip(lines) {
        let fields = ["position", "value"].map(|key| object[key].as_str().unwrap().to_owned());
        assert_eq!(*row, format!("{},{},{}", fields[0], fields[1], object["over"]));
        assert_eq!(solve(&[&fields[0]])["value"], fields[1].as_str());
    }
}

/// `export` writes every stored position. Most symmetric copies of a board are not stored, but some
/// mirror images are, so the export has more positions than there are classes of symmetric boards.
#[test]
fn stored_positions_are_not_those_up_to_symmetry() {
    let (export, folder) = (export("mini"), Folder::new());
    assert_eq!(sh(&format!("{export} --marbles 2")).ok().lines().count(), 1 + 44);
    let set = format!("--format npz --up-to-symmetry --out {}", folder.at("set"));
    assert!(sh(&format!("{export} --marbles 2 {set}")).err.starts_with("33 boards in "));
}

#[test]
fn data_sets_depend_on_the_seed_alone() {
    let (export, folder) = (export("mini"), Folder::new());
    let set = |options: &str| {
        sh(&format!("{export} --format npz {options} --out {}", folder.at("set"))).ok();
        assert_eq!(fs::read_dir(&*folder).unwrap().count(), 1);
        fs::read(folder.at("set")).unwrap()
    };
    let with_moves = |seed: u8| set(&format!("--marbles 5 --moves --limit 1500 --seed {seed}"));
    let one = with_moves(1);
    assert_eq!(with_moves(1), one);
    assert!(with_moves(2) != one);
    // A board has 16 sockets, one value and 144 values of moves. The file also has headers.
    assert!(one.len() > 1500 * (16 + 1 + 144), "{}", one.len());
    // A table of one section beside the slice changes nothing.
    let beside: &str = &Folder::of("section:20,02,11,00 --rules mini");
    sh(&format!("build mini --out {beside}")).ok();
    sh(&format!("export --tables {beside} --marbles 6 --limit 200 --format npz --out {beside}/set")).ok();
    assert!(set("--marbles 6 --limit 200") == fs::read(format!("{beside}/set")).unwrap());
    let boards = set("--marbles 1 --up-to-symmetry");
    assert!(boards.windows(10).any(|bytes| bytes == b"(3, 4, 4,)"));
    for (options, code, expected) in [
        ("--format npz", 2, "--out FILE"),
        ("--moves", 2, "--format npz"),
        ("--format npz --out /nowhere/at/all.npz", 4, "/nowhere/at/all.npz"),
    ] {
        assert!(sh(&format!("{export} --marbles 1 {options}")).fails(code).contains(expected));
    }
}

#[test]
fn puzzles_from_a_table() {
    let of = |marbles: &str, conditions: &str, count: &str| {
        run(&["random", "--tables", tables(), "--marbles", marbles, "--count", count, "--where", conditions])
    };
    let puzzles = |conditions: &str, count: &str| of("28", conditions, count);
    let out = puzzles("one-win,distance>=3", "2").ok();
    assert_eq!(out, puzzles("one-win,distance>=3", "2").ok());
    assert_eq!(out.lines().count(), 2);
    for line in out.lines() {
        let object = solve(&["--distance", line]);
        let wins = object["moves"].as_array().unwrap().iter().filter(|m| m["value"] == "win");
        let distinct: std::collections::HashSet<&str> =
            wins.map(|m| m["position"].as_str().unwrap()).collect();
        assert_eq!(distinct.len(), 1, "{line}");
        assert!(object["distance"].as_u64() >= Some(3), "{line}");
    }
    for value in ["win", "draw", "loss"] {
        assert_eq!(query(&[puzzles(value, "1").ok().trim()])["value"], value);
    }
    assert!(puzzles("beautiful", "1").fails(2).contains("one-win"));
    for contradiction in ["loss,win", "win,draw", "one-win,loss", "draw,distance>=3"] {
        let error = of("28", contradiction, "1").fails(2);
        assert!(error.contains("no position meets all of these conditions"), "{error}");
    }
    // The table has only one position. If no other position is found, the draws end.
    let mini = |value: &str, count: &str| {
        let arguments = ["--rules", "mini", "--marbles", "0", "--where", value, "--count", count];
        run(&[&["random", "--tables", tables()], &arguments[..]].concat())
    };
    assert_eq!(mini("win", "1").ok(), "4/4/4/4 x\n");
    assert!(mini("loss", "1").fails(3).contains("no such position was found among 128 "));
    let two = mini("win", "2");
    assert_eq!((two.code, two.out.as_str()), (Some(3), "4/4/4/4 x\n"));
    assert!(two.err.contains("only 1 of 2 positions were found: 128 further"), "{}", two.err);
    assert!(of("12", "win", "1").fails(3).contains("12 marbles"));
}
