//! The record of measurements is data, and what the code cites of it is there.

use std::collections::BTreeSet;
use std::fs;

use crate::rooms::{files, root};

/// The anchor of a heading, as Markdown viewers make it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}

#[test]
fn tuned_constants_cite_paragraphs_that_exist() {
    let page = fs::read_to_string(root().join("bench/README.md")).expect("the page");
    assert!(page.lines().count() <= 200, "one page");
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let anchors: BTreeSet<String> =
        headings.map(|line| anchor(line.trim_start_matches('#').trim_start())).collect();
    let mut sources = Vec::new();
    for folder in ["solver", "tools"] {
        files(&root().join(folder), &mut sources);
    }
    let mut cited = 0;
    for file in sources.iter().filter(|file| !file.components().any(|c| c.as_os_str() == "target")) {
        let text = fs::read_to_string(file).expect("a source file");
        for rest in text.split("bench/README.md").skip(1) {
            let name = rest.strip_prefix('#').expect("a citation names its paragraph");
            let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
            assert!(anchors.contains(&name), "{}: there is no paragraph {name}", file.display());
            cited += 1;
        }
    }
    assert!(cited > 20, "{cited} citations");
}

#[test]
fn figures_are_numbers_with_units() {
    let record = root().join("bench/record");
    let mut tables = 0;
    for machine in fs::read_dir(record).expect("the record").map(|entry| entry.expect("an entry").path()) {
        if !machine.is_dir() {
            continue;
        }
        for file in fs::read_dir(machine).expect("a machine").map(|entry| entry.expect("an entry").path()) {
            let text = fs::read_to_string(&file).expect("a table");
            let mut lines = text.lines();
            assert_eq!(lines.next(), Some("commit,command,what,figure,unit,note"), "{}", file.display());
            for line in lines {
                let fields = fields(line);
                assert_eq!(fields.len(), 6, "{line}");
                assert!(fields[3].parse::<f64>().is_ok_and(f64::is_finite), "{line}");
                assert!(!fields[1].is_empty() && !fields[2].is_empty() && !fields[4].is_empty(), "{line}");
            }
            tables += 1;
        }
    }
    assert!(tables > 5, "{tables} tables");
}

/// The fields of a line of CSV, each quoted or not.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => fields.last_mut().expect("a field").push(c),
        }
    }
    fields
}
