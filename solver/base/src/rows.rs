//! Splits a text into words, and parses and writes boards as rows from the top:
//! `OO1OO1/6/6/6/6/XXXX2`.

use std::fmt;
use std::ops::Range;

use crate::{ParseError, quoted};

/// A word of a text, and its offset in the text.
#[derive(Debug, Clone, Copy)]
pub struct Word<'a> {
    /// The characters of the word.
    pub text: &'a str,
    /// The byte offset of the word in the text.
    pub at: usize,
}

impl Word<'_> {
    /// Returns the byte range of the word in the text.
    pub fn span(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }
}

/// Lists the words in a byte range of a text.
pub fn words(text: &str, part: Range<usize>) -> impl Iterator<Item = Word<'_>> {
    let start = text.as_ptr() as usize;
    // Each word is a slice of the text, so its offset is the difference of two addresses.
    text[part].split_whitespace().map(move |word| Word { text: word, at: word.as_ptr() as usize - start })
}

/// The notation of a board: rows from the top, separated by `/`. A letter is a marble, and a number
/// is a run of empty places.
pub struct Rows<'a> {
    /// The width and the height of the board, in places.
    pub size: [usize; 2],
    /// The letters of the marbles, in the form in which error messages list them.
    pub letters: &'a str,
    /// The plural name of the places on the board, for error messages.
    pub places: &'a str,
    /// `true` if adjacent digits form one number. `false` if each digit is a run of its own.
    pub long_runs: bool,
}

impl Rows<'_> {
    /// Parses a board. `marble` returns the marble for a letter, or `None` for another character.
    /// `put` is called for each marble. Its arguments are the file and the rank, counted from 0 at
    /// the lower left, and the marble.
    ///
    /// # Errors
    /// If the number of rows or places is wrong, or if a character is unknown.
    pub fn read<M>(
        &self,
        text: &str,
        board: &Word,
        marble: impl Fn(char) -> Option<M>,
        mut put: impl FnMut(usize, usize, M),
    ) -> Result<(), ParseError> {
        let Rows { size: [width, height], letters, places, long_runs } = *self;
        let mut at = board.at;
        let rows = board.text.split('/').count();
        for (row, line) in board.text.split('/').enumerate() {
            if row == height {
                let message = format!("too many rows: expected {height}, separated by /");
                return Err(ParseError::new(text, at..board.span().end, message));
            }
            let rank = height - 1 - row;
            let (mut file, mut offset) = (0usize, 0);
            while let Some(c) = line[offset..].chars().next() {
                let digits = line[offset..].bytes().take_while(u8::is_ascii_digit);
                let length = if long_runs { digits.count() } else { 0 }.max(c.len_utf8());
                let here = at + offset..at + offset + length;
                if let Some(marble) = marble(c) {
                    if file < width {
                        put(file, rank, marble);
                    }
                    file += 1;
                } else if matches!(c, '1'..='9') {
                    // A run length that overflows `usize` exceeds the width of any board. Use the
                    // maximum, so that the width check below reports the error.
                    file = file.saturating_add(text[here.clone()].parse().unwrap_or(usize::MAX));
                } else {
                    let message = format!(
                        "unexpected character {}: expected {letters}, or 1 to {width} for a run of empty {places}",
                        quoted(c)
                    );
                    return Err(ParseError::new(text, here.start..here.start + c.len_utf8(), message));
                }
                if file > width {
                    let message = format!("rank {} has more than {width} {places}", rank + 1);
                    return Err(ParseError::new(text, here, message));
                }
                offset += length;
            }
            // If there is only one row, the text is probably in another notation. Don't report the
            // row as too short, because the check of the number of rows below reports a better
            // message.
            if file < width && (rows > 1 || height == 1) {
                let message = format!("rank {} has {file} of {width} {places}", rank + 1);
                return Err(ParseError::new(text, at..at + line.len(), message));
            }
            at += line.len() + 1;
        }
        if rows < height {
            let message = format!("too few rows: expected {height}, separated by /, found {rows}");
            return Err(ParseError::new(text, board.span().end..board.span().end, message));
        }
        Ok(())
    }
}

/// Writes a board as rows from the top, separated by `/`. `marble` returns the marble at a file and
/// a rank, or `None` for an empty place. A number stands for each run of empty places.
///
/// # Errors
/// If the output can't be written.
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
