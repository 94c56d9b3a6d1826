//! Words, and boards as rows from the top: `OO1OO1/6/6/6/6/XXXX2`.

use std::fmt;
use std::ops::Range;

use crate::{ParseError, quoted};

/// A word of a text, and the byte where it starts.
#[derive(Debug, Clone, Copy)]
pub struct Word<'a> {
    /// The word.
    pub text: &'a str,
    /// Its first byte in the text.
    pub at: usize,
}

impl Word<'_> {
    /// Its bytes in the text.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }
}

/// The words in a part of a text.
pub fn words(text: &str, part: Range<usize>) -> impl Iterator<Item = Word<'_>> {
    let start = text.as_ptr() as usize;
    // The words are slices of the text: where they start is the difference of the addresses.
    text[part].split_whitespace().map(move |word| Word { text: word, at: word.as_ptr() as usize - start })
}

/// Reads a square board of `size` rows from the top, separated by `/`: letters for marbles, a digit
/// for a run of empty sockets. `marble` says what a letter stands for, `put` is given the file and
/// the rank of each marble, from 0 at the lower left, and `letters` are the letters in messages.
///
/// # Errors
/// If there are more or fewer rows or sockets, or other characters.
pub fn read_rows<M>(
    text: &str,
    board: &Word,
    size: usize,
    letters: &str,
    marble: impl Fn(char) -> Option<M>,
    mut put: impl FnMut(usize, usize, M),
) -> Result<(), ParseError> {
    let mut at = board.at;
    let rows = board.text.split('/').count();
    for (row, line) in board.text.split('/').enumerate() {
        if row == size {
            let message = format!("too many rows: expected {size}, separated by /");
            return Err(ParseError::new(text, at..board.span().end, message));
        }
        let rank = size - 1 - row;
        let mut file = 0;
        for (offset, c) in line.char_indices() {
            let here = at + offset..at + offset + c.len_utf8();
            if let Some(marble) = marble(c) {
                if file < size {
                    put(file, rank, marble);
                }
                file += 1;
            } else if let Some(run @ 1..) = c.to_digit(10) {
                file += run as usize;
            } else {
                let message = format!(
                    "unexpected character {}: expected {letters}, or 1 to {size} for a run of empty sockets",
                    quoted(c)
                );
                return Err(ParseError::new(text, here, message));
            }
            if file > size {
                let message = format!("rank {} has more than {size} sockets", rank + 1);
                return Err(ParseError::new(text, here, message));
            }
        }
        // A single row is a text of another kind rather than a short row.
        if file < size && rows > 1 {
            let message = format!("rank {} has {file} sockets, expected {size}", rank + 1);
            return Err(ParseError::new(text, at..at + line.len(), message));
        }
        at += line.len() + 1;
    }
    if rows < size {
        let message = format!("too few rows: expected {size}, separated by /, found {rows}");
        return Err(ParseError::new(text, board.span().end..board.span().end, message));
    }
    Ok(())
}

/// Writes a board as rows from the top, separated by `/`: what `marble` gives for a file and a rank,
/// and a number for each run of empty places.
///
/// # Errors
/// If nothing can be written.
pub fn write_rows<M: fmt::Display>(
    out: &mut impl fmt::Write,
    [width, height]: [usize; 2],
    marble: impl Fn(usize, usize) -> Option<M>,
) -> fmt::Result {
    for rank in (0..height).rev() {
        let mut empty = 0;
        for marble in (0..width).map(|file| marble(file, rank)) {
            let Some(marble) = marble else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                write!(out, "{empty}")?;
                empty = 0;
            }
            write!(out, "{marble}")?;
        }
        if empty > 0 {
            write!(out, "{empty}")?;
        }
        if rank > 0 {
            out.write_char('/')?;
        }
    }
    Ok(())
}
