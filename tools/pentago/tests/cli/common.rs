//! Functions that run the program, and the results of runs.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Returns a command for the program. The command ignores the settings of the user who runs the
/// tests.
pub fn program() -> Command {
    program_at(Path::new(env!("CARGO_BIN_EXE_pentago")))
}

/// Sends a signal to a process.
#[cfg(unix)]
pub fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
}

/// Returns a command for the program at a path. The command ignores the settings of the user who
/// runs the tests.
pub fn program_at(path: &Path) -> Command {
    let mut command = Command::new(path);
    for name in ["PENTAGO_KERNEL", "PENTAGO_TABLES", "COLUMNS", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
        command.env_remove(name);
    }
    command.env("XDG_CONFIG_HOME", "/nonexistent").env("PENTAGO_CACHE_SIZE", "0");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The result of a run of the program.
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    fn of(output: Output) -> Run {
        Run {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Returns standard output, and checks that the run succeeded.
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self.out
    }

    /// Returns standard error, and checks that the run failed with this status and wrote no output.
    pub fn fails(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}", self.err);
        assert_eq!(self.out, "");
        self.err
    }
}

/// Splits a command line into words. Quotes of both kinds are the only special characters.
pub fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Runs the program without input.
pub fn run(arguments: &[&str]) -> Run {
    Run::of(program().args(arguments).output().unwrap())
}

/// Runs the program with the words of a command line.
pub fn sh(line: &str) -> Run {
    Run::of(program().args(words(line)).output().unwrap())
}

/// Runs the program with this input.
pub fn run_with(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = program().args(arguments).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // The write fails if the program ends before it has read all input, so ignore write errors.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Run::of(output)
}

/// Parses one JSON object per line.
pub fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the JSON answer of `solve`.
pub fn solve(arguments: &[&str]) -> Value {
    json(&[&["solve", "--json"], arguments].concat())
}

/// Returns the JSON object that a command writes.
pub fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&run(arguments).ok()).unwrap()
}

/// Adds `--json` to a command line, and returns the JSON object that the command writes.
pub fn json_of(line: &str) -> Value {
    serde_json::from_str(&sh(&format!("{line} --json")).ok()).unwrap()
}

/// A temporary folder. A value of this type can be used as an argument in place of the path.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// Builds the tables of a target in a new folder.
    pub fn of(target: &str) -> Folder {
        let folder = Folder::new();
        sh(&format!("build {target} --out {} --quiet", &*folder)).ok();
        folder
    }

    /// Returns the path of a file in the folder.
    pub fn at(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }
}

impl Deref for Folder {
    type Target = str;

    fn deref(&self) -> &str {
        self.0.path().to_str().unwrap()
    }
}

/// Returns random positions.
pub fn positions(rules: &str, marbles: u32, count: u32, seed: u32) -> Vec<String> {
    let (marbles, count, seed) = (marbles.to_string(), count.to_string(), seed.to_string());
    let arguments = ["random", "--rules", rules, "--marbles", &marbles, "--count", &count, "--seed", &seed];
    run(&arguments).ok().lines().map(str::to_owned).collect()
}

/// Returns the content of all tables in a folder, keyed by path.
pub fn tables(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "pentago") {
                all.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    all
}

/// Returns the number of files in a folder, not including lock files and plans.
pub fn files(folder: &Path) -> usize {
    let of = |entry: fs::DirEntry| match entry.path() {
        path if path.is_dir() => files(&path),
        path => usize::from(!path.ends_with(".lock") && !path.ends_with(".plan")),
    };
    fs::read_dir(folder).unwrap().map(|entry| of(entry.unwrap())).sum()
}

/// Returns `true` if this process has locked a folder in `out`, so that it has begun to build.
fn is_locked_by(out: &Path, process: u32) -> bool {
    let folders = fs::read_dir(out).into_iter().flatten().flatten();
    let mut locks = folders.filter_map(|folder| fs::read_to_string(folder.path().join(".lock")).ok());
    locks.any(|lock| lock.split(' ').next() == Some(&process.to_string()))
}

/// Runs a build, kills it at random moments, at most `most` times, and checks that the resumed
/// build makes the same tables as an uninterrupted build. `line` is the command line. The tables of
/// the uninterrupted build stay in the folder `plain`.
pub fn kill(line: &str, folder: &Path, most: usize) {
    let (plain, out) = (folder.join("plain"), folder.join("killed"));
    let arguments = |out: &Path| words(&format!("{line} --threads 2 --quiet --out {}", out.display()));
    let began = Instant::now();
    assert!(program().args(arguments(&plain)).status().unwrap().success());
    let whole = began.elapsed();
    let (mut kills, mut ends, mut chance, mut begun) = (0, 0, 54321u32, 0);
    while kills < most || ends == 0 {
        let mut child = program().args(arguments(&out)).spawn().unwrap();
        chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let moment = whole.mul_f64(f64::from(chance >> 8) / f64::from(1 << 24) / 3.0);
        let moment = if kills < most { moment } else { whole * 20 };
        while !is_locked_by(&out, child.id()) && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let began = Instant::now();
        while began.elapsed() < moment && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
            begun += usize::from(files(folder) > files(&plain));
        } else {
            assert!(child.wait().unwrap().success());
            assert_eq!(tables(&out), tables(&plain));
            assert_eq!(files(&out), files(&plain));
            let again = Run::of(program().args(arguments(&out)).arg("--json").output().unwrap()).ok();
            assert_eq!(objects(&again)[0]["already_there"], true);
            ends += 1;
            fs::remove_dir_all(&out).unwrap();
        }
    }
    assert!(begun * 5 > most, "only {begun} builds had begun something");
}
