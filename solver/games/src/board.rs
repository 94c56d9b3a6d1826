//! The board of a game as data, from which a program can draw any of the games: rows, columns, the
//! blocks with those that turn, the seats, and whether a move has a turn.
//!
//! Rows count from the top and columns from the left, both from 0. A socket's name is the letter of
//! its column and the number of its row counted from the bottom, from 1; [`Board::files`] has the
//! letters. A move is such a name and, where a turn follows, `/`, the number of a block and the sign
//! of a direction.

use serde::Serialize;

/// The board of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Board {
    /// The name of the kind: `pentago`, `xl`, `pente`.
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
    pub blocks: Vec<Block>,
    /// Who plays, in turn order.
    pub seats: Vec<SeatOf>,
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
pub struct Block {
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
pub struct SeatOf {
    /// What stands for it as the side to move.
    pub seat: char,
    /// What stands for its marbles in the text of positions.
    pub marble: char,
    /// The seats that win and lose together, this one included.
    pub team: String,
}

impl SeatOf {
    /// The two seats of a game of X and O.
    #[must_use]
    pub fn x_and_o() -> Vec<SeatOf> {
        let seat = |seat: char| SeatOf { seat, marble: seat.to_ascii_uppercase(), team: seat.into() };
        ['x', 'o'].map(seat).to_vec()
    }
}

impl Block {
    /// Square blocks that fill a square board of `blocks` by `blocks` of them; `fixed` never turns.
    #[must_use]
    pub fn square(blocks: usize, side: usize, directions: &[char], fixed: Option<usize>) -> Vec<Block> {
        let block = |index: usize| Block {
            number: index + 1,
            row: index / blocks * side,
            column: index % blocks * side,
            rows: side,
            columns: side,
            turns: if fixed == Some(index) { Vec::new() } else { directions.to_vec() },
        };
        (0..blocks * blocks).map(block).collect()
    }
}

impl Board {
    /// The first letters of the alphabet: the files of most boards.
    #[must_use]
    pub fn letters(count: usize) -> String {
        ('a'..='z').take(count).collect()
    }

    /// The letters of the seats, in turn order.
    #[must_use]
    pub fn seats(&self) -> String {
        self.seats.iter().map(|seat| seat.seat).collect()
    }

    /// The seats that win and lose together with a seat, itself included.
    #[must_use]
    pub fn team(&self, seat: char) -> &str {
        self.seats.iter().find(|of| of.seat == seat).map_or("", |of| &of.team)
    }

    /// The seats of other sides.
    #[must_use]
    pub fn others(&self, seat: char) -> String {
        self.seats().chars().filter(|&other| !self.team(seat).contains(other)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_rules;

    /// Each legal move's text is one that the description of the board accounts for.
    fn accounts_for(board: &Board, moves: impl Iterator<Item = String>) {
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
    fn blocks_fit(board: &Board) {
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
        let presets = crate::KINDS.iter().flat_map(|kind| kind.presets).map(|preset| preset.name);
        for rules in presets.chain(["pente:w=5,h=7,k=4,opening=free"]) {
            let game = read_rules(rules).expect("rules");
            let board = game.board();
            blocks_fit(&board);
            let start = game.read(&board.start).expect("a position");
            assert_eq!(start, game.start());
            accounts_for(&board, game.moves(&start).into_iter());
        }
        for (rules, seats) in [("xl", 2), ("xl:seats=3", 3), ("xl:seats=4,mode=2v2", 4)] {
            assert_eq!(read_rules(rules).expect("rules").board().seats.len(), seats, "{rules}");
        }
        let teams = read_rules("xl:seats=4,mode=2v2").expect("rules").board();
        assert_eq!((teams.team('a'), teams.others('a').as_str()), ("ac", "bd"));
    }
}
