//! Running the program.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The program, as if it stood alone: without the settings of whoever runs the tests.
pub fn program() -> Command {
    program_at(Path::new(env!("CARGO_BIN_EXE_pentago")))
}

/// Sends a signal to a program.
#[cfg(unix)]
pub fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([name, &id]).status().expect("kill is there").success());
}

/// The same for another program.
pub fn program_at(path: &Path) -> Command {
    let mut command = Command::new(path);
    for name in ["PENTAGO_KERNEL", "PENTAGO_TABLES", "COLUMNS", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
        command.env_remove(name);
    }
    command.env("XDG_CONFIG_HOME", "/nonexistent").env("PENTAGO_CACHE", "");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What a run gave.
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    fn of(output: Output) -> Run {
        Run {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("standard output is text"),
            err: String::from_utf8(output.stderr).expect("standard error is text"),
        }
    }

    /// The standard output of a success.
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self.out
    }

    /// The standard error of a failure with this status, which writes nothing else.
    pub fn fails(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}", self.err);
        assert_eq!(self.out, "");
        self.err
    }
}

/// Runs the program without input.
pub fn run(arguments: &[&str]) -> Run {
    Run::of(program().args(arguments).output().expect("the program runs"))
}

/// Runs the program with this input.
pub fn run_with(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = program().args(arguments).stdin(Stdio::piped()).spawn().expect("the program runs");
    let mut stdin = child.stdin.take().expect("it takes input");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A program that doesn't read its input may have left already.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the input is written");
    Run::of(output)
}

/// The JSON objects on the lines of a text.
pub fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect()
}

/// The JSON of one position.
pub fn solve(arguments: &[&str]) -> Value {
    let out = run(&[&["solve", "--json"], arguments].concat()).ok();
    let [object] = &objects(&out)[..] else { panic!("one object: {out}") };
    object.clone()
}

/// Random positions.
pub fn positions(rules: &str, marbles: u32, count: u32, seed: u32) -> Vec<String> {
    let (marbles, count, seed) = (marbles.to_string(), count.to_string(), seed.to_string());
    let arguments = ["random", "--rules", rules, "--marbles", &marbles, "--count", &count, "--seed", &seed];
    run(&arguments).ok().lines().map(str::to_owned).collect()
}

/// The tables under a folder.
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

/// All files under a folder but locks.
pub fn files(folder: &Path) -> usize {
    let of = |entry: fs::DirEntry| match entry.path() {
        path if path.is_dir() => files(&path),
        path => usize::from(!path.ends_with(".lock")),
    };
    fs::read_dir(folder).unwrap().map(|entry| of(entry.unwrap())).sum()
}

/// Kills a build at `most` random moments. At last it makes the same tables as one that isn't killed, which
/// are left in the folder, as `plain`.
pub fn kill(options: &[&str], folder: &Path, most: usize) {
    let (plain, out) = (folder.join("plain"), folder.join("killed"));
    let arguments = |out: &Path| {
        let more = ["--threads", "2", "--quiet", "--out", out.to_str().unwrap()];
        options.iter().chain(&more).map(|&option| option.to_owned()).collect::<Vec<_>>()
    };
    let began = Instant::now();
    assert!(program().args(arguments(&plain)).status().unwrap().success());
    let whole = began.elapsed();
    let (mut kills, mut ends, mut chance, mut begun) = (0, 0, 54321u32, 0);
    while kills < most || ends == 0 {
        let mut child = program().args(arguments(&out)).spawn().unwrap();
        chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let moment = whole.mul_f64(f64::from(chance >> 8) / f64::from(1 << 24) / 3.0);
        let moment = if kills < most { moment } else { whole * 20 };
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
