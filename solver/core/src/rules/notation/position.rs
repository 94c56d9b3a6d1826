//! The canonical text of a position: rows from the top and the side to move, such as
//! `OO1OO1/6/6/6/6/XXXX2 x`, followed by `turn` while a turn is pending. The file `forms` parses
//! the other forms.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::forms::{self, marble};
use crate::rules::{Board, Color, Impossible, Position, Rules, Shape};
use pentago_base::{MAX_TEXT, ParseError, Rows, Word, words, write_rows};

impl Rules {
    /// Parses a position. White space may surround the text. The board has one of these forms:
    ///
    /// - rows from the top, `OO1OO1/6/6/6/6/XXXX2`: a digit stands for that number of adjacent
    ///   empty sockets;
    /// - all sockets row by row from the top, as 36 or 16 characters: `.`, `X` and `O`, or the
    ///   digits 0 (empty), 1 (X) and 2 (O);
    /// - a diagram on several lines, as [`Rules::diagram`] writes it. White space, labels and
    ///   borders of quadrants are optional; empty sockets are `.`, `_` or `-`;
    /// - the decimal board number of perfect-pentago.net (6x6 only), with an `m` at its end while a
    ///   turn is pending.
    ///
    /// The side to move follows, `x` or `o` (also `x to move`). Then follows `turn` (also `m`, or
    /// `x to turn`) if the marble of the move has been placed and its turn is pending. If the text
    /// has only the board, no turn is pending, and the counts of marbles determine the side to
    /// move. Letters may be of either case.
    ///
    /// The game may be over in the position: see [`Rules::outcome`].
    ///
    /// # Errors
    /// If the text has none of these forms, is longer than [`MAX_TEXT`], or the position can't
    /// occur. If the text is a valid position on the other board, the message names the game:
    /// Pentago or Mini-Pentago.
    pub fn parse_position(&self, text: &str) -> Result<Position, ParseError> {
        self.read_position(text).map_err(|error| {
            let others = [("Pentago", "pentago", Rules::default()), ("Mini-Pentago", "mini", Rules::mini())];
            let fits = |(_, _, rules): &(&str, &str, Rules)| {
                rules.shape.size() != self.shape.size() && rules.read_position(text).is_ok()
            };
            let Some((game, name, _)) = others.into_iter().find(fits) else { return error };
            let message =
                format!("{}; this is a position of {game}: choose the rules {name}", error.message());
            ParseError::new(error.text(), error.span(), message)
        })
    }

    fn read_position(&self, text: &str) -> Result<Position, ParseError> {
        let text = ParseError::checked(text, MAX_TEXT)?;
        let words: Vec<Word> = words(text, 0..text.len()).collect();
        let Some(first) = words.first() else {
            let message = "the position is empty: expected rows from the top, as in 6/6/6/6/6/6 x";
            return Err(ParseError::new(text, text.len()..text.len(), message));
        };
        let several_lines = text.trim().contains('\n');
        let (number, mark) = forms::split_number(first);
        let mut rest = words[1..].to_vec();
        let mut pending = None;
        let board = if text.contains('/') {
            rows(text, self.shape, first)?
        } else if first.text.chars().count() != self.shape.sockets() && several_lines {
            let (board, below) = forms::diagram(text, self.shape)?;
            rest = below;
            board
        } else if let Some(number) = number
            && number.text.len() != self.shape.sockets()
        {
            pending = mark;
            forms::number(text, self.shape, &number)?
        } else {
            forms::compact(text, self.shape, first)?
        };
        let end = rest.first().map_or(text.len(), |word| word.at);
        let span = first.at..text[..end].trim_end().len();
        let (side, pending) = tail(text, &rest, pending)?;
        let read = match side {
            Some((to_move, _)) => Position::new(self.shape, board, to_move, pending.is_some()),
            None => Position::implied(self.shape, board, pending.is_some()),
        };
        read.map_err(|why| {
            let span = match (&why, side, pending) {
                (Impossible::Side { .. }, Some((_, side)), _) => side,
                (Impossible::NothingPlaced | Impossible::Over, _, Some(pending)) => pending,
                _ => span,
            };
            ParseError::new(text, span, format!("impossible position: {why}"))
        })
    }

    /// Returns the canonical text of a position: the rows from the top, the side to move, and
    /// `turn` if a turn is pending. The text equals the output of [`fmt::Display`].
    /// [`Rules::parse_position`] parses the text.
    pub fn format_position(&self, p: &Position) -> String {
        p.to_string()
    }
}

impl fmt::Display for Position {
    /// Writes the rows from the top, the side to move, and `turn` if a turn is pending.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, board) = (self.shape(), self.board());
        let size = shape.size();
        write_rows(f, [size, size], |file, rank| board.at(shape.socket(file, rank)))?;
        write!(f, " {}", self.to_move().letter())?;
        if self.pending() { f.write_str(" turn") } else { Ok(()) }
    }
}

impl FromStr for Position {
    type Err = ParseError;

    /// Parses a position of Pentago, or of Mini-Pentago (four in a row) if the first word has four
    /// rows. [`Rules::parse_position`] parses positions of any rules.
    fn from_str(text: &str) -> Result<Position, ParseError> {
        let first = text.split_whitespace().next().unwrap_or_default();
        let mini = first.bytes().filter(|&b| b == b'/').count() == 3;
        let rules = if mini { Rules::mini() } else { Rules::default() };
        rules.parse_position(text)
    }
}

/// If the word is the letter of a side, returns that side and the range of the word. Returns `None`
/// for any other word.
fn side(word: &Word) -> Option<(Color, Range<usize>)> {
    let mut letters = word.text.chars();
    let color = letters.next().and_then(marble)?;
    letters.next().is_none().then(|| (color, word.span()))
}

/// Parses a board of rows that are separated by `/`.
fn rows(text: &str, shape: Shape, board: &Word) -> Result<Board, ParseError> {
    let mut marbles = Board::EMPTY;
    let size = [shape.size(); 2];
    let rows = Rows { size, letters: "X, O", places: "sockets", long_runs: false };
    rows.read(text, board, marble, |file, rank, color| {
        marbles = marbles.with(color, shape.socket(file, rank));
    })?;
    Ok(marbles)
}

/// The side to move with the range of its word, and the range of the word that marks a pending
/// turn. An item is `None` if the text omits the word.
type Tail = (Option<(Color, Range<usize>)>, Option<Range<usize>>);

/// Parses the words after the board. `mark` is the range of the `m` at the end of a board number,
/// or `None` if there is no `m`.
fn tail(text: &str, words: &[Word], mark: Option<Range<usize>>) -> Result<Tail, ParseError> {
    let mut words = words.iter().peekable();
    let is = |word: &Word, wanted: &str| word.text.eq_ignore_ascii_case(wanted);
    let side = words.peek().and_then(|word| side(word));
    let mut to_move = false;
    if side.is_some() {
        words.next();
        if words.next_if(|word| is(word, "to")).is_some() {
            to_move = mark.is_none() && words.next_if(|word| is(word, "move")).is_some();
            if !to_move && !words.peek().is_some_and(|word| is(word, "turn")) {
                let span = words.peek().map_or(text.len()..text.len(), |word| word.span());
                let message = "expected \"x to move\", or \"x to turn\" if the marble has been placed";
                return Err(ParseError::new(text, span, message));
            }
        }
    }
    let turn = words.next_if(|word| !to_move && (is(word, "turn") || is(word, "m")));
    let pending = turn.map(Word::span).or(mark);
    let Some(word) = words.next() else { return Ok((side, pending)) };
    let expected = match (&side, &pending) {
        (_, Some(_)) => "the end",
        (Some(_), None) => "the end, or \"turn\" if the marble of this move has been placed",
        (None, None) => "the side to move, x or o",
    };
    Err(ParseError::new(text, word.span(), format!("unexpected word: expected {expected}")))
}
