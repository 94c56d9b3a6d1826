//! Running the program.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The program, as if it stood alone: without the settings of whoever runs the tests.
pub fn program() -> Command {
    program_at(Path::new(env!("CARGO_BIN_EXE_pentago")))
}

/// The same for another program.
pub fn program_at(path: &Path) -> Command {
    let mut command = Command::new(path);
    for name in ["PENTAGO_KERNEL", "PENTAGO_TABLES", "COLUMNS", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
        command.env_remove(name);
    }
    command.env("XDG_CONFIG_HOME", "/nonexistent");
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
