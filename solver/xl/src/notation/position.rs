//! The text form of a position: nine rows from rank 9 to rank 1, then the side to move. With
//! `continue=yes`, the list of the seats that have already won follows, first place first. Seats
//! that share a place are joined by `=`. Examples are `A3B4/4AAA2/1B7/6B2/9/6B2/3A2A2/B8/8B a`, and
//! a text that ends with `b A,C=D`.

use std::fmt::Write;
use std::ops::Range;

use crate::geometry::{SIDE, Socket, SocketSet};
use crate::options::Rules;
use crate::pending::Moment;
use crate::position::Position;
use crate::seat::Seat;
use pentago_base::{MAX_TEXT, ParseError, Rows, Word, words, write_rows};

impl Rules {
    /// Parses a position, with optional white space around the text: the rows, the side to move,
    /// and with `continue=yes` the seats that have places.
    ///
    /// The nine rows from the top are separated by `/`. A digit stands for a run of empty sockets,
    /// and a letter `A B C D` for a marble. In a game of two seats, `X` and `O` are also allowed.
    /// Letters may be upper or lower case. After the side to move come the seats that have places,
    /// first place first, as in `b A,C=D`. Seats that share a place are joined by `=`. If no seat
    /// has a place, the side to move may be omitted: the number of marbles then determines it.
    ///
    /// The game may be over in the position: see [`Rules::outcome`].
    ///
    /// # Errors
    /// If the text is not a position, is longer than [`MAX_TEXT`], or fails [`Rules::check`].
    pub fn parse_position(&self, text: &str) -> Result<Position, ParseError> {
        let text = ParseError::checked(text, MAX_TEXT)?;
        let (p, spans) = self.read(text)?;
        self.check(&p).map_err(|why| why.in_position(text, &spans))?;
        Ok(p)
    }

    /// Parses a position as [`Rules::parse_position`] does, or a position whose turn is pending.
    /// For a pending turn, the text ends with the word `turn`: the seat to move has placed its
    /// marble and turns a block next.
    ///
    /// # Errors
    /// If the text is not a position with or without a pending turn, or no game leads to the
    /// position.
    pub fn parse_moment(&self, text: &str) -> Result<Moment, ParseError> {
        let text = ParseError::checked(text, MAX_TEXT)?;
        let Some((before, word)) = without_turn(text) else {
            return self.parse_position(text).map(Moment::Move);
        };
        let read = self.read(before).map_err(|e| ParseError::new(text, e.span(), e.message()));
        let (p, [board, side, _]) = read?;
        let spans = [board.clone(), side, board, word];
        self.check_pending(&p).map_err(|why| why.in_position(text, &spans))?;
        Ok(Moment::Turn(p))
    }

    /// Returns the canonical text of a position with or without a pending turn.
    /// [`Rules::parse_moment`] parses this text.
    pub fn format_moment(&self, moment: &Moment) -> String {
        let turn = if matches!(moment, Moment::Turn(_)) { " turn" } else { "" };
        self.format_position(moment.board()) + turn
    }

    /// Parses a position as [`Rules::parse_position`] does, but does not check that a game can lead
    /// to the position. Any numbers of marbles and any seat to move are accepted.
    ///
    /// # Errors
    /// If the text is not a position, or is longer than [`MAX_TEXT`].
    pub fn parse_any_position(&self, text: &str) -> Result<Position, ParseError> {
        self.read(text).map(|(p, _)| p)
    }

    /// Parses a position without checking it. Returns the position, and three byte ranges of the
    /// text: the board, the side to move, and the seats that have places. If one of these words is
    /// missing, its range is that of the board.
    fn read(&self, text: &str) -> Result<(Position, [Range<usize>; 3]), ParseError> {
        let text = ParseError::checked(text, MAX_TEXT)?;
        if let Some((_, word)) = without_turn(text) {
            let message = "the turn is pending here, but only a position between two moves is understood";
            return Err(ParseError::new(text, word, message));
        }
        let mut words = words(text, 0..text.len());
        let Some(board) = words.next() else {
            let message = "the position is empty: expected rows from the top, as in 9/9/9/9/9/9/9/9/9 a";
            return Err(ParseError::new(text, text.len()..text.len(), message));
        };
        let mut p = Position { marbles: self.rows(text, &board)?, ..Position::EMPTY };
        let side = words.next();
        p.to_move = match &side {
            Some(word) => {
                let mut letters = word.text.chars();
                let seat = letters.next().and_then(|c| self.seat(c));
                seat.filter(|_| letters.next().is_none()).ok_or_else(|| {
                    let message = format!("expected the side to move, {}", self.seats_in_words());
                    ParseError::new(text, word.span(), message)
                })?
            }
            None => self.seat_after(Seat::A, p.count()),
        };
        let placed = words.next();
        if let Some(word) = &placed {
            self.placed(text, word, &mut p.places)?;
        }
        if let Some(word) = words.next() {
            return Err(ParseError::new(text, word.span(), "unexpected word: the position ends before it"));
        }
        let spans = [Some(&board), side.as_ref(), placed.as_ref()].map(|word| word.unwrap_or(&board).span());
        Ok((p, spans))
    }

    /// Returns the canonical text of a position. [`Rules::parse_position`] parses this text.
    pub fn format_position(&self, p: &Position) -> String {
        let mut text = String::new();
        // Writing to a `String` cannot fail, so ignore the result.
        let _ = write_rows(&mut text, [SIDE; 2], |file, rank| p.at(Socket::on(file, rank)?));
        text.push(' ');
        text.push(p.to_move.letter());
        for (i, group) in p.seats_by_place().into_iter().enumerate() {
            let seats: Vec<String> = group.iter().map(|seat| seat.to_string()).collect();
            text.push(if i == 0 { ' ' } else { ',' });
            text.push_str(&seats.join("="));
        }
        text
    }

    /// Returns a diagram of the board on several lines, with the names of files and ranks and the
    /// borders of the blocks. A dot stands for an empty socket. The last line has no line break.
    pub fn diagram(&self, p: &Position) -> String {
        let border = "  +-------+-------+-------+\n";
        let mut text = String::from(border);
        for rank in (0..SIDE).rev() {
            let _ = write!(text, "{}", rank + 1);
            for file in 0..SIDE {
                let seat = Socket::on(file, rank).and_then(|socket| p.at(socket));
                let marble = seat.map_or(".".to_owned(), |seat| seat.to_string());
                let _ = write!(text, "{} {marble}", if file % 3 == 0 { " |" } else { "" });
            }
            text.push_str(" |\n");
            if rank % 3 == 0 {
                text.push_str(border);
            }
        }
        text.push_str("    a b c   d e f   g h i");
        text
    }

    /// Returns the seat that a letter names. The letter may be upper or lower case. Returns `None`
    /// if the game has no such seat.
    fn seat(&self, c: char) -> Option<Seat> {
        let c = c.to_ascii_lowercase();
        let index = if self.seats() == 2 { "xo".find(c) } else { None };
        let seat = Seat::numbered(index.or_else(|| "abcd".find(c))?)?;
        self.everyone().has(seat).then_some(seat)
    }

    /// Returns the letters of all seats in words, such as `A or B`, for use in error messages.
    fn seats_in_words(&self) -> &'static str {
        ["A or B", "A, B or C", "A, B, C or D"][self.seats() - 2]
    }

    fn rows(&self, text: &str, board: &Word) -> Result<[SocketSet; 4], ParseError> {
        let mut marbles = [0; 4];
        let (letters, places) = (self.seats_in_words(), "sockets");
        let rows = Rows { size: [SIDE; 2], letters, places, long_runs: false };
        let put = |file, rank, seat: Seat| {
            marbles[seat.index()] |= Socket::on(file, rank).map_or(0, Socket::bit);
        };
        rows.read(text, board, |c| self.seat(c), put)?;
        Ok(marbles)
    }

    /// Parses the list of the seats that have places, such as `A,C=D`, and writes the place of each
    /// seat to `places`.
    fn placed(&self, text: &str, word: &Word, places: &mut [u8; 4]) -> Result<(), ParseError> {
        let (mut place, mut next, mut at) = (1, 1, word.at);
        // The list alternates between seats and separators, starting with a seat.
        let mut seat_is_next = true;
        for c in word.text.chars() {
            let here = at..at + c.len_utf8();
            at = here.end;
            match (seat_is_next, self.seat(c)) {
                (true, Some(seat)) if places[seat.index()] != 0 => {
                    return Err(ParseError::new(text, here, format!("{seat} is placed twice")));
                }
                (true, Some(seat)) => {
                    places[seat.index()] = place;
                    next += 1;
                }
                (true, None) => return Err(self.no_seat(text, here)),
                (false, _) if c == ',' => place = next,
                (false, _) if c == '=' => {}
                (false, _) => {
                    let message = "expected , before the next place or = before a joint one, as in A,C=D";
                    return Err(ParseError::new(text, here, message));
                }
            }
            seat_is_next = !seat_is_next;
        }
        if seat_is_next { Err(self.no_seat(text, at..at)) } else { Ok(()) }
    }

    /// Returns the error for a text that lacks the name of a seat at `span`.
    fn no_seat(&self, text: &str, span: Range<usize>) -> ParseError {
        ParseError::new(text, span, format!("expected a seat, {}", self.seats_in_words()))
    }
}

/// If the last word of the text is `turn`, returns the text before this word, and the byte range of
/// the word. Otherwise returns `None`.
fn without_turn(text: &str) -> Option<(&str, Range<usize>)> {
    let before =
        text.trim_end().strip_suffix("turn").filter(|before| before.ends_with(char::is_whitespace))?;
    Some((before, before.len()..before.len() + "turn".len()))
}
