//! The rooms of the library are what the README says: each folder is in its picture, in the order
//! in which data flows, and uses only those above it.

use crate::uses::{circles, of_crate};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The rooms of `solver/pentago`, in the order of the README's picture.
fn rooms() -> Vec<String> {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    let picture = readme.split("## The rooms").nth(1).expect("the README has a picture of the rooms");
    let inside = picture.lines().skip_while(|line| !line.starts_with("  pentago/")).skip(1);
    let inside = inside.take_while(|line| line.starts_with("    "));
    // Lines that are further in go on with the text above them.
    let rooms = inside.filter_map(|line| line.strip_prefix("    ")).filter(|line| !line.starts_with(' '));
    rooms.filter_map(|line| Some(line.split_once(['/', ' '])?.0.to_owned())).collect()
}

/// All Rust files below a folder.
pub fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn each_room_is_in_the_picture_and_uses_only_those_above_it() {
    let rooms = rooms();
    let source = root().join("solver/pentago/src");
    let mut there: Vec<String> = fs::read_dir(&source)
        .expect("the source")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.file_stem().is_some_and(|stem| stem != "lib"))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    there.sort();
    let mut pictured = rooms.clone();
    pictured.sort();
    assert_eq!(there, pictured, "the folders of the library, and the README's picture of them");

    let place: BTreeMap<&str, usize> = rooms.iter().enumerate().map(|(i, r)| (r.as_str(), i)).collect();
    let uses = of_crate(&source);
    // What the library has at its root comes from some room.
    let at_root: BTreeMap<&str, &str> = uses[&Vec::new()]
        .iter()
        .filter_map(|path| Some((path.last()?.as_str(), path.first()?.as_str())))
        .collect();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (module, paths) in &uses {
        let Some(own) = module.first().and_then(|room| place.get(room.as_str())) else { continue };
        for path in paths {
            let Some(first) = path.first().map(String::as_str) else { continue };
            let room = at_root.get(first).copied().unwrap_or(first);
            let Some(at) = place.get(room) else { continue };
            seen += usize::from(at < own);
            if at > own {
                wrong.push(format!("{} uses {}", module.join("::"), path.join("::")));
            }
        }
    }
    assert!(seen > 100, "rooms use others above them: {seen}");
    assert!(wrong.is_empty(), "rooms that use others below them:\n{}", wrong.join("\n"));
}

/// No file uses one that uses it, directly or by way of others.
#[test]
fn files_are_in_an_order() {
    for library in ["base", "store", "search", "pentago", "xl", "pente", "games"] {
        let circles = circles(&root().join("solver").join(library).join("src"));
        assert!(circles.is_empty(), "circles in {library}: {circles:?}");
    }
}

/// No two types of the library have the same name, so that a name means one thing.
#[test]
fn a_name_means_one_type() {
    let mut sources = Vec::new();
    files(&root().join("solver/pentago/src"), &mut sources);
    files(&root().join("solver/store/src"), &mut sources);
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in sources {
        // Each kernel has its own vector type of the same name; tests may call theirs as they like.
        if file.components().any(|c| c.as_os_str() == "tests" || c.as_os_str() == "kernel") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file");
        let text = text.split("#[cfg(test)]\nmod tests {").next().expect("a beginning");
        for line in text.lines() {
            let line = line.trim_start();
            let line = line.strip_prefix("pub ").or(line.strip_prefix("pub(super) ")).unwrap_or(line);
            let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
            let Some(rest) = ["struct ", "enum ", "trait "].iter().find_map(|k| line.strip_prefix(k)) else {
                continue;
            };
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            found.entry(name).or_default().push(file.display().to_string());
        }
    }
    found.retain(|_, files| files.len() > 1);
    assert!(found.is_empty(), "{found:#?}");
}
