//! The documents: what they link to is there, and the list of the book has all that a reader needs.

use crate::rooms::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The documents: all files `*.md` of the project.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if path.is_dir() {
                if !name.starts_with('.') && !["target", "node_modules", "venv", "shared"].contains(&&*name) {
                    folders.push(path);
                }
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A document without its fenced blocks.
fn prose(text: &str) -> String {
    text.split("\n```").step_by(2).collect()
}

/// What a document links to.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let targets = prose.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()));
    targets.collect()
}

/// The names by which the headings of a document are linked to.
fn anchors(text: &str) -> BTreeSet<String> {
    let prose = prose(text);
    let headings = prose.lines().filter_map(|line| line.strip_prefix('#'));
    let name = |heading: &str| {
        let kept = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-' || *c == '_');
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(name).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut wrong = Vec::new();
    let mut followed = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).expect("text");
        // The list of the book is read from the root of the project.
        let is_list = document.ends_with("docs/SUMMARY.md");
        let folder = if is_list { root() } else { document.parent().expect("a folder").to_owned() };
        for link in links(&text) {
            if link.starts_with("http") || link.contains(' ') {
                continue;
            }
            followed += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { document.clone() } else { folder.join(file) };
            let there = target.exists()
                && (anchor.is_empty()
                    || anchors(&fs::read_to_string(&target).unwrap_or_default()).contains(anchor));
            if !there {
                wrong.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(followed > 50, "{followed} links were found");
}

#[test]
fn the_book_has_every_document_for_readers() {
    let list = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("the list");
    let listed: BTreeSet<PathBuf> = links(&list).into_iter().map(PathBuf::from).collect();
    let own = |path: &Path| path.strip_prefix(root()).expect("below the root").to_owned();
    // Those of the data are for who changes it.
    let missing: Vec<PathBuf> = documents()
        .iter()
        .map(|path| own(path))
        .filter(|path| !path.ends_with("SUMMARY.md") && !listed.contains(path))
        .filter(|path| !path.starts_with("tests/data") && !path.starts_with("solver"))
        .collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md lacks {missing:?}");
}
