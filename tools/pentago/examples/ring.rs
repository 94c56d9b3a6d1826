//! Adds a game to the command line: `cargo run --release --example ring -- solve --rules ring
//! '3/3/3 x'`.
//!
//! The game is tic-tac-toe, but the outer ring of squares turns. A move places a mark, and then
//! moves the eight outer squares by one square, clockwise (`+`) or counterclockwise (`-`). Three
//! marks in a row win. A full board is a draw, and so is a board on which both players have three
//! in a row.

use std::process::ExitCode;
use std::sync::Arc;

use pentago::{Error, ErrorKind, ParseError};
use pentago_games::{Board, Ending, Game, KINDS, Kind, Orbit, Position, Preset, Result, SeatOf};

static RING: Kind = Kind {
    name: "ring",
    title: "Ring",
    presets: &[Preset {
        name: "ring",
        title: "Ring",
        options: "",
        explanation: "tic-tac-toe whose outer ring turns by one square with each move",
    }],
    options: &[],
    proofs: false,
    read: |text| (text.trim() == "ring").then(|| Ok(Arc::new(Ring) as Arc<dyn Game>)),
    names: &[],
    open: None,
};

/// The indices of the squares of the ring, clockwise from the upper left. Squares are numbered row
/// by row.
const AROUND: [usize; 8] = [0, 1, 2, 5, 8, 7, 6, 3];

const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

/// The marks on the squares, `x`, `o` or `.`.
type Marks = [char; 9];

struct Ring;

/// Parses a move. Returns the square, and `true` if the ring turns clockwise.
fn parse_move(text: &str) -> Result<(usize, bool)> {
    match text.trim().as_bytes() {
        [file @ b'a'..=b'c', rank @ b'1'..=b'3', turn @ (b'+' | b'-')] => {
            Ok((usize::from(b'3' - rank) * 3 + usize::from(file - b'a'), *turn == b'+'))
        }
        _ => Err(ParseError::new(text, 0..text.len(), "expected a move such as b2+").into()),
    }
}

fn marks(position: &Position) -> Marks {
    *position.parsed().expect("a position of this game")
}

/// Parses the rows of a board. Each row has three squares.
fn parse_rows(rows: &str) -> Marks {
    let mut marks = ['.'; 9];
    let mut at = 0;
    for c in rows.chars().filter(|&c| c != '/') {
        match c.to_digit(10) {
            Some(run) => at += run as usize,
            None => {
                marks[at] = c;
                at += 1;
            }
        }
    }
    marks
}

fn position(marks: &Marks, to_move: char) -> Position {
    let row = |row: &[char]| {
        let mut text = String::new();
        for run in row.chunk_by(|a, b| a == b && *a == '.') {
            text += &if run[0] == '.' { run.len().to_string() } else { run[0].to_string() };
        }
        text
    };
    let rows: Vec<String> = marks.chunks(3).map(row).collect();
    let has_line = |mark: char| LINES.iter().any(|line| line.iter().all(|&at| marks[at] == mark));
    let full = !marks.contains(&'.');
    let over = match (has_line('x'), has_line('o')) {
        (true, true) => Some(Ending::draw()),
        (true, false) => Some(Ending::won_by("x")),
        (false, true) => Some(Ending::won_by("o")),
        (false, false) => full.then(Ending::draw),
    };
    let count = marks.iter().filter(|&&mark| mark != '.').count();
    Position::new(*marks, format!("{} {to_move}", rows.join("/")), to_move, false, count, over)
}

impl Game for Ring {
    fn kind(&self) -> &'static Kind {
        &RING
    }

    fn rules(&self) -> String {
        "ring".to_owned()
    }

    fn board(&self) -> Board {
        let seat = |seat: char| SeatOf { seat, marble: seat, team: seat.to_string() };
        Board {
            game: "ring",
            rows: 3,
            columns: 3,
            files: "abc".to_owned(),
            run: 3,
            blocks: Vec::new(),
            seats: vec![seat('x'), seat('o')],
            turn: false,
            decline: false,
            captures: false,
            start: "3/3/3 x".to_owned(),
        }
    }

    fn read(&self, text: &str) -> Result<Position> {
        let wrong = |what: &str| Error::from(ParseError::new(text, 0..text.len(), what));
        let text = ParseError::checked(text, 64)?;
        let (rows, to_move) = text.trim().split_once(' ').ok_or_else(|| wrong("expected rows and a side"))?;
        let width = |c: char| if "xo".contains(c) { Some(1) } else { c.to_digit(10).filter(|n| *n > 0) };
        let is_row = |row: &str| row.chars().map(width).sum::<Option<u32>>() == Some(3);
        if rows.split('/').count() != 3 || !rows.split('/').all(is_row) {
            return Err(wrong("expected three rows of three squares, such as x1o/3/1x1"));
        }
        let to_move = match to_move {
            "x" => 'x',
            "o" => 'o',
            _ => return Err(wrong("expected x or o to move")),
        };
        let read = position(&parse_rows(rows), to_move);
        let x = rows.matches('x').count();
        if (x, read.marbles - x) != (read.marbles.div_ceil(2), read.marbles / 2)
            || (to_move == 'x') != read.marbles.is_multiple_of(2)
        {
            return Err(wrong("x moves first, and the players take turns"));
        }
        Ok(read)
    }

    fn diagram(&self, position: &Position) -> String {
        marks(position).chunks(3).flat_map(|row| row.iter().chain(&['\n'])).collect()
    }

    fn moves(&self, position: &Position) -> Vec<String> {
        let marks = marks(position);
        let free = (0..9).filter(|&at| marks[at] == '.' && position.over.is_none());
        let name = |at: usize| format!("{}{}", char::from(b'a' + (at % 3) as u8), 3 - at / 3);
        free.flat_map(|at| ["+", "-"].map(|turn| name(at) + turn)).collect()
    }

    fn play(&self, now: &Position, mv: &str) -> Result<Position> {
        let (at, clockwise) = parse_move(mv)?;
        let mut marks = marks(now);
        if now.over.is_some() || marks[at] != '.' {
            return Err(Error::new(ErrorKind::Input, format!("{mv} isn't legal here")));
        }
        marks[at] = now.to_move;
        let mut ring = AROUND.map(|at| marks[at]);
        if clockwise {
            ring.rotate_right(1)
        } else {
            ring.rotate_left(1)
        }
        AROUND.iter().zip(ring).for_each(|(&at, mark)| marks[at] = mark);
        Ok(position(&marks, if now.to_move == 'x' { 'o' } else { 'x' }))
    }

    fn symmetries(&self, now: &Position) -> Vec<Orbit> {
        let quarter = |m: &Marks| -> Marks { std::array::from_fn(|at| m[3 * (2 - at % 3) + at / 3]) };
        let flipped = |m: &Marks| -> Marks { std::array::from_fn(|at| m[3 * (at / 3) + 2 - at % 3]) };
        let mut images = vec![marks(now)];
        for turn in 0..3 {
            images.push(quarter(&images[turn]));
        }
        images.extend(images.clone().iter().map(flipped));
        let same = images.iter().filter(|image| **image == images[0]).count() as u64;
        let canonical = images.iter().map(|image| position(image, now.to_move).text).min();
        vec![Orbit {
            name: "symmetries of the board",
            key: "whole_board",
            order: 8,
            canonical: canonical.unwrap_or_default(),
            orbit: 8 / same,
            stabiliser: same,
        }]
    }
}

fn main() -> ExitCode {
    pentago_commands::main(Box::leak([KINDS, &[&RING]].concat().into_boxed_slice()))
}
