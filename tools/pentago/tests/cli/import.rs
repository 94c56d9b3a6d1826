//! `import`: converts published files. If the published files are missing, the tests are skipped.

use std::fs;
use std::path::PathBuf;

use crate::common::{Folder, json_of, objects, sh};

/// Returns the paths of the published files of the slices with up to 3 marbles. If files are
/// missing, writes a note to standard error and returns `None`.
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
    let out: &str = &Folder::new();
    let import = format!("import --out {out} {}", files.join(" "));
    let reports = objects(&sh(&format!("{import} --json")).ok());
    assert_eq!(reports.len(), 4);
    for (marbles, report) in reports.iter().enumerate() {
        assert_eq!((&report["marbles"], &report["already_there"]), (&marbles.into(), &false.into()));
        let bytes = |key: &str| fs::metadata(report[key].as_str().unwrap()).unwrap().len();
        assert_eq!(
            (&report["file_bytes"], &report["bytes"]),
            (&bytes("file").into(), &bytes("table").into())
        );
    }
    assert_eq!((&reports[0]["boards"], &reports[1]["boards"]), (&1.into(), &9.into()));
    let again = sh(&import).ok();
    assert_eq!(again.lines().count(), 4);
    let last = again.lines().last().unwrap();
    assert!(last.contains(": 3 marbles, 7 sections, 286 entries, ") && last.ends_with(" existed already"));
    let start = json_of(&format!("query --tables {out} '6/6/6/6/6/6 x'"));
    assert_eq!((&start["value"], &start["source"]), (&"win".into(), &"table".into()));
    let verified = sh(&format!("verify {out} --full --marbles 1 --quiet")).ok();
    assert!(verified.contains("full: 1 marble: all 768 values of 3 entries agree"), "{verified}");
    assert!(sh(&format!("info {out}")).ok().contains("4 tables"));
    let csv = sh(&format!("export --tables {out} --marbles 0")).ok();
    assert_eq!(csv, "position,value,over\n6/6/6/6/6/6 x,win,false\n");
}
