//! `pentago-check`: its output and its exit status.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::program_at;

#[path = "../../../check/tests/all/sealed.rs"]
mod sealed;

use sealed::{BY_TWO, sealed};

fn run(arguments: &[&str]) -> Output {
    program_at(Path::new(env!("CARGO_BIN_EXE_pentago-check"))).args(arguments).output().unwrap()
}

fn status(arguments: &[&str]) -> i32 {
    run(arguments).status.code().unwrap()
}

#[test]
fn exit_statuses() {
    let folder = std::env::temp_dir().join(format!("pentago-check-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let good = file("good", &sealed(BY_TWO));
    let output = run(&[&good]);
    assert_eq!(output.status.code(), Some(0));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.starts_with("x wins within 3 plies: 1 position, "), "{printed}");
    assert_eq!(status(&[&file("false", &sealed(&BY_TWO.replace("within 3", "within 2")))]), 1);
    assert_eq!(status(&[&file("changed", &sealed(BY_TWO).replace("within 3", "within 4"))]), 2);
    assert_eq!(status(&[&file("empty", "")]), 2);
    assert_eq!(status(&[folder.join("absent").to_str().unwrap()]), 3);
    assert_eq!(status(&[folder.to_str().unwrap()]), 2);
    #[cfg(unix)]
    {
        let pipe = folder.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let output = run(&[pipe.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains("pipe: not a regular file"));
        let link = folder.join("link");
        std::os::unix::fs::symlink(&good, &link).unwrap();
        assert_eq!(status(&[link.to_str().unwrap()]), 0);
        if let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") {
            let mut checker = program_at(Path::new(env!("CARGO_BIN_EXE_pentago-check")));
            let output = checker.arg(&good).stdout(full).output().unwrap();
            assert_eq!(output.status.code(), Some(4));
            let error = String::from_utf8(output.stderr).unwrap();
            assert!(error.contains("cannot write standard output: No space left on device"), "{error}");
        }
    }
    assert_eq!(status(&["-"]), 2);
    assert_eq!(status(&[]), 2);
    assert_eq!(status(&[&good, &good]), 2);
    assert_eq!(status(&["--help"]), 0);
    std::fs::remove_dir_all(&folder).unwrap();
}
