//! The text of a position: rows from the top, `OO1OO1/6/6/6/6/XXXX2 x`, and behind them `turn`
//! while a turn is pending. What else is read stands in `forms`.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::forms::{self, marble};
use crate::rules::{Board, Color, Impossible, Position, Rules, Shape};
use pentago_base::{MAX_TEXT, ParseError, Rows, Word, words, write_rows};

impl Rules {
    /// Reads a position. Accepted are, with white space around them:
    ///
    /// - rows from the top, `OO1OO1/6/6/6/6/XXXX2 x`: digits are runs of empty sockets;
    /// - all sockets row by row from the top, 36 (16) characters `.XO`, or as digits 0 (empty), 1
    ///   (X), 2 (O);
    /// - a diagram on several lines, with or without white space, labels and quadrant borders, such
    ///   as [`Rules::diagram`] gives; empty sockets are `.`, `_` or `-`;
    /// - the decimal board number of perfect-pentago.net (6x6 only), with an `m` at its end while a
    ///   turn is pending.
    ///
    /// Then follows the side to move, `x` or `o` (also `x to move`), and `turn` (also `m`, or `x to
    /// turn`) if its marble is placed and the turn still to be made. Both may be left out: nothing
    /// is pending then, and the side follows from the counts. Letters may be of either case.
    ///
    /// The game may be over in the position; see [`Rules::outcome`].
    ///
    /// # Errors
    /// If the text is none of these, is longer than [`MAX_TEXT`], or the position can't occur. The
    /// message names Mini-Pentago, or Pentago, if the text is a position of that.
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

    /// The canonical text of a position, read back by [`Rules::parse_position`]: rows from the top,
    /// the side to move, and `turn` if its turn is pending. The same as its [`fmt::Display`].
    #[must_use]
    pub fn format_position(&self, p: &Position) -> String {
        p.to_string()
    }
}

impl fmt::Display for Position {
    /// Rows from the top, the side to move, and `turn` if its turn is pending.
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

    /// Reads a position of Pentago; one of Mini-Pentago (four in a row) if its first word is four
    /// rows. [`Rules::parse_position`] reads positions of any rules.
    fn from_str(text: &str) -> Result<Position, ParseError> {
        let first = text.split_whitespace().next().unwrap_or_default();
        let mini = first.bytes().filter(|&b| b == b'/').count() == 3;
        let rules = if mini { Rules::mini() } else { Rules::default() };
        rules.parse_position(text)
    }
}

/// The side to move, if the word is its letter, and the place.
fn side(word: &Word) -> Option<(Color, Range<usize>)> {
    let mut letters = word.text.chars();
    let color = letters.next().and_then(marble)?;
    letters.next().is_none().then(|| (color, word.span()))
}

/// The rows, separated by `/`.
fn rows(text: &str, shape: Shape, board: &Word) -> Result<Board, ParseError> {
    let mut marbles = Board::EMPTY;
    let size = [shape.size(); 2];
    let rows = Rows { size, letters: "X, O", places: "sockets", long_runs: false };
    rows.read(text, board, marble, |file, rank, color| {
        marbles = marbles.with(color, shape.socket(file, rank));
    })?;
    Ok(marbles)
}

/// What follows the board: the side to move, and whether its turn is pending, each with its place.
struct Tail {
    side: Option<(Color, Range<usize>)>,
    pending: Option<Range<usize>>,
}

impl Tail {
    /// Reads the words after the board. `pending` is the mark of a board that said so itself.
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
