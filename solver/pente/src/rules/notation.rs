//! The text of positions and moves, and diagrams.
//!
//! Each position and each move has one canonical text, which is the only text that the functions
//! write. The parsers never panic. For an invalid text they return a [`ParseError`] that points at
//! the mistake.

use std::fmt::Write;
use std::ops::Range;

use super::{Color, Point, PointSet, Position, Rules};
use pentago_base::{MAX_TEXT, ParseError, Rows, Scan, Word, quoted, words, write_rows};

/// The letters of the files. The letter I is not used.
const FILES: &[u8; 19] = b"ABCDEFGHJKLMNOPQRST";

impl Rules {
    /// Parses a position: the rows from the top, the side to move, and the captured stones.
    ///
    /// In a row, a number is a run of empty points. `cap=A-B` holds the numbers of stones captured
    /// by X and by O, and is left out if both are 0: `9/9/9/9/XOO5X/9/9/9/9 x cap=2-0`. Upper and
    /// lower case are equal. The game may be over in the position; see [`Rules::outcome`].
    ///
    /// # Errors
    /// If the text is not a position, is longer than [`MAX_TEXT`], or [`Position::new`] refuses the
    /// position.
    pub fn parse_position(&self, text: &str) -> Result<Position, ParseError> {
        self.read_position(text, true)
    }

    /// Parses a position for studies, in the format of [`Rules::parse_position`]. The function does
    /// not check whether a game can reach the position.
    ///
    /// # Errors
    /// If the text is not a position, or is longer than [`MAX_TEXT`].
    pub fn parse_study(&self, text: &str) -> Result<Position, ParseError> {
        self.read_position(text, false)
    }

    fn read_position(&self, text: &str, check: bool) -> Result<Position, ParseError> {
        let text = ParseError::checked(text, MAX_TEXT)?;
        let words: Vec<Range<usize>> = words(text, 0..text.len()).map(|word| word.span()).collect();
        let end = text.trim_end().len();
        let Some(rows) = words.first() else {
            let empty = self.format_position(&Position::EMPTY);
            let message = format!("the position is empty: expected rows from the top, as in {empty}");
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
        let spans = [rows, side, words.get(2).unwrap_or(rows)].map(Clone::clone);
        Position::new(self, stones, captured, to_move).map_err(|why| why.in_position(text, &spans))
    }

    /// Parses the rows of the board, which are separated by `/`. `word` is the byte range of the
    /// rows in `text`. Returns the stones of X and of O.
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

    /// Returns the canonical text of a position. [`Rules::parse_position`] parses the text.
    pub fn format_position(&self, p: &Position) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
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

    /// Parses a move: the point of the stone, such as `K10`. White space around the point is
    /// ignored. Upper and lower case are equal. The function does not check legality;
    /// [`Rules::play`] does.
    ///
    /// # Errors
    /// If the text is not a point of this board, or is longer than [`MAX_TEXT`].
    pub fn parse_move(&self, text: &str) -> Result<Point, ParseError> {
        let text = ParseError::checked(text, MAX_TEXT)?;
        let mut scan = Scan::new(text)?;
        let Some(c) = scan.peek() else {
            return Err(scan.error("there is no move: expected a point, as in K10"));
        };
        let files = &FILES[..self.width()];
        let last = files[files.len() - 1] as char;
        let letter = c.to_ascii_uppercase();
        let Some(file) = files.iter().position(|&file| file as char == letter) else {
            return Err(scan.error(match letter {
                'I' => format!("there is no file I: the files are A to {last}, with H before J"),
                'A'..='Z' => format!("this board has the files A to {last}"),
                _ => format!("unexpected character {}: expected a file, A to {last}", quoted(c)),
            }));
        };
        scan.skip();
        let start = text.len() - text.trim_start().len() + c.len_utf8();
        let rank = &text[start..text.trim_end().len()];
        while let Some(c) = scan.peek() {
            if !c.is_ascii_digit() {
                let message = format!("unexpected character {}: expected a point, as in K10", quoted(c));
                return Err(scan.error(message));
            }
            scan.skip();
        }
        let number = rank.parse::<usize>().ok().filter(|_| !rank.starts_with('0'));
        number.and_then(|number| self.point(file, number.checked_sub(1)?)).ok_or_else(|| {
            let message = format!("expected a rank, 1 to {}", self.height());
            ParseError::new(text, start..start + rank.len(), message)
        })
    }

    /// Returns the canonical text of a move or point, such as `K10`.
    pub fn format_move(&self, m: Point) -> String {
        let (file, rank) = self.file_rank(m);
        format!("{}{}", FILES[file] as char, rank + 1)
    }

    /// Draws a position as text for people. The files and ranks are labelled. The captured stones
    /// and the side to move are printed below the board. The text does not end with a line break.
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

/// Parses the numbers of stones captured by X and by O, in the format `cap=A-B`. `word` is the byte
/// range of the numbers in `text`.
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
