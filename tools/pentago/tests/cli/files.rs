//! Pipes, links, folders and files with strange names in place of ordinary files.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::common::{Folder, json_of, objects, program, run, run_with, sh};

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// If a file is a pipe, no command waits for a program that writes to the pipe.
#[test]
fn a_pipe_is_no_table() {
    let out: &str = &Folder::of("mini");
    let table = format!("{out}/mini/more.pentago");
    pipe(Path::new(&table));
    let damaged = json_of(&format!("info {out}"))["damaged"].take();
    assert_eq!(damaged.as_array().map(Vec::len), Some(1));
    let text = damaged[0].as_str().unwrap();
    assert!(text.ends_with("more.pentago: cannot open: it is a pipe, not a file"), "{text}");
    let query = sh(&format!("query --rules mini '4/4/4/4 x' --tables {out}"));
    assert!(query.err.contains("it is a pipe") && query.code == Some(0), "{}", query.err);
    // The plan of the build and the list of a published folder may be pipes, too.
    let [plan, list] = ["mini/.plan", "pentago-tables.tsv"].map(|name| format!("{out}/{name}"));
    fs::remove_file(&plan).unwrap();
    [&plan, &list].iter().for_each(|path| pipe(Path::new(path)));
    let verified = sh(&format!("verify {out} --hash"));
    assert_eq!(verified.code, Some(1));
    for name in ["more.pentago: cannot open", "pentago-tables.tsv: cannot read"] {
        assert!(verified.err.contains(&format!("{name}: it is a pipe")), "{}", verified.err);
    }
    assert!(verified.out.contains("bytes of 17 tables are intact"), "{}", verified.out);
    fs::remove_file(list).unwrap();
    let cut = format!("{out}/cut");
    fs::write(&cut, "pentago sections   \n").unwrap();
    for (line, code, expected) in [
        (format!("import {table} --out {out}"), 2, "it is a pipe"),
        (format!("import {cut} --out {out}"), 3, "download the file again"),
        (format!("convert {table}"), 2, "it is a pipe, not a file; - reads standard input"),
        (format!("prove 6/6/6/6/6/6 --out {table}"), 2, "is a pipe: name a file"),
        (format!("verify {out} --counts --against {table}"), 2, "it is a pipe, not a file"),
        ("verify --counts --against /dev/zero".to_owned(), 2, "it is a device, not a file"),
        (format!("merge {out}/mini/slice-00.pentago --out {out}/mini/slice-01.pentago"), 2, "exists already"),
    ] {
        let error = sh(&line).fails(code);
        assert!(error.contains(expected), "{line}: {error}");
    }
    assert!(sh(&format!("merge {table} --out {out}/merged.pentago")).code != Some(0));
    assert!(sh(&format!("play --load {table}")).code != Some(0));
    // Try a pipe, then a folder, with the name of a table that is to be built.
    let (build, taken) =
        (format!("build mini --out {out}/new --quiet"), format!("{out}/new/mini/slice-16.pentago"));
    fs::create_dir_all(format!("{out}/new/mini")).unwrap();
    pipe(Path::new(&taken));
    assert!(sh(&build).fails(4).contains("slice-16.pentago: a pipe has this name"));
    fs::remove_file(&taken).unwrap();
    fs::create_dir(&taken).unwrap();
    assert!(sh(&build).fails(4).contains("slice-16.pentago: a folder has this name"));
}

/// Commands read a pipe that they have open, such as the pipe of a process substitution. The file
/// `-` is not standard output, and stays as it is.
#[cfg(target_os = "linux")]
#[test]
fn open_pipes_and_standard_output() {
    assert_eq!(run_with(&["convert", "/dev/fd/0", "--to", "openspiel"], b"a1/1+").ok(), "a6t\n");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("-"), "mine").unwrap();
    let proved = program().current_dir(&folder).args(["prove", "OO1OO1/6/6/6/6/XXXX2 x", "-q"]).output();
    assert!(proved.unwrap().stdout.starts_with(b"pentago certificate"));
    assert_eq!(fs::read(folder.path().join("-")).unwrap(), b"mine");
}

/// Commands replace only files that the program wrote, unless `--force` is set.
#[test]
fn files_of_others_are_kept() {
    let out: &str = &Folder::of("mini");
    for (name, line) in [
        ("index.html", format!("publish {out} -q")),
        ("index.html", format!("serve --export {out} -q")),
        ("win", format!("prove 'OO1OO1/6/6/6/6/XXXX2 x' -q --out {out}/win")),
        ("a.svg", format!("info {out} --plot {out}/a.svg")),
        ("a.npz", format!("export --tables {out} --marbles 3 --format npz --out {out}/a.npz")),
    ] {
        let file = Path::new(out).join(name);
        fs::write(&file, "mine").unwrap();
        assert!(sh(&line).fails(2).contains("--force"), "{line}");
        assert_eq!(fs::read(&file).unwrap(), b"mine", "{line}");
        sh(&format!("{line} --force")).ok();
        sh(&line).ok();
    }
}

/// Commands that write several files check all of their names first.
#[test]
fn a_folder_in_place_of_a_file_is_found_first() {
    let out: &str = &Folder::of("mini");
    for (line, name) in [("publish", "pentago-tables.tsv"), ("serve --export", "sw.js")] {
        fs::create_dir(format!("{out}/{name}")).unwrap();
        assert!(sh(&format!("{line} {out}")).fails(2).contains("is a folder: name a file"));
        assert!(!Path::new(&format!("{out}/index.html")).exists(), "{line}");
    }
}

/// A build doesn't wait until a program reads its progress file. If the progress file can't be
/// written, the build continues.
#[test]
fn progress_needs_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let [out, path] = ["tables", "pipe"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    pipe(Path::new(&path));
    let build = |file| run(&["build", "mini", "--quiet", "--out", &out, "--progress-file", file]);
    assert!(build(&path).fails(2).contains("is no file"));
    #[cfg(target_os = "linux")]
    {
        let built = build("/dev/full");
        assert_eq!(built.err.matches("the progress is no longer written to /dev/full: ").count(), 1);
        built.ok();
    }
}

/// A data set may replace an existing regular file, but no pipe and no link.
#[test]
fn a_data_set_replaces_no_pipe_and_no_link() {
    let folder = Folder::new();
    run(&["build", "mini", "--out", &folder.at("tables"), "--quiet"]).ok();
    pipe(Path::new(&folder.at("pipe")));
    fs::write(folder.at("file"), "old").unwrap();
    symlink(folder.at("file"), folder.at("link")).unwrap();
    let tables = folder.at("tables");
    let export =
        |out: &str| run(&["export", "--tables", &tables, "--marbles", "1", "--format", "npz", "--out", out]);
    for name in ["pipe", "link", "tables"] {
        let error = export(&folder.at(name)).fails(2);
        let said = match name {
            "pipe" => "is a pipe: name a file",
            "tables" => "is a folder: name a file",
            _ => "is no regular file",
        };
        assert!(error.contains(said), "{name}: {error}");
    }
    assert_eq!(fs::read_to_string(folder.at("file")).unwrap(), "old");
    fs::remove_file(folder.at("file")).unwrap();
    export(&folder.at("file")).ok();
    assert!(fs::read(folder.at("file")).unwrap().starts_with(b"PK"));
}

#[test]
fn a_link_to_a_folder_lists_nothing_twice() {
    let path: &str = &Folder::of("mini");
    let before = run(&["info", path, "--json"]).ok();
    symlink(Path::new(path).join("mini"), Path::new(path).join("again")).unwrap();
    symlink(Path::new(path), Path::new(path).join("round")).unwrap();
    symlink(Path::new(path).join("mini/slice-03.pentago"), Path::new(path).join("a.pentago")).unwrap();
    assert_eq!(run(&["info", path, "--json"]).ok(), before);
    // The program finds a table through a symbolic link.
    let other = tempfile::tempdir().unwrap();
    symlink(Path::new(path).join("mini"), other.path().join("link")).unwrap();
    let found = objects(&run(&["info", other.path().to_str().unwrap(), "--json"]).ok());
    assert_eq!(found[0]["targets"][0]["slices"].as_array().unwrap().len(), 17);
}

#[test]
fn a_name_with_a_line_break_stays_on_its_line() {
    let folder = Folder::new();
    fs::write(folder.at("x\nnothing wrong in 99 tables.pentago"), "").unwrap();
    for (command, status) in [("info", 3), ("verify", 1), ("publish", 3)] {
        let error = run(&[command, &folder]).fails(status);
        assert!(error.contains("x\u{fffd}nothing wrong in 99 tables.pentago: "), "{error}");
        assert!(!error.contains("\nnothing"), "{error}");
    }
}

#[test]
fn a_path_that_is_no_text_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(OsStr::from_bytes(b"bad-\xff"));
    let run = |arguments: &[&str]| {
        let output = program().args(arguments).arg(&path).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(run(&["build", "mini", "--quiet", "--out"]).0, Some(0));
    assert_eq!(run(&["info"]).0, Some(0));
    for arguments in [&["info", "--json"][..], &["build", "mini", "--json", "--quiet", "--out"]] {
        let (code, error) = run(arguments);
        assert!(code == Some(4) && error.contains("bad-\\xFF") && error.contains("UTF-8"), "{error}");
    }
}
