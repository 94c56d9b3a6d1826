//! Remote tables: the answers are the same as from local tables, or the program reports an error.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{objects, positions, program, run, run_with};
use crate::host::{Fault, Host};

/// Returns a published folder with the tables of Mini-Pentago.
fn published() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    run(&["build", "mini", "--out", folder.path().to_str().unwrap()]).ok();
    let written = run(&["publish", folder.path().to_str().unwrap(), "--licence", "CC0 & <none>"]).ok();
    assert_eq!(written.lines().count(), 3, "{written}");
    folder
}

/// Returns the answers to positions, without the time that each answer took.
fn answers(tables: &str, positions: &str) -> Vec<Value> {
    let query = ["query", "--rules", "mini", "--batch", "--json", "--tables", tables];
    let mut answers = objects(&run_with(&query, positions.as_bytes()).ok());
    for answer in &mut answers {
        answer.as_object_mut().unwrap().remove("seconds");
    }
    answers
}

/// Compares answers from local tables with answers from the host, for `each` positions of every
/// number of marbles.
fn have_the_answers_of_the_folder(each: u32, folder: &Path, host: &Host) {
    let mut all = String::new();
    for marbles in 0..16 {
        all += &positions("mini", marbles, each, 7 + marbles).join("\n");
        all += "\n";
    }
    let here = answers(folder.to_str().unwrap(), &all);
    assert_eq!(here, answers(&host.address, &all));
    let of_tables = here.iter().filter(|answer| answer["source"] == "table").count();
    assert!(of_tables as u32 >= each * 14, "{of_tables}");
}

#[test]
#[ignore = "long: finds bugs of the block cache after many requests"]
fn long_a_thousand_positions_have_the_answers_of_the_folder() {
    let folder = published();
    have_the_answers_of_the_folder(63, folder.path(), &Host::of(folder.path()));
}

#[test]
fn positions_have_the_answers_of_the_folder() {
    let folder = published();
    let host = Host::of(folder.path());
    have_the_answers_of_the_folder(12, folder.path(), &host);
    // The program requests one list for each kind of game. From each of 17 tables, it requests the
    // end of the file and the blocks.
    let requests = host.requests();
    let blocks: u64 = 3 * 178 * 17;
    assert!(requests > 17 && (requests as u64) < blocks, "{requests}");

    let info = |tables: &str| {
        let mut report = objects(&run(&["info", "--json", tables]).ok()).remove(0);
        let slices = report["targets"][0]["slices"].take();
        let of =
            |slice: &Value| ["marbles", "wins", "draws", "losses", "bytes"].map(|key| slice[key].clone());
        slices.as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(info(folder.path().to_str().unwrap()), info(&host.address));
    let verified = run(&["verify", &host.address, "--hash", "--marbles", "3"]).ok();
    assert!(verified.contains("of 1 table are intact"), "{verified}");
    host.requests();
    let play = ["play", "--rules", "mini", "--tables", &host.address, "--quiet"];
    run_with(&play, b"a1/1+\nquit\n").ok();
    assert!(host.requests() > 0, "it is asked");

    // If the host fails at every attempt, the program reports an error, and no value.
    for fault in [Fault::Damaged, Fault::NoRanges, Fault::OtherBytes, Fault::Long] {
        host.next(usize::MAX, fault);
        let query = ["query", "--rules", "mini", "--tables", &host.address, "--json", "4/4/4/4 x"];
        let answer = run(&query);
        assert_ne!(answer.code, Some(0), "{fault:?}: {}", answer.out);
        assert_eq!(answer.out, "", "{fault:?}");
        assert!(answer.err.contains(&host.address), "{fault:?}: {}", answer.err);
        // Damaged bytes count as a damaged table, with status 1. A host that does not support
        // ranges has status 4.
        let verified = run(&["verify", &host.address, "--marbles", "3"]).code;
        assert!(fault != Fault::Damaged || verified == Some(1), "{verified:?}");
        assert!(fault != Fault::NoRanges || verified == Some(4), "{verified:?}");
    }
}

/// Verification reads every byte from the host. A changed file is one problem, and all other tables
/// are checked.
#[test]
fn a_changed_file_on_a_host_is_one_problem() {
    let folder = published();
    let (host, file) = (Host::of(folder.path()), folder.path().join("mini/slice-08.pentago"));
    let whole = fs::read(&file).unwrap();
    let flipped = |at: usize| [&whole[..at], &[whole[at] ^ 4], &whole[at + 1..]].concat();
    let sizes = [whole[..1000].to_vec(), whole[..50].to_vec(), [&whole[..], b"more"].concat()];
    for bytes in [0, 4, 12, 60, 130, 300, 700].map(flipped).into_iter().chain(sizes) {
        fs::write(&file, bytes).unwrap();
        let verified = run(&["verify", &host.address, "--json"]);
        let report = &objects(&verified.out)[0];
        assert_eq!((verified.code, report["checked"].as_u64()), (Some(1), Some(17)), "{report}");
        assert_eq!(report["problems"].as_array().unwrap().len(), 1, "{report}");
        assert!(report["problems"][0].as_str().unwrap().contains("slice-08.pentago"), "{report}");
        assert!(report["checks"][0]["text"].as_str().unwrap().contains("of 16 of 17 tables"), "{report}");
    }
}

/// A second run of the program requests only the list from the host.
#[test]
fn what_a_host_has_sent_is_kept_on_disk() {
    let folder = published();
    let host = Host::of(folder.path());
    let kept = tempfile::tempdir().unwrap();
    let query = |size: &str| {
        let mut program = program();
        program.env("PENTAGO_CACHE", kept.path().join("new")).env("PENTAGO_CACHE_SIZE", size);
        program.args(["query", "--rules", "mini", "--tables", &host.address, "--json", "4/4/4/4 x"]);
        let output = program.output().unwrap();
        (output, host.requests())
    };
    let value = |output: &Output| objects(&String::from_utf8_lossy(&output.stdout))[0]["value"].clone();
    let (first, cold) = query("1M");
    let (second, warm) = query("1M");
    let here = answers(folder.path().to_str().unwrap(), "4/4/4/4 x\n")[0]["value"].clone();
    assert_eq!((value(&first), value(&second)), (here.clone(), here));
    let lists = host.answered(200);
    assert!(cold > warm && 2 * warm == lists, "{cold} and {warm} requests, {lists} for lists");
    let (bad, _) = query("much");
    assert_eq!(bad.status.code(), Some(2));
    let said = String::from_utf8_lossy(&bad.stderr);
    assert!(said.contains("PENTAGO_CACHE_SIZE: expected a size such as 500M"), "{said}");
}

/// Object stores read a bare `+` as a space, so addresses contain `%2B`.
#[test]
fn names_with_a_plus_are_published() {
    let folder = tempfile::tempdir().unwrap();
    let (path, rules) = (folder.path().to_str().unwrap(), "pente:n=3,k=3,opening=free,cap=2+3");
    run(&["build", rules, "--out", path]).ok();
    run(&["publish", path]).ok();
    let host = Host::of(folder.path());
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains("cap=2%2B3/captured-00-00.pentago\""), "{page}");
    let query = ["query", "3/3/3 x", "--rules", rules, "--no-solve", "--tables"];
    let answer = |tables: &str| run(&[&query[..], &[tables]].concat()).ok().replace(tables, "");
    assert_eq!(answer(&host.address), answer(path));
    let listed = folder.path().join("pente_n=3_k=3_opening=free_cap=2+3/captured-00-00.pentago");
    for (name, reason) in [(".a", "begins with a dot"), (&"a".repeat(200), "longer than 200 bytes")] {
        let other = folder.path().join(name);
        fs::create_dir(&other).unwrap();
        fs::copy(&listed, other.join("a.pentago")).unwrap();
        let error = run(&["publish", path]).fails(2);
        assert!(error.contains(reason) && !error.contains("cannot read"), "{error}");
        fs::remove_dir_all(other).unwrap();
    }
}

/// `publish` writes the checksums and the HTML page.
#[test]
fn a_published_folder_has_its_sums_and_a_page() {
    let folder = published();
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains("Licence: CC0 &amp; &lt;none&gt;.") && page.contains("<h2>mini</h2>"), "{page}");
    assert_eq!(page.matches("href=\"mini/slice-").count(), 17);
    let sums = fs::read_to_string(folder.path().join("SHA256SUMS")).unwrap();
    assert_eq!(sums.lines().count(), 17);
    let mut check = Command::new("sha256sum");
    check.args(["--check", "--quiet", "SHA256SUMS"]).current_dir(folder.path());
    match check.status() {
        Ok(status) => assert!(status.success()),
        Err(error) => eprintln!("skipped: sha256sum: {error}"),
    }
    // A second run publishes only the tables that still exist.
    fs::remove_file(folder.path().join("mini/slice-16.pentago")).unwrap();
    let path = folder.path().to_str().unwrap();
    run(&["publish", path, "--quiet"]).ok();
    let list = fs::read_to_string(folder.path().join("pentago-tables.tsv")).unwrap();
    assert_eq!(list.lines().count(), 1 + 16);
    // Damaged tables are not published.
    let table = folder.path().join("mini/slice-10.pentago");
    let mut bytes = fs::read(&table).unwrap();
    bytes[800] ^= 1;
    fs::write(&table, bytes).unwrap();
    let error = run(&["publish", path, "--quiet"]).fails(3);
    assert!(error.contains("slice-10.pentago: block ") && error.contains("nothing was published"), "{error}");
}

#[test]
fn what_can_not_be_read_at_a_distance_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::of(folder.path());
    let query = |address: &str| run(&["query", "6/6/6/6/6/6", "--tables", address]).fails(3);
    let error = query(&host.address);
    assert!(error.contains("pentago-tables.tsv: cannot read: the host has no such file"), "{error}");
}
