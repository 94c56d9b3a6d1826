//! Tests of requests and answers, natively instead of in a browser.

use crate::session::{Session, json};
use crate::{tables, values};

fn ask(texts: &[&str]) -> String {
    Session::default().ask(&texts.join("\0"))
}

#[test]
fn presets_are_listed_with_their_boards() {
    let text = ask(&["rules"]);
    assert_eq!(text.matches("\"title\":").count(), 12, "{text}");
    assert_eq!(text.matches("\"turns\":[]").count(), 4, "{text}");
    assert!(text.contains("\"files\":\"ABCDEFGHJKLMNOPQRST\",\"run\":5,\"blocks\":[]"), "{text}");
    assert!(text.contains("{\"seat\":\"d\",\"marble\":\"D\",\"team\":\"bd\"}"), "{text}");
}

#[test]
fn look_lists_the_moves_of_all_games() {
    for (rules, position, moves) in [
        ("pentago", "6/6/6/6/6/6 x", 288),
        ("pentago-eu", "6/6/6/6/6/6 x", 144),
        ("mini", "4/4/4/4 x", 128),
        ("xl", "9/9/9/9/9/9/9/9/9 a", 1296),
        ("pente", "19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19 x", 1),
    ] {
        let text = ask(&["look", rules, position]);
        assert_eq!(text.matches("\"move\":").count(), moves, "{rules}: {}", &text[..200.min(text.len())]);
        assert!(text.contains(&format!("\"position\":\"{position}\"")));
    }
}

#[test]
fn a_pasted_text_is_a_position_a_game_or_a_list_of_moves() {
    let board = "\"position\":\"6/6/6/6/5X/6 o\"";
    for text in ["c4/2+ ", "6/6/6/6/6/6 x", "1. c4/2+ 2. d3/1-", "c4/2+,d3/1-,e5/1+"] {
        assert!(ask(&["read", "pentago", text]).contains("\"rules\":\"pentago\""), "{text}");
    }
    assert!(
        ask(&["read", "pentago", "# A game of Pentago.\nrules pentago\nstart 6/6/6/6/6/6 x\nf2/1+\n"])
            .contains(board)
    );
    assert!(ask(&["read", "pentago", "4/4/4/4 x"]).contains("\"rules\":\"mini\""));
    assert!(ask(&["read", "mini", "9/9/9/9/9/9/9/9/9 a"]).contains("\"rules\":\"xl\""));
    let error = ask(&["read", "pentago", "6/6/6/7/6/6 x"]);
    assert!(error.contains("error") && error.contains('^'), "{error}");
    assert!(ask(&["read", "pentago", "f2/1+ f2/1+"]).contains("line 1: f2/1+: this socket holds"));
}

#[test]
fn late_positions_have_values_and_distances() {
    let position = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o";
    let text = ask(&["values", "pentago", position, "1", "5"]);
    assert!(text.contains("\"value\":\"win\",\"source\":\"solved\""), "{text}");
    assert!(text.contains("\"distance\":7,\"best\":[\"b1/3+\"]"), "{text}");
}

#[test]
fn the_opponent_chooses_a_move_where_no_value_is_known() {
    for (rules, position) in [("pentago-fi", "6/6/6/6/6/6 x"), ("xl", "9/9/9/9/9/9/9/9/9 a")] {
        let (text, moves) = (ask(&["think", rules, position, "0"]), ask(&["look", rules, position]));
        let chosen = text.strip_prefix("{\"move\":").and_then(|text| text.strip_suffix('}'));
        assert!(chosen.is_some_and(|chosen| moves.contains(chosen)), "{rules}: {text}");
    }
}

#[test]
fn effort_counts_the_boards_of_the_solution() {
    for (texts, boards) in [
        (["pentago", "3OX1/OOXOX1/3XOX/OX2OO/2X1X1/3O1X x"], 86_574_831),
        (["pentago", "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o"], 49_721),
        (["pente", "19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19 x"], 0),
    ] {
        let asked = [&["effort"], &texts[..]].concat();
        assert_eq!(ask(&asked), format!("{{\"boards\":{boards}}}"), "{texts:?}");
    }
    assert!(ask(&["effort", "pentago", "x"]).contains("error"));
}

/// This test only counts the work for the GPU. `tests/browser` runs the work on a GPU.
#[test]
fn large_solutions_are_left_to_the_gpu() {
    let question = ["values", "pentago", "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o", "0", "5"];
    let asked = |limits| [&question[..], &[limits]].concat().join("\0");
    let known = |answer: &str| answer.starts_with("{\"position\":") && !answer.contains("\"gpu\"");
    // The CPU answers if the solution is too small or too large for the GPU, or if the limits are
    // invalid.
    for limits in ["134217728 8 65536 0 1000 1000000000 49722", "134217728 8 65536 0 1000 64 0", "1 2", ""] {
        assert!(known(&Session::default().ask(&asked(limits))), "{limits}");
    }
    let mut session = Session::default();
    let task: serde_json::Value =
        serde_json::from_str(&session.ask(&asked("134217728 8 262144 0 1000 1000000000 49721")))
            .expect("JSON");
    let task = &task["device"];
    assert!(task["shader"].as_str().expect("a shader").contains("fn compute("));
    let sum =
        |pieces: &serde_json::Value| pieces.as_array().expect("a list").iter().map(|b| b.as_u64()).sum();
    let pieces: Option<u64> = sum(&task["pieces"]);
    assert!(pieces.expect("numbers") > 1 << 16);
    let (mut written, mut boards, mut reads) = ([0; 2], 0, 0);
    let mut part = Vec::new();
    loop {
        session.device.part(&mut part);
        let words: Vec<u32> = part.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        match words[..] {
            [] => break,
            [buffer @ (0 | 1), at, ref rest @ ..] => {
                assert_eq!(written[buffer as usize], at as usize);
                written[buffer as usize] += rest.len();
            }
            [2, of_batch, steps, ref rest @ ..] => {
                boards += u64::from(of_batch);
                reads += rest.chunks(18).take(steps as usize).filter(|step| step[0] == 0).count();
            }
            _ => panic!("{words:?}"),
        }
    }
    assert_eq!(task["tables"], written[0]);
    assert_eq!(task["fives"], 4 * written[1]);
    assert_eq!(task["boards"], boards);
    assert_eq!(task["reads"], 64 * reads);
    assert!(!session.device.learn(&[0; 64]));
    // The wrong results have ended the task, so even results of the right size are refused now.
    assert!(!session.device.learn(&vec![0; 64 * reads]));
}

#[test]
fn an_unsolved_position_reports_the_cost_of_its_solution() {
    let position = "3XO1/X1XO2/O1OX1O/1O3X/1XX1O1/1O1X2 x";
    let text = ask(&["values", "pentago", position, "0", "0"]);
    assert!(text.contains("\"value\":\"unknown\",\"guess\":0."), "{text}");
    assert!(text.contains("\"full\":{\"boards\":741365049,\"bytes\":"), "{text}");
    assert!(text.contains("\"proved\":{\"no_win_within\":"), "{text}");
}

/// The checksums of every kernel. `tests/browser` compares those of the module in a browser.
const DIGESTS: &str =
    r#""passes":"2430acbcfc5cdf7b","solved":"23e35ee0bd1cd371","proved":"1cf3f3d7b7172a50"}"#;

#[test]
#[ignore = "long: compares the results of all kernels with those of the browser"]
fn long_all_kernels_agree() {
    for kernel in pentago::Kernel::available() {
        let text = json(&values::digest(kernel, 7));
        assert!(text.ends_with(DIGESTS), "{kernel}: {text}");
    }
}

/// Builds the tables of all positions below a position, and writes the list of files that a host
/// needs.
fn published(position: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let position = position.parse().expect("a position");
    pentago::Build::root(pentago::Rules::default(), position).keep(36).run(folder.path()).expect("built");
    let (files, _) = pentago_store::list(folder.path()).expect("listed");
    let text = pentago_store::to_text(&files);
    std::fs::write(folder.path().join(pentago_store::LISTING), text).expect("written");
    folder
}

/// Repeats a request until there is an answer. Before each repetition, passes the missing bytes,
/// which `change` may damage, to the module. Returns the answer, and the number of files and ranges
/// that each round fetched.
fn fetched(
    session: &mut Session,
    folder: &std::path::Path,
    texts: &[&str],
    change: impl Fn(Vec<u8>) -> Vec<u8>,
) -> (serde_json::Value, Vec<usize>) {
    let mut rounds = Vec::new();
    loop {
        let answer: serde_json::Value =
            serde_json::from_str(&session.ask(&texts.join("\0"))).expect("an answer");
        let Some(needed) = answer.get("fetch").and_then(|needed| needed.as_array()) else {
            return (answer, rounds);
        };
        assert!(rounds.len() < 9, "{rounds:?} {answer}");
        rounds.push(needed.len());
        for (index, needed) in needed.iter().enumerate() {
            let name = needed["address"].as_str().expect("an address").strip_prefix("http://host/tables/");
            let bytes = std::fs::read(folder.join(name.expect("this host"))).expect("a file");
            let bytes = match needed.get("part") {
                None => bytes,
                Some(part) => {
                    assert_eq!(part[1], bytes.len());
                    let at = part[0].as_u64().expect("a number") as usize;
                    change(bytes[at..at + needed["bytes"].as_u64().expect("a number") as usize].to_vec())
                }
            };
            assert!(tables::bring(index, bytes));
        }
    }
}

#[test]
fn tables_on_a_host_answer_in_few_rounds() {
    let root = "1XXOO1/O2OXO/1OXOXO/XOXO1O/XXX2X/XXXOO1 o";
    let folder = published(root);
    let open = ["tables", "http://host/tables"];
    let values = ["values", "pentago", root, "0", "5"];
    let solved: serde_json::Value = serde_json::from_str(&ask(&values)).expect("an answer");
    let gist = |answer: &serde_json::Value| {
        let moves = answer["moves"].as_array().expect("moves").iter();
        let mut moves: Vec<_> = moves.map(|m| (m["move"].to_string(), m["value"].to_string())).collect();
        moves.sort();
        (answer["value"].to_string(), moves)
    };
    let mut session = Session::default();
    let (opened, rounds) = fetched(&mut session, folder.path(), &open, |bytes| bytes);
    assert_eq!((opened["damaged"].as_array().map(Vec::len), rounds), (Some(0), vec![1]), "{opened}");
    let (answer, rounds) = fetched(&mut session, folder.path(), &values, |bytes| bytes);
    assert_eq!((&answer["source"], rounds.len()), (&"table".into(), 2), "{answer}");
    assert_eq!(gist(&answer), gist(&solved));
    assert_eq!(fetched(&mut session, folder.path(), &values, |bytes| bytes).1, [0; 0]);
    let effort = fetched(&mut session, folder.path(), &["effort", "pentago", root], |bytes| bytes);
    assert_eq!(effort, (serde_json::json!({ "boards": 0 }), vec![]));
    // A position that the tables do not contain causes no fetches.
    let other = ["values", "mini", "1XOX/X1OO/OXX1/XO1O x", "0", "5"];
    let (answer, rounds) = fetched(&mut session, folder.path(), &other, |bytes| bytes);
    assert_eq!((&answer["source"], rounds.len()), (&"solved".into(), 0));
    // Damaged bytes cause an error once they have been fetched a second time.
    fetched(&mut session, folder.path(), &open, |bytes| bytes);
    let damaged = |bytes: Vec<u8>| bytes.iter().map(|byte| byte ^ 4).collect();
    let (answer, _) = fetched(&mut session, folder.path(), &values, damaged);
    assert!(answer["error"].as_str().expect("an error").contains("damaged"), "{answer}");
    // Bytes of a wrong length are refused. Without tables, the module solves the position itself
    // again.
    assert_eq!(session.ask("tables\0"), "null");
    assert!(session.ask("tables\0http://host/tables").contains("fetch"));
    assert!(!tables::bring(0, vec![0; (16 << 20) + 1]) && !tables::bring(1, Vec::new()));
    assert_eq!(session.ask("tables\0"), "null");
    let (answer, _) = fetched(&mut session, folder.path(), &values, |bytes| bytes);
    assert_eq!((&answer["source"], gist(&answer)), (&"solved".into(), gist(&solved)));
}

#[test]
fn the_page_has_the_openings_of_the_program() {
    let files = ["openings.bin", "openings-6.bin"].map(|name| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../page").join(name);
        std::fs::read(path).expect("a file of the page")
    });
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../solver/tables/data/openings/pentago");
    let tables: Vec<u8> = (0..=6)
        .flat_map(|slice| {
            let table = std::fs::read(folder.join(format!("slice-{slice:02}.pentago"))).expect("a table");
            [&(table.len() as u32).to_le_bytes(), &table[..]].concat()
        })
        .collect();
    assert_eq!(files.concat(), tables);
    assert!(pentago_games::take_openings(tables));
    assert!(!pentago_games::take_openings(vec![1, 0, 0]) && !pentago_games::take_openings(Vec::new()));
    // With five marbles, the values of all moves are known.
    let five: serde_json::Value =
        serde_json::from_str(&ask(&["values", "pentago", "2O3/2XO2/X1X3/6/6/6 o", "0", "0"])).expect("JSON");
    assert_eq!((&five["value"], five["best"].as_array().map(Vec::len)), (&"draw".into(), Some(12)));
    assert!(five["moves"].as_array().expect("moves").iter().all(|m| m["value"] != "unknown"));
}

#[test]
fn the_page_has_the_certificate_of_the_program() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut file =
        std::fs::read(root.join("tools/explorer/page/certificate.bin")).expect("a file of the page");
    let text = std::fs::read(root.join("solver/xl/src/lemmas/empty-board.txt")).expect("the certificate");
    assert!(zstd::decode_all(&file[..]).expect("compressed") == text);
    assert!(pentago_games::open_certificate(&file).is_some());
    file[30_000] ^= 1;
    assert!(pentago_games::open_certificate(&file).is_none());
    assert!(pentago_games::open_certificate(b"").is_none());
}

#[test]
fn nonsense_is_answered_with_an_error() {
    for texts in [&["nothing"][..], &["look", "chess", "x"], &["values", "pentago", "x"], &["look"], &[""]] {
        assert!(ask(texts).starts_with("{\"error\":\""), "{texts:?}");
    }
}
