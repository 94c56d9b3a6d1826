//! A scanner for the notation of moves.

use crate::{MAX_TEXT, ParseError};

/// A scanner that reads a text character by character. White space around the text is ignored.
pub struct Scan<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

impl<'a> Scan<'a> {
    /// Creates a scanner at the first character that isn't white space.
    ///
    /// # Errors
    /// If the text is longer than [`MAX_TEXT`].
    pub fn new(text: &'a str) -> Result<Scan<'a>, ParseError> {
        let text = ParseError::checked(text, MAX_TEXT)?;
        let at = text.len() - text.trim_start().len();
        Ok(Scan { text, at, end: text.trim_end().len().max(at) })
    }

    /// Returns the next character, or `None` at the end.
    pub fn peek(&self) -> Option<char> {
        self.text[self.at..self.end].chars().next()
    }

    /// Skips the next character.
    pub fn skip(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    /// Creates an error whose range covers the next character.
    pub fn error(&self, message: impl Into<String>) -> ParseError {
        let width = self.peek().map_or(0, char::len_utf8);
        ParseError::new(self.text, self.at..self.at + width, message)
    }

    /// Parses the name of a socket, such as `c4`, on a square board with `size` files. Returns the
    /// file and the rank, counted from 0.
    ///
    /// # Errors
    /// If no such name follows in the text.
    pub fn socket(&mut self, size: usize) -> Result<(usize, usize), ParseError> {
        let last = char::from(b'a' + size as u8 - 1);
        let file = self.peek().map(|c| c.to_ascii_lowercase()).filter(char::is_ascii_lowercase);
        let Some(file) = file.map(|c| c as usize - 'a' as usize).filter(|&file| file < size) else {
            return Err(self.error(format!("expected a file, a to {last}, as in c4/2+")));
        };
        self.skip();
        let rank = self.peek().and_then(|c| c.to_digit(10)).and_then(|rank| rank.checked_sub(1));
        let Some(rank) = rank.filter(|&rank| (rank as usize) < size) else {
            return Err(self.error(format!("expected a rank, 1 to {size}, after the file")));
        };
        self.skip();
        Ok((file, rank as usize))
    }

    /// Parses the direction of a turn. Returns `true` for `+` (clockwise), and `false` for `-`
    /// (counterclockwise). `what` names the turned part of the board in error messages.
    ///
    /// # Errors
    /// If the next character is neither `+` nor `-`.
    pub fn clockwise(&mut self, what: &str) -> Result<bool, ParseError> {
        let clockwise = match self.peek() {
            Some('+') => true,
            Some('-') => false,
            _ => {
                let message = format!("expected + (clockwise) or - (counterclockwise) after the {what}");
                return Err(self.error(message));
            }
        };
        self.skip();
        Ok(clockwise)
    }

    /// Returns `read`, the result of parsing, if no text remains.
    ///
    /// # Errors
    /// If text remains.
    pub fn end<T>(&self, read: T) -> Result<T, ParseError> {
        self.peek()
            .map_or(Ok(read), |c| Err(self.error(format!("unexpected character {c:?} after the move"))))
    }
}
