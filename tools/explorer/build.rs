//! Lists the files of the page, so that the program holds all of them whatever they are.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let page = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("page");
    println!("cargo::rerun-if-changed={}", page.display());
    let mut files = Vec::new();
    collect(&page, &mut files);
    files.sort();
    let mut text = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(&page).expect("inside").to_str().expect("a name in UTF-8");
        let name = name.replace('\\', "/");
        writeln!(text, "    ({name:?}, include_bytes!({:?})),", file.display().to_string()).expect("text");
    }
    text.push(']');
    let out = Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("page_files.rs");
    fs::write(out, text).expect("the list can be written");
}

/// All files below a folder but hidden ones.
fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() {
            collect(&path, into);
        } else if !hidden {
            into.push(path);
        }
    }
}
