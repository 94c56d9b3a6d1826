//! Compresses the files of the folder `page` with gzip, and writes a Rust array that embeds them.
//! Scripts are embedded without their comments. A file `NAME.br` is `NAME` compressed with Brotli,
//! and is embedded without changes.

use std::hash::{DefaultHasher, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::bufread::GzEncoder;

fn main() {
    let page = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("page");
    let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo"));
    println!("cargo::rerun-if-changed={}", page.display());
    let mut paths = Vec::new();
    collect(&page, &mut paths);
    paths.sort();
    let mut files = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let name = path.strip_prefix(&page).expect("a path in `page`").to_str().expect("a name in UTF-8");
        let name = name.replace('\\', "/");
        if name.ends_with(".br") {
            continue;
        }
        let mut content = fs::read(path).expect("a readable file");
        if name.ends_with(".js") {
            content = without_comments(std::str::from_utf8(&content).expect("text")).into_bytes();
        }
        let mut hasher = DefaultHasher::new();
        hasher.write(&content);
        let mut gzip = Vec::new();
        GzEncoder::new(&content[..], Compression::best()).read_to_end(&mut gzip).expect("memory");
        let gzip_path = out.join(format!("{index}.gz"));
        fs::write(&gzip_path, gzip).expect("a writable folder");
        let brotli = page.join(format!("{name}.br"));
        let brotli = match paths.contains(&brotli) {
            true => format!("Some(include_bytes!({brotli:?}))"),
            false => "None".to_owned(),
        };
        let hash = hasher.finish();
        files.push(format!(
            "PageFile {{ name: {name:?}, hash: {hash:#x}, gzip: include_bytes!({gzip_path:?}), \
             brotli: {brotli}, plain: OnceLock::new() }}"
        ));
    }
    let code = format!("static FILES: [PageFile; {}] = [{}];", files.len(), files.join(", "));
    fs::write(out.join("page_files.rs"), code).expect("a writable folder");
}

/// Removes the lines of a script that contain only a comment. The compressed scripts are a quarter
/// smaller without comments.
fn without_comments(script: &str) -> String {
    let is_code = |line: &&str| !["//", "/*", "*"].iter().any(|start| line.trim_start().starts_with(start));
    script.split_inclusive('\n').filter(is_code).collect()
}

/// Adds the paths of all files in a folder and its subfolders, except hidden files.
fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() {
            collect(&path, paths);
        } else if !hidden {
            paths.push(path);
        }
    }
}
