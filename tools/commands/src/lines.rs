//! The lines of a batch: one position per line of input, one JSON object per line of output.

use std::io::{self, BufRead};

use pentago::rules::{MAX_TEXT, ParseError};
use serde_json::json;

use crate::exit::bad_input;
use crate::input;

/// Returns the lines of an input with their numbers from 1. Skips blank lines, and lines that
/// begin with `#`.
pub fn lines(mut input: impl BufRead) -> impl Iterator<Item = io::Result<(usize, Vec<u8>)>> {
    // Read one byte more than the longest position, to detect lines that are too long.
    let read = move || input::line(&mut input, MAX_TEXT + 1).transpose();
    let line = |(bytes, number): (io::Result<Vec<u8>>, usize)| match bytes {
        Ok(bytes) => {
            let start = bytes.trim_ascii_start();
            (!start.is_empty() && !start.starts_with(b"#")).then(|| Ok((number, bytes)))
        }
        Err(error) => Some(Err(error)),
    };
    std::iter::from_fn(read).zip(1..).filter_map(line)
}

/// Returns the bytes of a line as text.
///
/// # Errors
/// If the line is too long for a position, or isn't UTF-8.
pub fn text(line: &[u8]) -> anyhow::Result<&str> {
    if line.len() > MAX_TEXT {
        return Err(bad_input(format!("this line has more than {MAX_TEXT} bytes, too many for a position")));
    }
    std::str::from_utf8(line).map_err(|_| bad_input("this line isn't valid UTF-8"))
}

/// Returns the JSON object for a line that can't be answered. For a parse error, `column` in the
/// object is the number, from 1, of the first wrong character.
pub fn refusal(line: usize, error: &anyhow::Error) -> String {
    let parse = error.downcast_ref::<pentago::Error>().and_then(|error| error.downcast_ref::<ParseError>());
    let object = match parse {
        None => json!({ "error": format!("{error:#}"), "line": line }),
        Some(error) => {
            let before = &error.text()[..error.span().start];
            json!({ "error": error.message(), "line": line, "column": before.chars().count() + 1 })
        }
    };
    object.to_string()
}
