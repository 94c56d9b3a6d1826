//! Tests of commands that have no test file of their own.

use crate::common::{json, json_of, objects, positions, program, run, run_with, sh, solve};
use pentago::rules::Rules;
use pentago_core::solve::board_count;

const START: &str = "6/6/6/6/6/6";

#[test]
fn perft_divided() {
    let divided = json_of(&format!("perft {START} 2 --divide"));
    let moves: Vec<u64> =
        divided["moves"].as_array().unwrap().iter().map(|m| m["nodes"].as_u64().unwrap()).collect();
    assert_eq!((&divided["total"], &divided["rules"]), (&80_640.into(), &"pentago".into()));
    assert_eq!((moves.len(), moves.iter().sum::<u64>()), (288, 80_640));
    let text = sh(&format!("perft {START} 2 --divide --quiet")).ok();
    assert_eq!((text.lines().count(), text.lines().last()), (289, Some("total 80640")));
    assert_eq!(sh(&format!("perft {START} 1 --rules pentago-eu -q")).ok(), "0 1\n1 144\n");
    let depths = json_of(&format!("perft {START} 1"));
    assert_eq!(depths["depths"][1], serde_json::json!({"depth": 1, "nodes": 288}));
    let one = sh(&format!("perft {START} 0")).err;
    assert!(one.starts_with("1 node in ") && one.contains("nodes/s"), "{one}");
}

#[test]
fn random_positions_are_reproducible() {
    let first = positions("pentago", 20, 50, 9);
    assert_eq!(first.len(), 50);
    assert_eq!(first, positions("pentago", 20, 50, 9));
    assert_ne!(first, positions("pentago", 20, 50, 10));
    // The same seed must give the same position on every machine and in every version.
    assert_eq!(positions("pentago", 26, 1, 3), ["1OOXOO/XOXO1O/XOOX1X/OX1O1X/1XX1X1/OX1X1O x"]);
    let bounds = [("pentago", "35"), ("mini", "15"), ("xl", "79"), ("pente", "360")];
    for (rules, most) in bounds {
        let error = run(&["random", "--rules", rules, "--marbles", "999"]).fails(2);
        assert!(error.contains(&format!("at most {most} ")), "{error}");
    }
    let error = run(&["random", "--marbles", "24", "--where", "distance>=13", "--solve"]).fails(2);
    assert!(error.contains("at most 12 plies: ask for distance>=12 or less"), "{error}");
}

#[test]
fn symmetries_as_text_and_as_json() {
    let expected = "position X5/6/6/6/6/6 o

8 symmetries of the board
  canonical  X5/6/6/6/6/6 o
  orbit      4
  stabiliser 2

2,048 symmetries with rotations of quadrants
  canonical  X5/6/6/6/6/6 o
  orbit      16
  stabiliser 128
";
    assert_eq!(run(&["symmetries", "X5/6/6/6/6/6"]).ok(), expected);
    for (rules, orders) in [("pentago", [8, 2048]), ("pentago-eu", [4, 1024])] {
        let object = json(&["symmetries", "--json", "--rules", rules, "X5/1O4/6/6/6/2X3"]);
        for (key, order) in ["whole_board", "with_blocks"].into_iter().zip(orders) {
            let number = |name: &str| object[key][name].as_u64().unwrap();
            assert_eq!(number("order"), order);
            assert_eq!(number("orbit") * number("stabiliser"), order);
        }
    }
}

#[test]
fn rules_are_listed() {
    let text = run(&["rules"]).ok();
    let object = json(&["rules", "--json"]);
    let presets = object["presets"].as_array().unwrap();
    assert_eq!(presets.len(), Rules::presets().len());
    for preset in presets {
        assert!(text.contains(&format!("\n  {} ", preset["name"].as_str().unwrap())));
    }
    for option in object["options"].as_array().unwrap() {
        for value in option["values"].as_array().unwrap() {
            let (key, value) = (option["key"].as_str().unwrap(), value["value"].as_str().unwrap());
            assert!(text.contains(&format!("\n    {key}={value} ")), "{key}={value}");
        }
    }
}

#[test]
fn bench_measures_every_kernel() {
    let arguments = ["bench", "--marbles", "28", "--repeat", "2", "--threads", "2", "--json"];
    let object = json(&arguments);
    assert_eq!(object["boards"].as_u64().map(u128::from), Some(board_count(8, 8)));
    let runs = object["runs"].as_array().unwrap();
    assert!(runs.iter().any(|run| run["kernel"] == "portable" && run["threads"] == 2));
    assert!(runs.iter().all(|run| run["ratio"].as_f64().unwrap() >= 1.0));
    let text = run(&["bench", "--marbles", "28", "--repeat", "1", "--kernel", "portable", "--threads", "1"]);
    assert!(text.ok().contains("\nportable        1 "));
    let settings = tempfile::tempdir().unwrap();
    let save = || {
        let mut bench = program();
        bench.args(["bench", "--save", "--threads", "4", "--memory", "50M"]);
        let output = bench.env("XDG_CONFIG_HOME", settings.path()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, error) = save();
    assert!(error.contains("measuring with ") && error.contains("--threads"), "{error}");
    // If the file of rates can't be written, the command fails before the measurement.
    let file = settings.path().join("pentago/rates.json");
    assert!(code == Some(4) && !file.exists());
    std::fs::create_dir(&file).unwrap();
    let (code, error) = save();
    assert!(code == Some(4) && error.contains("writing ") && error.contains("rates.json"), "{error}");
}

/// If the program was built with GPU support and the machine has a GPU, the GPU is listed as a
/// kernel and gives the same answers.
#[test]
fn kernels_and_devices_of_this_machine_are_listed() {
    let list = json(&["bench", "--list", "--json"]);
    let kernels = list["kernels"].as_array().unwrap();
    let graphics = list["graphics"].as_array().unwrap();
    assert!(kernels.contains(&"portable".into()), "{list}");
    assert_eq!(kernels.contains(&"gpu".into()), !graphics.is_empty(), "{list}");
    let text = run(&["bench", "--list"]).ok();
    assert!(text.starts_with("kernels: "), "{text}");

    let position = &positions("pentago", 26, 1, 1)[0];
    let answer = |kernel| {
        let mut answer = solve(&["--exact", "--kernel", kernel, position]);
        let used = answer["kernel"].take();
        answer["seconds"].take();
        (answer, used)
    };
    let (by_hand, used) = answer("portable");
    assert_eq!(used, "portable");
    let on_gpu = ["solve", "--kernel", "gpu", position];
    if !cfg!(feature = "gpu") {
        assert!(run(&on_gpu).fails(2).contains("was built without the feature gpu"));
        return;
    }
    let nowhere = program().args(on_gpu).env("PENTAGO_ADAPTER", "no such adapter").output().unwrap();
    assert_eq!(nowhere.status.code(), Some(4));
    let error = String::from_utf8(nowhere.stderr).unwrap();
    assert!(error.contains("was found with \"no such adapter\""), "{error}");
    if graphics.is_empty() {
        eprintln!("skipped: there is no graphics processor, and no program that plays one");
        return;
    }
    let (by_it, used) = answer("gpu");
    assert_eq!((by_it, used), (by_hand, "gpu".into()));
    // Solve several positions on the GPU at the same time.
    let lines = positions("pentago", 27, 12, 2).join("\n");
    let batch = |kernel| {
        let arguments = ["solve", "--batch", "--kernel", kernel, "--threads", "3"];
        let mut answers = objects(&run_with(&arguments, lines.as_bytes()).ok());
        for answer in &mut answers {
            assert_eq!(answer["kernel"].take(), kernel);
            answer["seconds"].take();
        }
        answers
    };
    assert_eq!(batch("gpu"), batch("portable"));
    for graphics in graphics {
        assert!(text.contains(graphics["name"].as_str().unwrap()), "{text}");
    }
}

#[test]
fn completions_and_manual() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(run(&["completions", shell]).ok().contains("symmetries"), "{shell}");
    }
    assert!(run(&["man"]).ok().contains(".TH pentago 1"));
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    assert_eq!(run(&["man", pages.to_str().unwrap()]).ok(), "");
    let solve = std::fs::read_to_string(pages.join("pentago-solve.1")).unwrap();
    assert!(solve.contains(r"\-\-distance"));
    // The man page of the checker contains the version.
    let checker = std::fs::read_to_string(pages.join("pentago-check.1")).unwrap();
    assert!(checker.contains(concat!("pentago-check ", env!("CARGO_PKG_VERSION"), "\"\n")), "{checker}");
    assert_eq!(std::fs::read_dir(pages).unwrap().count(), 25);
}
