//! Tables of Pentago XL and Pente: tests that build, kill, resume, list, verify and query tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pentago_search::sealed;
use serde_json::{Value, json};

use crate::common::{Folder, json, json_of, kill, objects, positions, run, run_with, sh, solve};
use crate::schema;
use crate::serve::Server;

/// Checks that `query` and `solve` give the same answer, and that every value in the answer of
/// `query` comes from a table or from the rules.
fn as_solved(rules: &str, position: &str, tables: &str) {
    let found = json(&["query", "--rules", rules, "--json", "--tables", tables, "--no-solve", position]);
    let solved = solve(&["--rules", rules, position]);
    for key in ["position", "rules", "to_move", "value", "seats", "captures"] {
        assert_eq!(found[key], solved[key], "{key} of {position}");
    }
    assert!(found["source"] == "table" || found["source"] == "rules", "{found}");
    let by_move = |answer: &Value| -> BTreeMap<String, (Value, Value)> {
        let moves = answer["moves"].as_array().unwrap().iter();
        moves.map(|m| (m["move"].to_string(), (m["value"].clone(), m["position"].clone()))).collect()
    };
    assert_eq!(by_move(&found), by_move(&solved), "{position}");
    for m in found["moves"].as_array().unwrap() {
        assert!(m["source"] == "table" || m["source"] == "rules", "{m}");
    }
}

#[test]
fn xl_below_a_root() {
    let folder = Folder::new();
    let draw = ["random", "--rules", "xl", "--marbles", "73", "--quiet-positions", "--seed", "4"];
    let root = run(&draw).ok().trim().to_owned();
    let target = format!("root:{root}");
    kill(&format!("build --rules xl '{target}'"), Path::new(&*folder), 6);
    let [out, few] = ["plain", "few"].map(|name| folder.at(name));
    let query = |tables: &str, position: &str| {
        json(&["query", "--rules", "xl", "--json", "--tables", tables, position])
    };
    // Query the root, a position one move later, and a position two moves later.
    as_solved("xl", &root, &out);
    let answer = query(&out, &root);
    let after: Vec<&str> =
        answer["moves"].as_array().unwrap().iter().map(|m| m["position"].as_str().unwrap()).collect();
    as_solved("xl", after[3], &out);
    // Find a position in which the game isn't over, so that a table is needed.
    let next = after.into_iter().find(|next| query(&out, next)["source"] != "rules").unwrap();
    let batch = ["query", "--rules", "xl", "--batch", "--tables", &out];
    let answers = objects(&run_with(&batch, format!("{next}\nno\n").as_bytes()).out);
    assert_eq!((&answers[0]["source"], answers[1]["line"].as_u64()), (&"table".into(), Some(2)));

    let info = json(&["info", &out, "--json"]);
    let slices = info["targets"][0]["slices"].as_array().unwrap();
    assert_eq!((slices.len(), &slices[0]["marbles"], &slices[0]["entries"]), (8, &73.into(), &1.into()));
    assert!(run(&["info", &out]).ok().contains("xl, root:"));
    let verified = run(&["verify", &out, "--hash", "--sample", "50", "--full"]).ok();
    assert!(verified.contains("agree with their moves") && !verified.contains("NOT"), "{verified}");
    assert!(verified.contains("50 random positions, none wrong"), "{verified}");
    let counts = run(&["verify", &out, "--counts"]);
    assert!(counts.code == Some(3) && counts.err.contains("no counts could be compared"), "{}", counts.err);
    run(&["verify", &out, "--marbles", "12"]).fails(3);

    // If only some slices are stored, `verify` can't compare the last stored slice with its moves.
    // Later positions are solved.
    run(&["build", &target, "--rules", "xl", "--keep", "74", "--out", &few]).ok();
    assert!(run(&["verify", &few, "--full"]).ok().contains("NOT compared"));
    let found = query(&few, next);
    assert_eq!(found["source"], "table");
    let source = |source: &str| found["moves"].as_array().unwrap().iter().any(|m| m["source"] == source);
    assert!(source("solved") && !source("table"), "{found}");

    // A changed byte causes an error, not another value.
    let path = slices[3]["file"].as_str().unwrap();
    let mut bytes = fs::read(path).unwrap();
    bytes[3000] ^= 1;
    fs::write(path, bytes).unwrap();
    let error = run(&["verify", &out, "--hash"]).err;
    assert!(error.contains("slice-76") && error.contains("damaged"), "{error}");
}

#[test]
fn a_certificate_answers_for_one_side() {
    let (folder, damaged) = (Folder::new(), Folder::new());
    let root = "9/1B7/9/9/4A4/9/9/9/9 a";
    let text = sh(&format!("prove --rules xl '{root}'")).ok();
    let zipped = zstd::encode_all(text.as_bytes(), 3).unwrap();
    fs::write(folder.at("win.txt.zst"), &zipped).unwrap();
    fs::write(folder.at("notes.txt"), "not a certificate").unwrap();
    let query = |position: &str| {
        json(&["query", "--rules", "xl", "--json", "--tables", &folder, "--no-solve", position])
    };
    let proved =
        |value: &str, within: u32| json!([value, "certificate", {"by": "certificate", "within": within}]);
    let of = |answer: &Value| json!([answer["value"], answer["source"], answer["found"]]);
    let best = |answer: &Value| -> Value {
        let mut moves = answer["moves"].as_array().unwrap().iter();
        moves.find(|m| m["move"] == answer["best"][0]).unwrap().clone()
    };
    for image in [root, "9/7B1/9/9/4A4/9/9/9/9 a", "9/9/9/9/4A4/9/9/7B1/9 a"] {
        let answer = query(image);
        assert_eq!((of(&answer), of(&best(&answer))), (proved("win", 9), proved("win", 9)), "{answer}");
        let next = query(best(&answer)["position"].as_str().unwrap());
        assert_eq!(of(&next), proved("loss", 8));
        let moves = next["moves"].as_array().unwrap();
        assert!(moves.iter().all(|m| m["value"] == "loss" && m["source"] == "certificate"), "{next}");
    }
    // The program contains the certificate of the empty board.
    for (position, value) in [("9/9/9/9/9/9/9/9/9 a", "win"), ("9/9/9/9/4A4/9/9/9/9 b", "loss")] {
        let answer = json(&["solve", "--rules", "xl", "--json", position]);
        assert_eq!((&answer["value"], &answer["source"]), (&value.into(), &"certificate".into()), "{answer}");
        // Sixteen turns change nothing on a board with one marble in the middle.
        let best = answer["best"].as_array().unwrap();
        assert_eq!(best.len(), if value == "win" { 16 } else { 1280 }, "{answer}");
    }
    let said = run(&["query", "--rules", "xl", "--tables", &folder, root]).ok();
    for expected in
        ["value: win for a", "source: certificate (", "found: a certificate; the game ends within 9 plies"]
    {
        assert!(said.contains(expected), "{said}");
    }

    let played = run(&[
        "play",
        "--rules",
        "xl",
        "--side",
        "none",
        "--time",
        "0",
        "--tables",
        &folder,
        "--position",
        root,
    ])
    .ok();
    assert!(
        played.contains("this wins within 9 plies") && played.contains("The game is over: a has won"),
        "{played}"
    );
    let server = Server::start(&["--tables", &folder]);
    let path = format!("/api/v1/position?rules=xl&p={}", root.replace(' ', "%20"));
    let answer = server.get(&path);
    assert_eq!(of(&answer), proved("win", 9));
    let document = server.get("/api/v1/openapi.json");
    assert_eq!(schema::against(&document, "Answer", &answer), Vec::<String>::new());

    let info = json(&["info", &folder, "--json"]);
    let slices = &info["targets"][0]["slices"];
    assert_eq!(
        (&info["targets"][0]["target"], &slices[0]["marbles"]),
        (&format!("xl, certificate:{root}").into(), &2.into())
    );
    assert!(
        run(&["verify", &folder, "--hash", "--sample", "5", "--full"])
            .ok()
            .contains("nothing wrong in 1 table")
    );

    // The program skips wrong files, with their names, and uses the others.
    fs::write(damaged.at("changed.txt"), text.replace("+", "-")).unwrap();
    let body = &text[..text.rfind("checksum").unwrap()];
    fs::write(damaged.at("wrong.txt"), sealed(body.replace("+", "-"))).unwrap();
    fs::write(damaged.at("cut.zst"), &zipped[..zipped.len() / 2]).unwrap();
    fs::write(damaged.at("win.txt"), &text).unwrap();
    let found = run(&["query", "--rules", "xl", "--json", "--tables", &damaged, "--no-solve", root]);
    for expected in [
        "changed.txt: a wrong certificate: the checksum is wrong",
        "wrong.txt: a wrong certificate: lemma ",
        "cut.zst: cannot read",
    ] {
        assert!(found.err.contains(expected), "{}", found.err);
    }
    assert_eq!(of(&serde_json::from_str(&found.ok()).unwrap()), proved("win", 9));
    run(&["verify", &damaged]).code.filter(|&code| code == 1).unwrap();
}

#[test]
fn complete_pente() {
    let folder = Folder::new();
    let target = "pente:w=4,h=3,k=3,opening=free";
    kill(&format!("build {target}"), Path::new(&*folder), 6);
    let out = folder.at("plain");
    as_solved(target, "4/4/4 x", &out);
    for position in positions(target, 6, 4, 5) {
        as_solved(target, &position, &out);
    }
    let info = json(&["info", &out, "--json"]);
    let slices = info["targets"][0]["slices"].as_array().unwrap();
    assert_eq!((slices.len(), &slices[0]["captures"]), (25, &json!({"o": 0, "x": 0})));
    assert!(run(&["info", &out]).ok().contains("4-2"));
    let verified = run(&["verify", &out, "--hash", "--sample", "200", "--full", "--counts"]).ok();
    assert!(verified.contains("values agree with their moves") && !verified.contains("NOT"), "{verified}");
    assert!(verified.contains("the empty board is a win, as is known"), "{verified}");
    let text = run(&["query", "4/4/4 x", "--rules", target, "--tables", &out]).ok();
    assert!(text.contains("value: win for x") && text.contains("source: table"), "{text}");
    // There is no table for other rules in this folder.
    let other =
        ["query", "4/4/4 x", "--rules", "pente:w=4,h=3,k=4,opening=free", "--tables", &out, "--no-solve"];
    assert!(run(&other).fails(3).contains("the tables in"));
    // Tables of Pente have no number of marbles, so there is no chart.
    assert!(run(&["info", &out, "--plot", &format!("{out}/chart.svg")]).fails(3).contains("nothing to draw"));
    // Tables of all games can share a folder.
    run(&["build", "mini:k=3", "--out", &out]).ok();
    let info = json(&["info", &out, "--json"]);
    assert_eq!(info["targets"].as_array().unwrap().len(), 2);
    let verified = run(&["verify", &out]).ok();
    assert!(verified.contains(". pente:w=4,h=3") && verified.contains("17 tables are intact"), "{verified}");
}

#[test]
fn plans_say_what_it_takes() {
    let pente = json_of("plan pente:n=4,k=4,opening=free");
    assert!((21_000_000..22_000_000).contains(&pente["boards"].as_u64().unwrap()), "{pente}");
    assert!(pente["kept_bytes"].as_u64() < pente["raw_bytes"].as_u64());
    // Plans of small tables include the header and the index in the size.
    let late = format!("'root:{}'", sh("random --marbles 30").ok().trim());
    for target in ["mini", "pente:w=3,h=3,k=3,opening=free", &late] {
        let built = json_of(&format!("build {target} --out {}", &*Folder::new()));
        let planned = json_of(&format!("plan {target}"));
        let ratio = planned["kept_bytes"].as_f64().unwrap() / built["bytes"].as_f64().unwrap();
        assert!((0.8..1.2).contains(&ratio), "{target}: {ratio}");
    }
    let root = sh("random --rules xl --marbles 69 --quiet-positions").ok();
    let plan = format!("plan --rules xl 'root:{}'", root.trim());
    let xl = json_of(&plan);
    assert_eq!((&xl["boards"], &xl["scratch_bytes"]), (&xl["kept_boards"], &0.into()));
    assert!(sh(&plan).ok().contains("boards     142,441"));
}
