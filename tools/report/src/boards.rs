//! The board of a game as data, from which a program can draw any of the games: rows, columns, the
//! blocks with those that turn, the seats, and whether a move has a turn.
//!
//! Rows count from the top and columns from the left, both from 0. A socket's name is the letter of
//! its column and the number of its row counted from the bottom, from 1; [`BoardReport::files`] has
//! the letters. A move is such a name and, where a turn follows, `/`, the number of a block and the
//! sign of a direction.

use ::pentago::rules::{Dir, Rules, Skip};
use serde::Serialize;

/// The board of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BoardReport {
    /// `pentago`, `xl` or `pente`.
    pub game: &'static str,
    /// Rows of sockets.
    pub rows: usize,
    /// Columns of sockets.
    pub columns: usize,
    /// The letters of the columns, from the left, as moves have them.
    pub files: String,
    /// Marbles in a row that win.
    pub run: usize,
    /// The blocks that turn, and those that could be taken for such; none for Pente.
    pub blocks: Vec<BlockReport>,
    /// Who plays, in turn order.
    pub seats: Vec<SeatReport>,
    /// Whether a move has a turn.
    pub turn: bool,
    /// Whether the turn may be declined (`/0`) early in the game.
    pub decline: bool,
    /// Whether stones are captured.
    pub captures: bool,
    /// The position before the first move.
    pub start: String,
}

/// A block of the board: Pentago's quadrants, the nine blocks of Pentago XL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockReport {
    /// Its number in the text of moves.
    pub number: usize,
    /// Its first row.
    pub row: usize,
    /// Its first column.
    pub column: usize,
    /// Its rows.
    pub rows: usize,
    /// Its columns.
    pub columns: usize,
    /// The directions in which it turns: `+` is clockwise, `-` is counterclockwise; none if it never
    /// does.
    pub turns: Vec<char>,
}

/// A seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeatReport {
    /// What stands for it as the side to move.
    pub seat: String,
    /// What stands for its marbles in the text of positions.
    pub marble: String,
    /// The seats that win and lose together, this one included.
    pub team: String,
}

/// The first letters of the alphabet.
fn letters(count: usize) -> String {
    ('a'..='z').take(count).collect()
}

/// Square blocks that fill a square board of `blocks` by `blocks` of them; `fixed` never turns.
fn square_blocks(blocks: usize, side: usize, directions: &[char], fixed: Option<usize>) -> Vec<BlockReport> {
    let block = |index: usize| BlockReport {
        number: index + 1,
        row: index / blocks * side,
        column: index % blocks * side,
        rows: side,
        columns: side,
        turns: if fixed == Some(index) { Vec::new() } else { directions.to_vec() },
    };
    (0..blocks * blocks).map(block).collect()
}

/// The two seats of a game of X and O.
fn x_and_o() -> Vec<SeatReport> {
    let seat = |letter: char| SeatReport {
        seat: letter.to_string(),
        marble: letter.to_ascii_uppercase().to_string(),
        team: letter.to_string(),
    };
    ['x', 'o'].map(seat).to_vec()
}

impl BoardReport {
    /// The board of Pentago and Mini-Pentago by these rules.
    #[must_use]
    pub fn of_pentago(rules: &Rules) -> BoardReport {
        let shape = rules.shape;
        let directions: &[char] = if rules.dir == Dir::Cw { &['+'] } else { &['+', '-'] };
        BoardReport {
            game: "pentago",
            rows: shape.size(),
            columns: shape.size(),
            files: letters(shape.size()),
            run: shape.run(),
            blocks: square_blocks(2, shape.quadrant_side(), directions, None),
            seats: x_and_o(),
            turn: true,
            decline: rules.skip != Skip::Never,
            captures: false,
            start: rules.format_position(&rules.start()),
        }
    }

    /// The board of Pentago XL by these rules.
    #[must_use]
    pub fn of_xl(rules: &pentago_xl::Rules) -> BoardReport {
        use pentago_xl::geometry::{CENTRE, SIDE};
        let seat = |seat: pentago_xl::Seat| {
            let team = rules.side_of(seat).iter().map(|seat| seat.letter()).collect();
            let letter = seat.letter();
            SeatReport { seat: letter.to_string(), marble: letter.to_ascii_uppercase().to_string(), team }
        };
        BoardReport {
            game: "xl",
            rows: SIDE,
            columns: SIDE,
            files: letters(SIDE),
            run: 5,
            blocks: square_blocks(3, 3, &['+', '-'], Some(usize::from(CENTRE))),
            seats: rules.everyone().iter().map(seat).collect(),
            turn: true,
            decline: false,
            captures: false,
            start: rules.format_position(&pentago_xl::Position::EMPTY),
        }
    }

    /// The board of Pente by these rules.
    #[must_use]
    pub fn of_pente(rules: &pentago_pente::Rules) -> BoardReport {
        let file = |file| rules.point(file, 0).map(|point| rules.format_move(point));
        let files = (0..rules.width()).filter_map(file).filter_map(|name| name.chars().next());
        BoardReport {
            game: "pente",
            rows: rules.height(),
            columns: rules.width(),
            files: files.collect(),
            run: rules.k(),
            blocks: Vec::new(),
            seats: x_and_o(),
            turn: false,
            decline: false,
            captures: rules.options().capture != pentago_pente::rules::Capture::Never,
            start: rules.format_position(&rules.start()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each legal move's text is one that the description of the board accounts for.
    fn accounts_for(board: &BoardReport, moves: impl Iterator<Item = String>) {
        for text in moves {
            let (socket, turn) = text.split_once('/').map_or((&text[..], None), |(s, t)| (s, Some(t)));
            let file = socket.chars().next().expect("a file");
            assert!(board.files.contains(file), "{text}");
            let rank: usize = socket[1..].parse().expect("a rank");
            assert!((1..=board.rows).contains(&rank), "{text}");
            match turn {
                None => {}
                Some("0") => assert!(board.decline, "{text}"),
                Some(turn) => {
                    let (number, sign) = turn.split_at(turn.len() - 1);
                    let number: usize = number.parse().expect("a number");
                    let block = board.blocks.iter().find(|b| b.number == number).expect("a block");
                    assert!(board.turn && block.turns.contains(&sign.chars().next().unwrap()), "{text}");
                }
            }
        }
    }

    /// The blocks fill the board without overlap, or there are none.
    fn blocks_fit(board: &BoardReport) {
        if board.blocks.is_empty() {
            return;
        }
        let mut covered = vec![0; board.rows * board.columns];
        for b in &board.blocks {
            for row in b.row..b.row + b.rows {
                for column in b.column..b.column + b.columns {
                    covered[row * board.columns + column] += 1;
                }
            }
        }
        assert!(covered.iter().all(|&n| n == 1), "{board:?}");
    }

    #[test]
    fn boards_describe_the_moves_of_their_games() {
        for (_, rules) in Rules::presets() {
            let board = BoardReport::of_pentago(rules);
            blocks_fit(&board);
            let start = rules.parse_position(&board.start).expect("a position");
            accounts_for(&board, rules.moves(&start).into_iter().map(|m| rules.format_move(m)));
        }
        for text in ["xl", "xl:seats=3", "xl:seats=4,mode=2v2"] {
            let rules: pentago_xl::Rules = text.parse().expect("rules");
            let board = BoardReport::of_xl(&rules);
            blocks_fit(&board);
            assert_eq!(board.seats.len(), rules.seats());
            let start = rules.parse_position(&board.start).expect("a position");
            accounts_for(&board, rules.moves(&start).into_iter().map(|m| rules.format_move(m)));
        }
        for text in ["pente", "pente:n=5,k=4,opening=free", "pente:w=5,h=7,k=4,opening=free"] {
            let rules: pentago_pente::Rules = text.parse().expect("rules");
            let board = BoardReport::of_pente(&rules);
            let start = rules.parse_position(&board.start).expect("a position");
            accounts_for(&board, rules.moves(&start).into_iter().map(|m| rules.format_move(m)));
        }
        let teams = BoardReport::of_xl(&"xl:seats=4,mode=2v2".parse().expect("rules"));
        assert_eq!(teams.seats[0].team.len(), 2);
    }
}
