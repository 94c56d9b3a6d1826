//! The forms of a board beside the notation by rows: all sockets in one word, the board number, and
//! the diagram. This
//! file parses these three forms, and writes the board number and the diagram.

use std::fmt::Write;
use std::ops::Range;

use crate::rules::{Board, Color, Position, Rules, Shape};
use pentago_base::{ParseError, Word, quoted, words};

/// Returns the colour of a letter of either case, or `None` if the letter isn't X or O.
pub(super) fn marble(c: char) -> Option<Color> {
    match c {
        'X' | 'x' => Some(Color::X),
        'O' | 'o' => Some(Color::O),
        _ => None,
    }
}

/// Parses a board in one word: all sockets, row by row from the top. The characters are `.`
/// (empty), `X` and `O`, or the digits 0 (empty), 1 (X) and 2 (O). If the first character is a
/// digit, all characters must be digits.
pub(super) fn compact(text: &str, shape: Shape, word: &Word) -> Result<Board, ParseError> {
    let digits = word.text.starts_with(|c: char| c.is_ascii_digit());
    let (symbols, alphabet) =
        if digits { ("012", "0 (empty), 1 (X) and 2 (O)") } else { (".XO", ". (empty), X and O") };
    let mut board = Board::EMPTY;
    for (i, (offset, c)) in word.text.char_indices().enumerate() {
        let bit = shape.cell_bits().get(i).copied().unwrap_or(0);
        match symbols.find(c.to_ascii_uppercase()) {
            Some(0) => {}
            Some(1) => board.x |= bit,
            Some(_) => board.o |= bit,
            None => {
                let at = word.at + offset;
                let message = match i {
                    0 => no_form(shape),
                    _ => format!("unexpected character {} in a board of {alphabet}", quoted(c)),
                };
                return Err(ParseError::new(text, at..at + c.len_utf8(), message));
            }
        }
    }
    let (sockets, found) = (shape.sockets(), word.text.chars().count());
    if found != sockets {
        let message = format!("a board in one word has {sockets} characters, but this one has {found}");
        return Err(ParseError::new(text, word.span(), message));
    }
    Ok(board)
}

/// Returns the error message for a text that is not a board in any of the accepted forms.
fn no_form(shape: Shape) -> String {
    let (size, sockets) = (shape.size(), shape.sockets());
    let empty = vec![size.to_string(); size].join("/");
    format!(
        "not a position: expected rows from the top, as in {empty} x, \
         or all {sockets} sockets as . X O"
    )
}

/// For each field of a board number, least significant first: the index of its quadrant, and the
/// name of that quadrant. Board numbers list the quadrants column by column, each column from the
/// bottom. This crate numbers the quadrants in reading order.
const FIELDS: [(usize, &str); 4] =
    [(2, "lower left"), (0, "upper left"), (3, "lower right"), (1, "upper right")];

/// For each cell of a quadrant, the power of three that its digit has in a field of a board number.
/// Digit `3 x + y` of a field, with y upwards, is cell `3 (2 - y) + x` of the quadrant.
const WEIGHTS: [u16; 9] = {
    let mut weights = [0; 9];
    let mut weight = 1;
    let mut digit = 0;
    while digit < 9 {
        let (x, y) = (digit / 3, digit % 3);
        weights[3 * (2 - y) + x] = weight;
        weight *= 3;
        digit += 1;
    }
    weights
};

/// Splits a board number into its digits and the range of the `m` at its end. The range is `None`
/// if there is no `m`. Both results are `None` if the word is not a board number.
pub(super) fn split_number<'a>(word: &Word<'a>) -> (Option<Word<'a>>, Option<Range<usize>>) {
    let digits = word.text.strip_suffix(['m', 'M']).unwrap_or(word.text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return (None, None);
    }
    let end = word.at + digits.len();
    let mark = (digits.len() < word.text.len()).then_some(end..end + 1);
    (Some(Word { text: digits, at: word.at }), mark)
}

/// Parses a board number of perfect-pentago.net, without the `m`. Each quadrant has a field of 16
/// bits, whose nine ternary digits are 0 for an empty socket, 1 for X (black on that site) and 2
/// for O (white).
pub(super) fn number(text: &str, shape: Shape, word: &Word) -> Result<Board, ParseError> {
    let (digits, span) = (word.text, word.span());
    if shape != Shape::Pentago {
        let message = format!(
            "board numbers are for 6x6 boards: expected {} sockets or rows from the top",
            shape.sockets()
        );
        return Err(ParseError::new(text, span, message));
    }
    let Ok(number) = digits.parse::<u64>() else {
        let message = "this is neither a board number (below 2^64) \
            nor a board of 36 digits 0, 1 and 2";
        return Err(ParseError::new(text, span, message));
    };
    let mut board = Board::EMPTY;
    for (field, (quadrant, name)) in FIELDS.iter().enumerate() {
        let value = (number >> (16 * field)) as u16;
        if value >= 19683 {
            let message =
                format!("not a board number: its field for the {name} quadrant is {value}, more than 19682");
            return Err(ParseError::new(text, span, message));
        }
        for (cell, weight) in WEIGHTS.iter().enumerate() {
            let bit = 1 << (16 * quadrant + cell);
            match value / weight % 3 {
                1 => board.x |= bit,
                2 => board.o |= bit,
                _ => {}
            }
        }
    }
    Ok(board)
}

impl Rules {
    /// Returns the board number of perfect-pentago.net, followed by `m` if the turn is pending.
    /// Returns `None` unless the board is 6x6. [`Rules::parse_position`] parses board numbers.
    pub fn board_number(&self, p: &Position) -> Option<String> {
        if self.shape != Shape::Pentago {
            return None;
        }
        let mut number = 0;
        for (field, (quadrant, _)) in FIELDS.iter().enumerate() {
            for (cell, &weight) in WEIGHTS.iter().enumerate() {
                let bit = 16 * quadrant + cell;
                let digit = (p.board().x >> bit & 1) + 2 * (p.board().o >> bit & 1);
                number += (digit * u64::from(weight)) << (16 * field);
            }
        }
        Some(format!("{number}{}", if p.pending() { "m" } else { "" }))
    }

    /// Returns the position as a diagram on several lines, without a final line break. Files and
    /// ranks are labelled, quadrants are separated, and the last line names the side to move.
    /// [`Rules::parse_position`] parses the diagram.
    pub fn diagram(&self, p: &Position) -> String {
        let (size, side) = (self.shape.size(), self.shape.quadrant_side());
        let mut text = String::from(" ");
        for file in 0..size {
            let gap = if file == side { "   " } else { " " };
            let _ = write!(text, "{gap}{}", (b'a' + file as u8) as char);
        }
        text.push('\n');
        for rank in (0..size).rev() {
            let _ = write!(text, "{}", rank + 1);
            for file in 0..size {
                text.push_str(if file == side { " | " } else { " " });
                match p.board().at(self.shape.socket(file, rank)) {
                    Some(color) => _ = write!(text, "{color}"),
                    None => text.push('.'),
                }
            }
            text.push('\n');
            if rank == side {
                let bar = "-".repeat(2 * side);
                let _ = writeln!(text, "  {bar}+{bar}");
            }
        }
        let what = if p.pending() { "turn" } else { "move" };
        let _ = write!(text, "{} to {what}", p.to_move().letter());
        text
    }
}

/// Replaces a symbol with which terminals draw a board by the character that [`Rules::diagram`]
/// writes. The numbers of the quadrants become white space.
fn plain(symbol: char) -> char {
    let at = "●◉○◎·│─┼①②③④".chars().position(|c| c == symbol);
    at.and_then(|at| "XXOO.|-+    ".chars().nth(at)).unwrap_or(symbol)
}

/// Parses a diagram: one line for each row, from the top. A line may have the label of its rank
/// before or after the sockets, and `|` between quadrants. Lines that label the files, lines of
/// dashes between rows, and the legend of the marbles are skipped. Returns the board, and the words
/// after the last row.
pub(super) fn diagram(text: &str, shape: Shape) -> Result<(Board, Vec<Word<'_>>), ParseError> {
    let size = shape.size();
    let mut board = Board::EMPTY;
    let mut rank = size;
    let mut rest = Vec::new();
    for line in lines(text) {
        if is_frame(&text[line.clone()], size) {
            continue;
        }
        if rank == 0 {
            rest.extend(words(text, line));
        } else {
            rank -= 1;
            diagram_row(text, line, shape, rank, &mut board)?;
        }
    }
    if rank > 0 {
        let found = size - rank;
        let message = format!("too few rows in this diagram: expected {size}, found {found}");
        let end = text.trim_end().len();
        return Err(ParseError::new(text, end..end, message));
    }
    Ok((board, rest))
}

/// Parses one row of a diagram, and adds its marbles to the board.
fn diagram_row(
    text: &str,
    line: Range<usize>,
    shape: Shape,
    rank: usize,
    board: &mut Board,
) -> Result<(), ParseError> {
    let size = shape.size();
    let mut file = 0;
    for (offset, c) in text[line.clone()].char_indices() {
        let at = line.start + offset;
        let here = at..at + c.len_utf8();
        let color = match plain(c) {
            '.' | '_' | '-' => None,
            c if c.is_whitespace() || c == '|' => continue,
            c if marble(c).is_some() => marble(c),
            // A digit before the first socket or after the last socket of the row is the label of
            // the rank.
            '1'..='9' if file == 0 || file == size => {
                if c.to_digit(10) != Some(rank as u32 + 1) {
                    let message = format!(
                        "unexpected rank {c}: rows are listed from the top, so expected rank {}",
                        rank + 1
                    );
                    return Err(ParseError::new(text, here, message));
                }
                continue;
            }
            _ => {
                let message = format!(
                    "unexpected character {} in a diagram: expected X, O, or . for an empty socket",
                    quoted(c)
                );
                return Err(ParseError::new(text, here, message));
            }
        };
        let Some(socket) = shape.try_socket(file, rank) else {
            let message = format!(
                "rank {} has more than {size} sockets (the side to move needs a line of its own)",
                rank + 1
            );
            return Err(ParseError::new(text, here, message));
        };
        if let Some(color) = color {
            *board = board.with(color, socket);
        }
        file += 1;
    }
    if file < size {
        let message = format!("rank {} has {file} of {size} sockets", rank + 1);
        return Err(ParseError::new(text, line, message));
    }
    Ok(())
}

/// Returns the range of each line that is not blank. The ranges exclude white space at both ends of
/// the lines.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.split('\n').filter_map(move |line| {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len() + 1;
        let line = line.trim();
        (!line.is_empty()).then(|| start..start + line.len())
    })
}

/// Returns `true` if a line has no sockets. Such a line is blank, or has the labels of the files,
/// or is the border between quadrants, or explains the marbles. A border has only `-` and `+`, with
/// at least one `+` or with more `-` than a row has sockets.
fn is_frame(line: &str, size: usize) -> bool {
    let mut marks = line.chars().map(plain).filter(|c| !c.is_whitespace() && *c != '|').peekable();
    if marks.peek().is_none() || line.starts_with("● is ") {
        return true;
    }
    let labels = ('a'..).take(size);
    if marks.clone().map(|c| c.to_ascii_lowercase()).eq(labels) {
        return true;
    }
    let dashes = marks.clone().filter(|&c| c == '-').count();
    let crosses = marks.clone().filter(|&c| c == '+').count();
    dashes + crosses == marks.count() && (crosses > 0 || dashes > size)
}
