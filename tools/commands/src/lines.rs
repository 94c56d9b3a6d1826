//! The lines of a batch: one position per line of input, one JSON object per line of output.

use std::io::{self, BufRead};

use anyhow::anyhow;
use pentago::rules::{MAX_TEXT, ParseError};
use serde_json::json;

use crate::input;

/// A line of input that is neither blank nor a comment.
pub struct Line {
    /// The number of the line in the input, from 1.
    pub number: usize,
    bytes: Vec<u8>,
}

/// Returns the lines of an input. Skips blank lines, lines that begin with `#`, and a byte order mark
/// before the first line.
pub fn lines(mut input: impl BufRead) -> impl Iterator<Item = io::Result<Line>> {
    // One byte more than a position may have shows that a line is too long.
    let read = move || input::line(&mut input, MAX_TEXT + 1).transpose();
    let line = |(bytes, number): (io::Result<Vec<u8>>, usize)| {
        let mark = |bytes: &Vec<u8>| number == 1 && bytes.starts_with("\u{feff}".as_bytes());
        bytes.map(|bytes| Line { number, bytes: if mark(&bytes) { bytes[3..].to_vec() } else { bytes } })
    };
    let holds_any = |line: &io::Result<Line>| {
        let text = line.as_ref().map_or(&b"an error"[..], |line| line.bytes.trim_ascii_start());
        !text.is_empty() && !text.starts_with(b"#")
    };
    std::iter::from_fn(read).zip(1..).map(line).filter(holds_any)
}

impl Line {
    /// Returns the line as text.
    ///
    /// # Errors
    /// If the line is too long for a position, or isn't UTF-8.
    pub fn text(&self) -> anyhow::Result<&str> {
        if self.bytes.len() > MAX_TEXT {
            return Err(anyhow!("this line has more than {MAX_TEXT} bytes, too many for a position"));
        }
        std::str::from_utf8(&self.bytes).map_err(|_| anyhow!("this line isn't valid UTF-8"))
    }
}

/// Returns the JSON object for a line that can't be answered. `column` is the first character that a
/// parse error is about, from 1.
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
