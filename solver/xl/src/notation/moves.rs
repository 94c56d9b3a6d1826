//! The text of a move: `c4/2+` is a marble on c4 and block 2 clockwise, `-` is counter-clockwise,
//! `c4` alone makes five. Blocks are numbered 1 to 9 in reading order; block 5 is fixed.

use crate::geometry::{CENTRE, SIDE, Socket, Turn};
use crate::moves::Move;
use crate::options::Rules;
use pentago_base::{MAX_TEXT, ParseError, quoted};

impl Socket {
    /// Its name: file and rank, `c4`.
    #[must_use]
    pub fn name(self) -> String {
        let (file, rank) = self.file_rank();
        format!("{}{}", (b'a' + file as u8) as char, rank + 1)
    }
}

impl Rules {
    /// Reads a move, with white space around it; the file may be of either case. Only the text is
    /// judged, and that the socket exists and the block turns: what is legal is left to
    /// [`Rules::play`].
    ///
    /// # Errors
    /// If the text is not a move.
    pub fn parse_move(&self, text: &str) -> Result<Move, ParseError> {
        ParseError::check_length(text, MAX_TEXT)?;
        let start = text.len() - text.trim_start().len();
        let mut scan = Scan { text, at: start, end: text.trim_end().len().max(start) };
        if scan.peek().is_none() {
            return Err(scan.error("there is no move: expected a socket and a turn, as in c4/2+"));
        }
        let place = scan.socket()?;
        let turn = match scan.peek() {
            None => None,
            Some('/') => {
                scan.next();
                Some(scan.turn()?)
            }
            Some(c) => {
                let message =
                    format!("unexpected character {}: expected / before the turn, as in c4/2+", quoted(c));
                return Err(scan.error(&message));
            }
        };
        scan.end(Move { place, turn })
    }

    /// Reads a turn that is pending, `/2+`, with white space around it.
    ///
    /// # Errors
    /// If the text is not a turn.
    pub fn parse_turn(&self, text: &str) -> Result<Turn, ParseError> {
        ParseError::check_length(text, MAX_TEXT)?;
        let start = text.len() - text.trim_start().len();
        let mut scan = Scan { text, at: start, end: text.trim_end().len().max(start) };
        if scan.peek() != Some('/') {
            return Err(scan.error("the marble is placed: expected its turn, as in /2+"));
        }
        scan.next();
        let turn = scan.turn()?;
        scan.end(turn)
    }

    /// The canonical text of a pending turn, read back by [`Rules::parse_turn`].
    #[must_use]
    pub fn format_turn(&self, turn: Turn) -> String {
        let sign = if turn.clockwise() { '+' } else { '-' };
        format!("/{}{sign}", turn.block() + 1)
    }

    /// The canonical text of a move, read back by [`Rules::parse_move`].
    #[must_use]
    pub fn format_move(&self, m: Move) -> String {
        m.place.name() + &m.turn.map_or_else(String::new, |turn| self.format_turn(turn))
    }
}

/// Reads a text from the left.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..self.end].chars().next()
    }

    /// Returns what was read, if nothing follows.
    fn end<T>(&self, read: T) -> Result<T, ParseError> {
        match self.peek() {
            None => Ok(read),
            Some(c) => {
                Err(self.error(&format!("unexpected character {}: the move ends before it", quoted(c))))
            }
        }
    }

    fn next(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    /// An error about the next character.
    fn error(&self, message: &str) -> ParseError {
        let width = self.peek().map_or(0, char::len_utf8);
        ParseError::new(self.text, self.at..self.at + width, message)
    }

    fn socket(&mut self) -> Result<Socket, ParseError> {
        let file = self.peek().map(|c| c.to_ascii_lowercase()).filter(char::is_ascii_lowercase);
        let Some(file) = file.map(|c| c as usize - 'a' as usize).filter(|&file| file < SIDE) else {
            return Err(self.error("expected a file, a to i, as in c4/2+"));
        };
        self.next();
        let rank = self.peek().and_then(|c| c.to_digit(10)).and_then(|digit| digit.checked_sub(1));
        let Some(socket) = rank.and_then(|rank| Socket::on(file, rank as usize)) else {
            return Err(self.error("expected a rank, 1 to 9, behind the file"));
        };
        self.next();
        Ok(socket)
    }

    fn turn(&mut self) -> Result<Turn, ParseError> {
        let block = match self.peek() {
            Some(digit @ '1'..='9') => digit as u8 - b'1',
            Some('0') => return Err(self.error("a block must be turned: expected its number, 1 to 9 but 5")),
            _ => return Err(self.error("expected a block, 1 to 9 but 5")),
        };
        if block == CENTRE {
            return Err(self.error("block 5, in the centre, is fixed: expected another block, 1 to 9"));
        }
        self.next();
        let clockwise = match self.peek() {
            Some('+') => true,
            Some('-') => false,
            _ => {
                return Err(self.error("expected + (clockwise) or - (counter-clockwise) behind the block"));
            }
        };
        self.next();
        Turn::new(block, clockwise).ok_or_else(|| self.error("this block does not turn"))
    }
}
