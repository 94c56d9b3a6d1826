//! The lines of a batch: one position per line of input, one JSON object per line of output.

use std::io::{self, BufRead};

use pentago::rules::{MAX_TEXT, ParseError};
use serde_json::json;

use crate::exit::bad_input;
use crate::input;

/// Returns the lines of an input with their numbers from 1. Skips blank lines, and lines that
/// begin with `#`. Keeps a blank line that was cut at the longest length, because the rest of the
/// line may contain a position.
pub fn lines(mut input: impl BufRead) -> impl Iterator<Item = io::Result<(usize, Vec<u8>)>> {
    // Read one byte more than the longest position, to detect lines that are too long.
    let read = move || input::line(&mut input, MAX_TEXT + 1).transpose();
    let skipped = |bytes: &Vec<u8>| match bytes.trim_ascii_start().first() {
        None => bytes.len() <= MAX_TEXT,
        Some(first) => *first == b'#',
    };
    let lines = std::iter::from_fn(read).zip(1..);
    let lines = lines.filter(move |(line, _)| !line.as_ref().is_ok_and(skipped));
    lines.map(|(line, number)| Ok((number, line?)))
}

/// Returns the bytes of a line as text.
///
/// # Errors
/// If the line isn't UTF-8.
pub fn text(line: &[u8]) -> anyhow::Result<&str> {
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
