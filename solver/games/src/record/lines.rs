//! Functions that split a text into lines and shorten words for error messages.

use pentago_base::visible;

use crate::error::{Result, bad_input};

/// The largest number of characters of a word in an error message.
pub(super) const MOST_SHOWN: usize = 40;

/// Shortens a word for an error message.
pub(crate) fn shown(word: &str) -> String {
    let mut chars = word.chars();
    let short: String = chars.by_ref().take(MOST_SHOWN).map(visible).collect();
    let more = if chars.next().is_some() { "..." } else { "" };
    format!("{short}{more}")
}

/// Iterates over the lines of a text, each with its line number. Skips blank lines and comments.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Adds a line number to the error of a result.
pub(crate) fn in_line<T>(number: usize, read: Result<T>) -> Result<T> {
    read.map_err(|error| bad_input(format!("line {number}: {error}")))
}
