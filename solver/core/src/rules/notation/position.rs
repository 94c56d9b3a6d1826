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
    /// - rows from the top, `OO1OO1/6/6/6/6/XXXX2`: a digit is the number of empty sockets in a
    ///   run;
    /// - all sockets row by row from the top, 36 (16) characters `.XO`, or as digits 0 (empty), 1
    ///   (X), 2 (O);
    /// - a diagram on several lines, as [`Rules::diagram`] writes it. White space, labels and
    ///   borders of quadrants are optional; empty sockets are `.`, `_` or `-`;
    /// - the decimal board number of perfect-pentago.net (6x6 only), with an `m` at its end while a
    ///   turn is pending.
    ///
    /// The side to move follows, `x` or `o` (also `x to move`). Then follows `turn` (also `m`, or
    /// `x to turn`) if the marble of the move has been placed and its turn is pending. Both may be
    /// omitted: then no turn is pending, and the counts determine the side to move. Letters may be
    /// of either case.
    ///
    /// The game may be over in the position: see [`Rules::outcome`].
    ///
    /// # Errors
    /// If the text has none of these forms, is longer than [`MAX_TEXT`], or the position can't
    /// occur. If the text is a position of Mini-Pentago or Pentago instead, the message names that
    /// game.
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
        ParseError::check_length(text, MAX_TEXT)?;
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
        Tail::read(text, &rest, pending)?.position(text, *self, board, span)
    }

    /// Returns the canonical text of a position, as its [`fmt::Display`] writes it: rows from the
    /// top, the side to move, and `turn` if its turn is pending. [`Rules::parse_position`] parses
    /// the text.
    pub fn format_position(&self, p: &Position) -> String {
        p.to_string()
    }
}

impl fmt::Display for Position {
    /// Writes rows from the top, the side to move, and `turn` if its turn is pending.
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

/// Returns the side to move and the range of the word, if the word is the letter of a side.
fn side(word: &Word) -> Option<(Color, Range<usize>)> {
    let mut letters = word.text.chars();
    let color = letters.next().and_then(marble)?;
    letters.next().is_none().then(|| (color, word.span()))
}

/// Parses rows that are separated by `/`.
fn rows(text: &str, shape: Shape, board: &Word) -> Result<Board, ParseError> {
    let mut marbles = Board::EMPTY;
    let size = [shape.size(); 2];
    let rows = Rows { size, letters: "X, O", places: "sockets", long_runs: false };
    rows.read(text, board, marble, |file, rank, color| {
        marbles = marbles.with(color, shape.socket(file, rank));
    })?;
    Ok(marbles)
}

/// The words after the board: the side to move, and the mark of a pending turn, each with its
/// range.
struct Tail {
    side: Option<(Color, Range<usize>)>,
    pending: Option<Range<usize>>,
}

impl Tail {
    /// Parses the words after the board. `pending` is the mark at the end of a board number, if
    /// any.
    fn read(text: &str, words: &[Word], pending: Option<Range<usize>>) -> Result<Tail, ParseError> {
        let mut tail = Tail { side: None, pending };
        let mut rest = words.iter();
        let mut word = rest.next();
        let is = |word: Option<&Word>, text: &str| word.is_some_and(|w| w.text.eq_ignore_ascii_case(text));
        if let Some((color, span)) = word.and_then(side) {
            tail.side = Some((color, span));
            word = rest.next();
            if is(word, "to") {
                word = rest.next();
                if is(word, "move") && tail.pending.is_none() {
                    return Tail::end(text, tail, rest.next());
                } else if !is(word, "turn") {
                    let span = word.map_or(text.len()..text.len(), Word::span);
                    let message = "expected \"x to move\", or \"x to turn\" if the marble has been placed";
                    return Err(ParseError::new(text, span, message));
                }
            }
        }
        if let Some(mark) = word.filter(|_| is(word, "turn") || is(word, "m")) {
            tail.pending = Some(mark.span());
            word = rest.next();
        }
        Tail::end(text, tail, word)
    }

    fn end(text: &str, tail: Tail, left: Option<&Word>) -> Result<Tail, ParseError> {
        let Some(word) = left else { return Ok(tail) };
        let expected = match tail {
            Tail { side: None, pending: None } => "the side to move, x or o",
            Tail { pending: None, .. } => "the end, or \"turn\" if the marble of this move has been placed",
            _ => "the end",
        };
        Err(ParseError::new(text, word.span(), format!("unexpected word: expected {expected}")))
    }

    fn position(
        self,
        text: &str,
        rules: Rules,
        board: Board,
        span: Range<usize>,
    ) -> Result<Position, ParseError> {
        let pending = self.pending.is_some();
        let read = match self.side {
            Some((to_move, _)) => Position::new(rules.shape, board, to_move, pending),
            None => Position::implied(rules.shape, board, pending),
        };
        read.map_err(|why| {
            let span = match (&why, self.side, self.pending) {
                (Impossible::Side { .. }, Some((_, side)), _) => side,
                (Impossible::NothingPlaced, _, Some(pending)) => pending,
                _ => span,
            };
            ParseError::new(text, span, format!("impossible position: {why}"))
        })
    }
}
