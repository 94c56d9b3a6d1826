//! Lists the files of the page and compresses them, so that the program holds all of them, whatever
//! they are.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::Compression;
use flate2::read::GzEncoder;

fn main() {
    let page = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("page");
    let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo"));
    println!("cargo::rerun-if-changed={}", page.display());
    let mut files = Vec::new();
    collect(&page, &mut files);
    files.sort();
    let mut text = String::from("&[\n");
    for (number, file) in files.iter().enumerate() {
        let name = file.strip_prefix(&page).expect("inside").to_str().expect("a name in UTF-8");
        let name = name.replace('\\', "/");
        let mut packed = file.clone();
        // Of a file that lies there compressed with Brotli, that is enough.
        if files.contains(&page.join(format!("{name}.br"))) {
            continue;
        }
        if !name.ends_with(".br") {
            packed = out.join(format!("{number}.gz"));
            let mut encoder = GzEncoder::new(fs::File::open(file).expect("a file"), Compression::best());
            let mut to = fs::File::create(&packed).expect("a file can be made");
            io::copy(&mut encoder, &mut to).expect("a file can be written");
        }
        writeln!(text, "    ({name:?}, include_bytes!({:?})),", packed.display().to_string()).expect("text");
    }
    text.push(']');
    fs::write(out.join("page_files.rs"), text).expect("the list can be written");
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
