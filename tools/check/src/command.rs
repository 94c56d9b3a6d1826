//! The program `pentago-check`: reads a file, checks it and prints the proved claim.

use std::io::{ErrorKind, Read, Write};
use std::process::ExitCode;

use crate::{Failure, check};

const HELP: &str = "\
Checks a certificate of a forced win: plays every reply to its moves.

Usage: pentago-check FILE     (- reads standard input)

Exit status: 0 proved; 1 refuted; 2 wrong usage, or not a valid certificate;
3 no such file; 4 the file can't be read, or the result can't be written.
";

/// The manual page of the program.
pub const MANUAL: &str = include_str!("../pentago-check.1");

/// The maximum size of a file in bytes. The required memory is a small multiple of this size.
const MOST_BYTES: u64 = 1 << 28;

/// Runs the program with the command-line arguments of the process.
pub fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let (status, text) = match &arguments[..] {
        [option] if option == "--help" || option == "-h" => (0, HELP.trim_end().to_owned()),
        [option] if option == "--version" || option == "-V" => {
            (0, concat!("pentago-check ", env!("CARGO_PKG_VERSION")).to_owned())
        }
        [file] => match read(file) {
            Ok(bytes) if bytes.len() as u64 > MOST_BYTES => (2, "the file is larger than 256 MiB".to_owned()),
            Ok(bytes) => judge(bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => (3, format!("{}: {error}", file.display())),
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                (2, format!("{}: {error}", file.display()))
            }
            Err(error) => (4, format!("{}: {error}", file.display())),
        },
        _ => (2, format!("expected one file\n\n{}", HELP.trim_end())),
    };
    if status != 0 {
        // Ignore an error here: if the message can't be written, nothing more can be done.
        let _ = writeln!(std::io::stderr(), "error: {text}");
        return ExitCode::from(status);
    }
    let mut out = std::io::stdout();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        // Print no message if the reader of the output has closed the pipe.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::from(4),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: cannot write standard output: {error}");
            ExitCode::from(4)
        }
    }
}

/// Reads a file, but at most one byte more than the maximum size of a certificate.
fn read(file: &std::ffi::OsStr) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file == "-" {
        std::io::stdin().take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    } else {
        // Refuse to open a pipe, because opening would wait for the pipe's writer. The program
        // reads pipes through standard input.
        if !std::fs::metadata(file)?.is_file() {
            let text = "not a regular file: `pentago-check -` reads standard input";
            return Err(std::io::Error::new(ErrorKind::InvalidInput, text));
        }
        std::fs::File::open(file)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The stack size in bytes. The depth of the recursion is the length of the game in plies, which is
/// at most 1,200, in Pente with many captures.
const STACK_BYTES: usize = 64 << 20;

fn judge(bytes: Vec<u8>) -> (u8, String) {
    let walk = move || match check(&bytes) {
        Ok(proved) => (0, proved.to_string()),
        Err(failure @ Failure::Refuted(_)) => (1, failure.to_string()),
        Err(failure @ Failure::Malformed(_)) => (2, failure.to_string()),
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(walk);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => (4, "the check failed: please report this with the file".to_owned()),
        Err(error) => (4, format!("no thread for the check: {error}")),
    }
}
