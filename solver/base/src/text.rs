//! Texts that are parsed, and errors with their places.

use std::fmt;
use std::ops::Range;

/// The longest text that is parsed, in bytes.
pub const MAX_TEXT: usize = 4096;

/// The most characters of a line that are shown on either side of the place.
const CONTEXT: usize = 60;

/// The error for a text that can't be parsed: what is wrong, what was expected, and the place.
///
/// [`fmt::Display`] gives several lines: the message, the line of the text, and carets under the
/// place; the message alone where the text is blank.
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
    /// An error about the bytes `span` of `text`. An empty span points between two characters or
    /// after the text.
    #[must_use]
    pub fn new(text: &str, span: Range<usize>, message: impl Into<String>) -> ParseError {
        let start = boundary(text, span.start);
        let end = boundary(text, span.end).max(start);
        ParseError { text: text.to_owned(), span: start..end, message: message.into() }
    }

    /// Refuses a text longer than `limit` bytes; the error holds only its beginning.
    ///
    /// # Errors
    /// If the text is longer.
    pub fn check_length(text: &str, limit: usize) -> Result<(), ParseError> {
        if text.len() <= limit {
            return Ok(());
        }
        let beginning = &text[..boundary(text, limit)];
        let message = format!("the text is {} bytes long, but at most {limit} are allowed", text.len());
        Err(ParseError::new(beginning, beginning.len()..beginning.len(), message))
    }

    /// What was wrong and what was expected, in one line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The bytes of [`ParseError::text`] that the message is about, on character boundaries; empty
    /// if something is missing there.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The text that can't be parsed; if it is too long, its beginning.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Two lines: the line of the text with the place, and carets under the place. Control
    /// characters are shown as `U+FFFD`, and of a long line only the surroundings of the place.
    #[must_use]
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

/// The last boundary between characters at or before a byte.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The character as it is shown: texts may come from anywhere and must not control the terminal.
pub fn visible(c: char) -> char {
    // Characters without width, and those that turn the direction of the text.
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

/// A number of things, as in `1 marble` and `2 marbles`, of a noun whose plural ends in `s`.
pub fn counted(count: impl Into<u64>, noun: &str) -> String {
    let count = count.into();
    format!("{} {noun}{}", thousands(count), if count == 1 { "" } else { "s" })
}

/// A number of plies: `1 ply`, `2 plies`.
#[must_use]
pub fn counted_plies(plies: usize) -> String {
    if plies == 1 { "1 ply".to_owned() } else { format!("{plies} plies") }
}

/// A number with commas between thousands.
#[must_use]
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

/// A character in a message: quoted, with control characters and the like escaped.
pub fn quoted(c: char) -> impl fmt::Display {
    format!("{c:?}")
}
