//! Reads positions from an argument or from standard input, and lines from any input.

use std::io::{self, BufRead, IsTerminal, Read, StdinLock};

use anyhow::Context;
use pentago::rules::MAX_TEXT;
use pentago_base::BYTE_ORDER_MARK;
use pentago_games::{Game, Position};

use crate::exit::bad_input;
use crate::output::note;
use crate::picture::undrawn;

/// Parses the position in an argument, in any notation or as a diagram. The argument `-` stands for
/// standard input.
///
/// # Errors
/// If the text is not a position, or standard input can't be read.
pub fn position(game: &dyn Game, argument: &str) -> anyhow::Result<Position> {
    let text = text(argument)?;
    game.read(&text).or_else(|error| Ok(undrawn(game, &text).ok_or(error)?))
}

/// Returns the text of an argument. The argument `-` stands for standard input.
///
/// # Errors
/// If standard input can't be read, or isn't UTF-8.
pub fn text(argument: &str) -> anyhow::Result<String> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let mut bytes = Vec::new();
    stdin().take(most_bytes(MAX_TEXT)).read_to_end(&mut bytes).context("reading standard input")?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| bad_input("standard input isn't valid UTF-8: expected a position"))
}

/// Returns how many bytes of an input to read for a text of at most `limit` bytes. One more byte
/// and a byte order mark are included, so that the parser can detect a text that is too long.
pub fn most_bytes(limit: usize) -> u64 {
    (limit + BYTE_ORDER_MARK.len() + 1) as u64
}

/// Returns standard input. If it is a terminal, first notes that the program waits for input.
pub fn stdin() -> StdinLock<'static> {
    if io::stdin().is_terminal() {
        note("reading standard input: end it with Ctrl-D");
    }
    io::stdin().lock()
}

/// Reads a line without its line break and without a byte order mark before it. Returns the first
/// `limit` bytes and skips the rest, so that no input fills the memory. Returns `None` at the end
/// of the input.
///
/// # Errors
/// If the input can't be read.
pub fn line(input: &mut impl BufRead, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    if input.take(most_bytes(limit)).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else {
        input.skip_until(b'\n')?;
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    if line.starts_with(BYTE_ORDER_MARK.as_bytes()) {
        line.drain(..BYTE_ORDER_MARK.len());
    }
    line.truncate(limit);
    Ok(Some(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_not_kept() {
        let text = "\u{feff}one\r\n\nthree is long\nlast".as_bytes();
        // Use a small buffer, so that each line arrives in several parts.
        let mut input = io::BufReader::with_capacity(2, text);
        let mut next = || line(&mut input, 5).unwrap().map(|l| String::from_utf8(l).unwrap());
        assert_eq!(next().as_deref(), Some("one"));
        assert_eq!(next().as_deref(), Some(""));
        assert_eq!(next().as_deref(), Some("three"));
        assert_eq!(next().as_deref(), Some("last"));
        assert_eq!(next(), None);
    }
}
