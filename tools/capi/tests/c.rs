//! Tests that use the library from C and C++. The tests also check that the header matches the
//! code. Programs are compiled with all warnings as errors, linked statically and dynamically, and
//! run under the address sanitizer with its leak check.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Returns a folder that contains copies of the built libraries, with the names that they have
/// after installation.
fn libraries() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libpentago");
        fs::create_dir_all(&folder).expect("a folder");
        let test = std::env::current_exe().expect("this test is a file");
        let built = test.parent().expect("in a folder");
        for suffix in ["a", "so", "dylib"] {
            let (from, to) = (format!("libpentago_c.{suffix}"), format!("libpentago.{suffix}"));
            if built.join(&from).exists() {
                fs::copy(built.join(from), folder.join(to)).expect("a copy");
            }
        }
        folder
    })
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    output
}

/// Returns a command that runs the compiler. If the compiler isn't installed, prints that the test
/// is skipped, and returns `None`.
fn compiler(name: &'static str) -> Option<Command> {
    let found = Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("skipped: there is no compiler {name}");
    }
    found.then(|| Command::new(name))
}

/// How a program is linked with the library.
#[derive(Clone, Copy, PartialEq)]
enum Link {
    Static,
    Shared,
}

/// Compiles and links a program, with all warnings as errors.
fn compile(mut compiler: Command, source: &Path, to: &Path, flags: &[&str], link: Link) {
    compiler.args(["-Wall", "-Wextra", "-Werror", "-g"]).args(flags);
    compiler.arg("-I").arg(here().join("include")).arg(source).arg("-o").arg(to);
    match link {
        Link::Static => {
            compiler.arg(libraries().join("libpentago.a")).args(["-lpthread", "-ldl", "-lm"]);
        }
        Link::Shared => {
            let folder = libraries();
            compiler.arg("-L").arg(folder).arg("-lpentago");
            compiler.arg(format!("-Wl,-rpath,{}", folder.display()));
        }
    }
    run(&mut compiler);
}

/// Returns `true` if the address sanitizer of the compiler finds memory leaks on this machine.
fn sanitizer(folder: &Path) -> bool {
    let (source, program) = (folder.join("leak.c"), folder.join("leak"));
    fs::write(&source, "#include <stdlib.h>\nint main(void) { return malloc(7) == 0; }\n").unwrap();
    let compiled = Command::new("cc").arg("-fsanitize=address").arg(&source).arg("-o").arg(&program).output();
    let leaks = || Command::new(&program).env("ASAN_OPTIONS", "detect_leaks=1").output();
    // A found leak and a leak check that can't run have the same exit status, so search the output.
    let found = compiled.is_ok_and(|output| output.status.success())
        && leaks().is_ok_and(|output| String::from_utf8_lossy(&output.stderr).contains("7 byte(s) leaked"));
    if !found {
        println!("skipped: the address sanitizer with its leak check does not work here");
    }
    found
}

const EXPECTED: &str = "\
value 1, the game ends in 7 plies
";

#[test]
fn the_example_and_all_misuse_pass_under_the_address_sanitizer() {
    let folder = tempfile::tempdir().unwrap();
    if compiler("cc").is_none() {
        return;
    }
    let flags: &[&str] =
        if sanitizer(folder.path()) { &["-std=c11", "-fsanitize=address"] } else { &["-std=c11"] };
    for (source, name) in [("examples/probe.c", "probe"), ("tests/misuse.c", "misuse")] {
        let program = folder.path().join(name);
        compile(Command::new("cc"), &here().join(source), &program, flags, Link::Static);
        let tables = folder.path().join(format!("{name}-tables"));
        fs::create_dir(&tables).unwrap();
        let output = run(Command::new(&program).arg(&tables).env("ASAN_OPTIONS", "detect_leaks=1"));
        let text = String::from_utf8(output.stdout).unwrap();
        if name == "probe" {
            assert!(text.starts_with(EXPECTED), "{text}");
            assert!(text.contains("\nbest: ") && text.contains(", 7 plies\n"), "{text}");
            assert!(text.ends_with("the first player: 1\nbefore and after b2/1+: 1 -1\n"), "{text}");
        } else {
            assert_eq!(text, "all misuse gave errors\n");
        }
    }
}

#[test]
fn the_shared_library_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let Some(cc) = compiler("cc") else { return };
    let program = folder.path().join("probe");
    compile(cc, &here().join("examples/probe.c"), &program, &["-std=c11"], Link::Shared);
    let output = run(Command::new(&program).arg(folder.path().join("tables")));
    assert!(String::from_utf8(output.stdout).unwrap().starts_with(EXPECTED));
}

#[test]
fn cpp_includes_the_header() {
    let folder = tempfile::tempdir().unwrap();
    let Some(cpp) = compiler("c++") else { return };
    let program = folder.path().join("include");
    compile(cpp, &here().join("tests/include.cpp"), &program, &["-std=c++17"], Link::Shared);
    let output = run(&mut Command::new(&program));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("0 {}\n", env!("CARGO_PKG_VERSION")));
}

/// Returns the names of all library functions that directly follow `before` in a text.
fn functions(text: &str, before: &str) -> BTreeSet<String> {
    let name = |rest: &str| {
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        (rest[name.len()..].starts_with('(') && name.starts_with("pentago_")).then_some(name)
    };
    text.split(before).skip(1).filter_map(name).collect()
}

#[test]
fn the_header_declares_what_the_code_defines() {
    let header = fs::read_to_string(here().join("include/pentago.h")).unwrap();
    let code: String = header.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let declared: BTreeSet<String> =
        [" ", "*"].into_iter().flat_map(|before| functions(&code, before)).collect();
    let mut defined = BTreeSet::new();
    for entry in fs::read_dir(here().join("src")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        defined.extend(functions(&text, "extern \"C\" fn "));
    }
    assert!(defined.len() > 25, "{defined:?}");
    assert_eq!(declared, defined);
}

#[test]
fn the_header_is_what_cbindgen_makes() {
    let version = Command::new("cbindgen").arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        println!("skipped: cbindgen is not installed");
        return;
    }
    let output =
        run(Command::new("cbindgen").args(["--quiet", "--config", "cbindgen.toml"]).current_dir(here()));
    let header = fs::read_to_string(here().join("include/pentago.h")).unwrap();
    let made = String::from_utf8(output.stdout).unwrap();
    assert!(made == header, "include/pentago.h is out of date: regenerate it as README.md describes");
}
