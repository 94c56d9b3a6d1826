//! The text of positions and moves, and diagrams.
//!
//! There is one canonical text of a position and of a move, and only that is written. No text makes
//! the readers panic: what cannot be read gives a [`ParseError`] that points at the place.

use std::fmt::Write;
use std::ops::Range;

use super::{Color, ImpossiblePosition, Point, PointSet, Position, Rules};
use pentago_base::{MAX_TEXT, ParseError, Rows, Word, quoted, words, write_rows};

/// The letters of the files: I is left out.
const FILES: &[u8; 19] = b"ABCDEFGHJKLMNOPQRST";

impl Rules {
    /// Reads a position: rows from the top with runs of empty points as numbers, then the side to
    /// move, then `cap=A-B`, the stones captured by X and by O, if there are any:
    /// `9/9/9/9/XOO5X/9/9/9/9 x cap=2-0`. Letters may be of either case. The game may be over in
    /// the position; see [`Rules::outcome`].
    ///
    /// # Errors
    /// If the text is not a position, is longer than [`MAX_TEXT`], or no game leads to the position
    /// as far as [`Position::new`] can tell.
    pub fn parse_position(&self, text: &str) -> Result<Position, ParseError> {
        self.read_position(text, true)
    }

    /// Reads a position that is set up by hand, as [`Rules::parse_position`] does, but whatever its
    /// counts.
    ///
    /// # Errors
    /// If the text is not a position.
    pub fn parse_study(&self, text: &str) -> Result<Position, ParseError> {
        self.read_position(text, false)
    }

    fn read_position(&self, text: &str, check: bool) -> Result<Position, ParseError> {
        ParseError::check_length(text, MAX_TEXT)?;
        let words: Vec<Range<usize>> = words(text, 0..text.len()).map(|word| word.span()).collect();
        let end = text.trim_end().len();
        let Some(rows) = words.first() else {
            let message =
                format!("the position is empty: expected rows from the top, as in {}", self.empty());
            return Err(ParseError::new(text, end..end, message));
        };
        let stones = self.read_rows(text, rows.clone())?;
        let Some(side) = words.get(1) else {
            return Err(ParseError::new(text, end..end, "the side to move is missing: expected x or o"));
        };
        let to_move = match &text[side.clone()] {
            "x" | "X" => Color::X,
            "o" | "O" => Color::O,
            _ => return Err(ParseError::new(text, side.clone(), "expected the side to move, x or o")),
        };
        let captured = words.get(2).map_or(Ok([0; 2]), |word| read_captured(text, word.clone()))?;
        if let Some(word) = words.get(3) {
            return Err(ParseError::new(text, word.clone(), "the position ends before this"));
        }
        if !check {
            return Ok(Position::study(self, stones, captured, to_move));
        }
        Position::new(self, stones, captured, to_move).map_err(|impossible| {
            let span = match impossible {
                ImpossiblePosition::Side { .. } => side.clone(),
                ImpossiblePosition::Captured(_) | ImpossiblePosition::TooManyCaptured(..) => {
                    words.get(2).cloned().unwrap_or(rows.clone())
                }
                _ => rows.clone(),
            };
            ParseError::new(text, span, format!("no game leads here: {impossible}"))
        })
    }

    /// The rows, separated by `/`.
    fn read_rows(&self, text: &str, word: Range<usize>) -> Result<[PointSet; 2], ParseError> {
        let size = [self.width(), self.height()];
        let rows = Rows { size, letters: "X, O", places: "points", long_runs: true };
        let color = |c| match c {
            'X' | 'x' => Some(Color::X),
            'O' | 'o' => Some(Color::O),
            _ => None,
        };
        let mut stones = [PointSet::EMPTY; 2];
        let board = Word { text: &text[word.clone()], at: word.start };
        rows.read(text, &board, color, |file, rank, color| {
            if let Some(point) = self.point(file, rank) {
                stones[color.index()].insert(point);
            }
        })?;
        Ok(stones)
    }

    /// The text of the empty board.
    fn empty(&self) -> String {
        self.format_position(&Position::EMPTY)
    }

    /// The canonical text of a position, read back by [`Rules::parse_position`].
    #[must_use]
    pub fn format_position(&self, p: &Position) -> String {
        let mut text = String::new();
        // Writing to a String doesn't fail.
        let _ = write_rows(&mut text, [self.width(), self.height()], |file, rank| {
            self.point(file, rank).and_then(|point| p.at(point))
        });
        text.push(' ');
        text.push(p.to_move.letter());
        if p.captured != [0; 2] {
            let _ = write!(text, " cap={}-{}", p.captured[0], p.captured[1]);
        }
        text
    }

    /// Reads a move: the point of the stone, `K10`, with white space around it; the file may be of
    /// either case. Only the text is judged, and that the point exists: what is legal is left to
    /// [`Rules::play`].
    ///
    /// # Errors
    /// If the text is not a point of this board.
    pub fn parse_move(&self, text: &str) -> Result<Point, ParseError> {
        ParseError::check_length(text, MAX_TEXT)?;
        let start = text.len() - text.trim_start().len();
        self.read_move(text, start..start + text.trim().len())
    }

    /// Reads the move in a part of a text.
    fn read_move(&self, text: &str, part: Range<usize>) -> Result<Point, ParseError> {
        let own = &text[part.clone()];
        let last = FILES[self.width() - 1] as char;
        let Some(c) = own.chars().next() else {
            return Err(ParseError::new(text, part, "there is no move: expected a point, as in K10"));
        };
        let file_span = part.start..part.start + c.len_utf8();
        let letter = c.to_ascii_uppercase();
        let file = FILES.iter().position(|&file| file as char == letter);
        let file = match file.filter(|&file| file < self.width()) {
            Some(file) => file,
            None => {
                let message = match letter {
                    'I' => format!("there is no file I: the files are A to {last}, with H before J"),
                    'A'..='Z' => format!("this board has the files A to {last}"),
                    _ => format!("unexpected character {}: expected a file, A to {last}", quoted(c)),
                };
                return Err(ParseError::new(text, file_span, message));
            }
        };
        let digits = &own[c.len_utf8()..];
        let span = file_span.end..part.end;
        if let Some((offset, c)) = digits.char_indices().find(|(_, c)| !c.is_ascii_digit()) {
            let at = span.start + offset;
            let message = format!("unexpected character {}: expected a point, as in K10", quoted(c));
            return Err(ParseError::new(text, at..at + c.len_utf8(), message));
        }
        let rank = digits.parse::<usize>().ok().filter(|_| !digits.starts_with('0'));
        match rank.and_then(|rank| self.point(file, rank.checked_sub(1)?)) {
            Some(point) => Ok(point),
            None => {
                let message = format!("expected a rank, 1 to {}", self.height());
                Err(ParseError::new(text, span, message))
            }
        }
    }

    /// The canonical text of a move or point: `K10`.
    #[must_use]
    pub fn format_move(&self, m: Point) -> String {
        let (file, rank) = self.file_rank(m);
        format!("{}{}", FILES[file] as char, rank + 1)
    }

    /// The position as a picture for people, on several lines without a last line break: files and
    /// ranks labelled, captured stones and the side to move below.
    #[must_use]
    pub fn diagram(&self, p: &Position) -> String {
        let mut text = String::from("  ");
        for &file in &FILES[..self.width()] {
            let _ = write!(text, " {}", file as char);
        }
        for rank in (0..self.height()).rev() {
            let _ = write!(text, "\n{:2}", rank + 1);
            for file in 0..self.width() {
                match self.point(file, rank).and_then(|point| p.at(point)) {
                    Some(color) => _ = write!(text, " {color}"),
                    None => text.push_str(" ."),
                }
            }
        }
        let [x, o] = p.captured;
        let _ = write!(text, "\ncaptured by X: {x}, by O: {o}\n{} to move", p.to_move.letter());
        text
    }
}

/// Reads `cap=A-B`.
fn read_captured(text: &str, word: Range<usize>) -> Result<[u16; 2], ParseError> {
    let message = "expected the captured stones, as in cap=4-0 (by X, then by O)";
    let Some(numbers) = text[word.clone()].strip_prefix("cap=") else {
        return Err(ParseError::new(text, word, message));
    };
    let at = word.end - numbers.len();
    let Some((x, o)) = numbers.split_once('-') else {
        return Err(ParseError::new(text, at..word.end, message));
    };
    let number = |digits: &str, span: Range<usize>| {
        let plain = digits.bytes().all(|b| b.is_ascii_digit());
        let number = digits.parse::<u16>().ok().filter(|&n| plain && n < 1000);
        number.ok_or_else(|| ParseError::new(text, span, "expected a number of captured stones"))
    };
    Ok([number(x, at..at + x.len())?, number(o, word.end - o.len()..word.end)?])
}
