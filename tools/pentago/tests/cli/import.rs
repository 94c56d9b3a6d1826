//! `import`: converts published files, and refuses other files. Without the published files, only
//! the refusals are tested.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{objects, run};

/// Returns the published files of the slices with up to 3 marbles, or notes on standard error that
/// they are missing and returns `None`.
fn files() -> Option<Vec<String>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/published");
    let files = (0..4).map(|marbles| folder.join(format!("slice-{marbles}.pentago")));
    let there: Vec<String> =
        files.filter(|path| path.exists()).map(|path| path.to_str().unwrap().to_owned()).collect();
    if there.len() == 4 {
        return Some(there);
    }
    eprintln!("skipped: no files in {}", folder.display());
    None
}

#[test]
fn published_files_become_tables() {
    let Some(files) = files() else { return };
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tables");
    let out = out.to_str().unwrap();
    let import = |more: &[&str]| run(&[&["import", "--out", out], more, &files].concat());
    let reports = objects(&import(&["--json"]).ok());
    assert_eq!(reports.len(), 4);
    for (marbles, report) in reports.iter().enumerate() {
        assert_eq!(report["marbles"], marbles);
        assert_eq!(report["already_there"], false);
        let bytes = |key: &str| fs::metadata(report[key].as_str().unwrap()).unwrap().len();
        assert_eq!(report["file_bytes"], bytes("file"));
        assert_eq!(report["bytes"], bytes("table"));
    }
    assert_eq!((&reports[0]["boards"], &reports[1]["boards"]), (&1.into(), &9.into()));
    let again = import(&[]).ok();
    assert_eq!(again.lines().count(), 4);
    let last = again.lines().last().unwrap();
    assert!(last.contains(": 3 marbles, 7 sections, 286 entries, ") && last.ends_with(" existed already"));
    let query = |position: &str| -> Value {
        let out = run(&["query", "--json", "--tables", out, position]).ok();
        objects(&out).pop().unwrap()
    };
    let start = query("6/6/6/6/6/6 x");
    assert_eq!((&start["value"], &start["source"]), (&"win".into(), &"table".into()));
    let verified = run(&["verify", out, "--full", "--marbles", "1", "--quiet"]).ok();
    assert!(verified.contains("full: 1 marble: all 768 values of 3 entries agree"), "{verified}");
    assert!(run(&["info", out]).ok().contains("4 tables"));
    let csv = run(&["export", "--tables", out, "--marbles", "0"]).ok();
    assert_eq!(csv, "position,value,over\n6/6/6/6/6/6 x,win,false\n");
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tables");
    let out = out.to_str().unwrap();
    let import = |path: &Path| run(&["import", path.to_str().unwrap(), "--out", out]);
    let path = folder.path().join("slice-3.pentago");
    assert!(import(&path).fails(3).contains("slice-3.pentago: cannot open"));
    fs::write(&path, "something else, of more than twenty bytes").unwrap();
    assert!(import(&path).fails(2).contains("slice-3.pentago: not a file of the published solution"));
    let table = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../solver/tables/data/openings/pentago/slice-03.pentago");
    assert!(import(&table).fails(2).contains("slice-03.pentago: this is a table already"));
    assert!(run(&["import", "--out", out]).fails(2).contains("<FILE>"));
    let Some(files) = files() else { return };
    let mut bytes = fs::read(&files[3]).unwrap();
    fs::write(&path, &bytes[..600]).unwrap();
    assert!(import(&path).fails(2).contains("slice-3.pentago: section 0: the block index ends at byte "));
    // Damage a byte after the headers.
    bytes[700] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let error = import(&path).fails(2);
    assert!(error.contains("slice-3.pentago: section ") && error.contains(" is damaged: xz: "), "{error}");
    // A failed import doesn't block the right file.
    let out = run(&["import", &files[3], "--out", out, "--quiet"]).ok();
    assert!(!out.contains("already"), "{out}");
}
