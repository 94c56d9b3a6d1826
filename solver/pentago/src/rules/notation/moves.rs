//! The text of a move: `c4/2+` is a marble on c4 and quadrant 2 clockwise, `-` is counterclockwise,
//! `/0` declines to turn, `c4` alone ends the game, and `/2+` is the turn of a pending position.

use crate::rules::{Move, Rules, Shape, Socket, Turn, TurnPart};
use pentago_base::{MAX_TEXT, ParseError, quoted};

impl Rules {
    /// Reads a move, with white space around it; the file may be of either case, and the turn of a
    /// pending position may leave out its `/`. Only the text is judged, and that the socket and the
    /// quadrant exist: what is legal is left to [`Rules::play`].
    ///
    /// # Errors
    /// If the text is not a move on this board.
    pub fn parse_move(&self, text: &str) -> Result<Move, ParseError> {
        ParseError::check_length(text, MAX_TEXT)?;
        let start = text.len() - text.trim_start().len();
        let mut scan = Scan { text, at: start, end: text.trim_end().len().max(start) };
        if scan.peek().is_none() {
            return Err(scan.error("there is no move: expected a socket and a turn, as in c4/2+"));
        }
        let place = match scan.peek() {
            Some('/' | '0'..='9') => None,
            _ => Some(scan.socket(self.shape)?),
        };
        let turn = match (scan.peek(), place) {
            (None, _) => TurnPart::None,
            (Some('/'), _) => {
                scan.next();
                scan.turn()?
            }
            (Some(_), None) => scan.turn()?,
            (Some(c), Some(_)) => {
                let c = quoted(c);
                return Err(
                    scan.error(&format!("unexpected character {c}: expected / before the turn, as in c4/2+"))
                );
            }
        };
        match scan.peek() {
            None => Ok(Move { place, turn }),
            Some(c) => {
                let c = quoted(c);
                Err(scan.error(&format!("unexpected character {c} after the move")))
            }
        }
    }

    /// The canonical text of a move, read back by [`Rules::parse_move`]. (A move without a
    /// placement and without a turn is none, and gives `-`.)
    #[must_use]
    pub fn format_move(&self, m: Move) -> String {
        let place = m.place.map(|socket| self.shape.name(socket)).unwrap_or_default();
        match m.turn {
            TurnPart::None if place.is_empty() => String::from("-"),
            TurnPart::None => place,
            TurnPart::Skip => format!("{place}/0"),
            TurnPart::Turn(turn) => {
                let sign = if turn.clockwise { '+' } else { '-' };
                format!("{place}/{}{sign}", u16::from(turn.quadrant) + 1)
            }
        }
    }
}

impl Shape {
    /// The name of a socket: file and rank, `c4`.
    #[must_use]
    pub fn name(self, socket: Socket) -> String {
        let (file, rank) = self.file_rank(socket);
        format!("{}{}", (b'a' + file as u8) as char, rank + 1)
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

    fn next(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    /// An error about the next character.
    fn error(&self, message: &str) -> ParseError {
        let width = self.peek().map_or(0, char::len_utf8);
        ParseError::new(self.text, self.at..self.at + width, message)
    }

    fn socket(&mut self, shape: Shape) -> Result<Socket, ParseError> {
        let size = shape.size();
        let last = (b'a' + size as u8 - 1) as char;
        let file = self.peek().map(|c| c.to_ascii_lowercase()).filter(char::is_ascii_lowercase);
        let Some(file) = file.map(|c| c as usize - 'a' as usize).filter(|&file| file < size) else {
            return Err(self.error(&format!("expected a file, a to {last}, as in c4/2+")));
        };
        self.next();
        let rank = self.peek().and_then(|c| c.to_digit(10)).map(|digit| digit as usize);
        let Some(socket) = rank.and_then(|rank| shape.try_socket(file, rank.checked_sub(1)?)) else {
            return Err(self.error(&format!("expected a rank, 1 to {size}, after the file")));
        };
        self.next();
        Ok(socket)
    }

    fn turn(&mut self) -> Result<TurnPart, ParseError> {
        let quadrant = match self.peek() {
            Some('0') => {
                self.next();
                return Ok(TurnPart::Skip);
            }
            Some(digit @ '1'..='4') => digit as u8 - b'1',
            _ => return Err(self.error("expected a quadrant, 1 to 4, or 0 to decline the turn")),
        };
        self.next();
        let clockwise = match self.peek() {
            Some('+') => true,
            Some('-') => false,
            _ => {
                return Err(self.error("expected + (clockwise) or - (counterclockwise) after the quadrant"));
            }
        };
        self.next();
        Ok(TurnPart::Turn(Turn { quadrant, clockwise }))
    }
}
