//! The lines of a batch: a position in each, one JSON object for each.

use std::io::{self, BufRead};

use anyhow::anyhow;
use pentago::rules::{MAX_TEXT, ParseError};
use serde::Serialize;

use crate::input;

/// A line that is neither blank nor a comment.
pub struct Line {
    /// Its number in the input, from 1.
    pub number: usize,
    bytes: Vec<u8>,
}

/// The lines of an input but for blank ones and those that begin with `#`. A byte order mark before the
/// first says nothing.
pub fn lines(mut input: impl BufRead) -> impl Iterator<Item = io::Result<Line>> {
    // One byte more than is read as a position shows that a line is too long.
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
    /// The line as text.
    ///
    /// # Errors
    /// If it is too long, or no text.
    pub fn text(&self) -> anyhow::Result<&str> {
        if self.bytes.len() > MAX_TEXT {
            return Err(anyhow!("this line has more than {MAX_TEXT} bytes, too many for a position"));
        }
        std::str::from_utf8(&self.bytes).map_err(|_| anyhow!("this line isn't valid UTF-8"))
    }
}

/// The JSON object for a line that has no answer.
#[derive(Serialize)]
struct Refusal<'a> {
    error: &'a str,
    line: usize,
    /// The first character that the error is about, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

/// The JSON object for the line of this number, which has no answer.
pub fn refusal(line: usize, error: &anyhow::Error) -> String {
    let text = format!("{error:#}");
    let parse = error.downcast_ref::<pentago::Error>().and_then(|error| error.downcast_ref::<ParseError>());
    let refusal = match parse {
        None => Refusal { error: &text, line, column: None },
        Some(error) => {
            let before = &error.text()[..error.span().start];
            Refusal { error: error.message(), line, column: Some(before.chars().count() + 1) }
        }
    };
    serde_json::to_string(&refusal).expect("plain data becomes JSON")
}
