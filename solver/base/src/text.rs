//! Limits on parsed texts, errors that mark a range of a text, and formatting of numbers and paths.

use std::fmt;
use std::ops::Range;
use std::path::Path;

/// The maximum length of a parsed text in bytes.
pub const MAX_TEXT: usize = 4096;

/// The byte order mark, which some editors write before a text.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The maximum number of characters that an excerpt shows on either side of the error.
const CONTEXT: usize = 60;

/// The error for a text that can't be parsed: a message, the text, and the byte range of the fault.
///
/// [`fmt::Display`] writes several lines: the message, the line of the text, and carets under the
/// range. If the text is blank, [`fmt::Display`] writes only the message.
///
/// ```text
/// unexpected character 'q': expected X, O, a number of empty sockets or /
///   OO1q/6/6/6/6/6
///      ^
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", if text.trim().is_empty() { String::new() } else { format!("\n{}", self.excerpt()) })]
pub struct ParseError {
    text: String,
    span: Range<usize>,
    message: String,
}

impl ParseError {
    /// Creates an error for the byte range `span` of `text`. An empty range marks a gap between two
    /// characters, or the end of the text.
    pub fn new(text: &str, span: Range<usize>, message: impl Into<String>) -> ParseError {
        let start = boundary(text, span.start);
        let end = boundary(text, span.end).max(start);
        ParseError { text: text.to_owned(), span: start..end, message: message.into() }
    }

    /// Removes the byte order mark at the start of a text. Every parser calls this function first.
    ///
    /// # Errors
    /// If more than `limit` bytes remain. The error quotes only the beginning of the text.
    pub fn checked(text: &str, limit: usize) -> Result<&str, ParseError> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        if text.len() <= limit {
            return Ok(text);
        }
        let beginning = &text[..boundary(text, limit)];
        let message = format!("the text has more than {limit} bytes: a longer text can't be parsed");
        Err(ParseError::new(beginning, beginning.len()..beginning.len(), message))
    }

    /// Returns the message in one line: the problem, and what was expected.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the byte range of the fault in [`ParseError::text`]. The range begins and ends on
    /// character boundaries. The range is empty if something is missing at this position.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the text that can't be parsed. If the text is too long, only its beginning is
    /// returned.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns two lines: the line of the text that contains the error, and carets under the byte
    /// range of the error. Control characters are replaced by `U+FFFD`. A long line is cut to the
    /// characters near the error.
    pub fn excerpt(&self) -> String {
        let Range { start, end } = self.span;
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        let before: Vec<char> = self.text[line_start..start].chars().collect();
        let marked = self.text[start..end.min(line_end).max(start)].chars().count();
        let after: Vec<char> = self.text[start..line_end].trim_end_matches('\r').chars().collect();

        let hidden = before.len().saturating_sub(CONTEXT);
        let shown = after.len().min(CONTEXT);
        let mut line = String::from("  ");
        let mut carets = String::from("  ");
        if hidden > 0 {
            line.push('…');
            carets.push(' ');
        }
        line.extend(before[hidden..].iter().map(|&c| visible(c)));
        carets.extend(before[hidden..].iter().map(|_| ' '));
        line.extend(after[..shown].iter().map(|&c| visible(c)));
        carets.extend((0..marked.clamp(1, shown.max(1))).map(|_| '^'));
        if shown < after.len() {
            line.push('…');
        }
        format!("{line}\n{carets}")
    }
}

/// Returns the last character boundary of `text` at or before the byte offset `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// Returns a path for display on one line. Replaces the characters that are unsafe to print.
pub fn shown_path(path: &Path) -> String {
    path.display().to_string().chars().map(visible).collect()
}

/// Returns a path as one word of a shell command. The word is in single quotes if a character of
/// the path has a meaning for the shell.
pub fn quoted_path(path: &Path) -> String {
    let text = shown_path(path);
    let is_plain = |c: char| c.is_alphanumeric() || "-._/=+:,@%".contains(c) || cfg!(windows) && c == '\\';
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Returns a replacement for a character that is unsafe to print, or the character itself. A text
/// from an unknown source must not control the terminal.
pub fn visible(c: char) -> char {
    // Zero-width characters, and characters that change the writing direction.
    let hidden =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    if c == '\t' {
        ' '
    } else if hidden || c.is_control() {
        char::REPLACEMENT_CHARACTER
    } else {
        c
    }
}

/// Formats a count with a noun, such as `1 marble` or `2 marbles`. The plural of the noun must end
/// in `s`.
pub fn counted(count: impl Into<u64>, noun: &str) -> String {
    let count = count.into();
    format!("{} {noun}{}", thousands(count), if count == 1 { "" } else { "s" })
}

/// Formats a number of plies: `1 ply`, `2 plies`.
pub fn counted_plies(plies: usize) -> String {
    if plies == 1 { "1 ply".to_owned() } else { format!("{plies} plies") }
}

/// Formats a number with commas between thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a character for a message: in quotes, and escaped if it is not printable.
pub fn quoted(c: char) -> impl fmt::Display {
    format!("{c:?}")
}
