//! The board of a game as data, from which a program can draw any of the games.
//!
//! In the fields of a block, rows count from the top and columns from the left, both from 0. The
//! name of a socket is the letter of its column ([`Board::files`]) and the number of its row, which
//! counts from 1 at the bottom. A move is the name of a socket. If the move has a turn, `/`, the
//! number of a block and the sign of a direction follow.

use serde::Serialize;

/// The board of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Board {
    /// The name of the game: `pentago`, `xl` or `pente`.
    pub game: &'static str,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The letters of the columns in moves, from the left.
    pub files: String,
    /// The number of marbles in a row that wins.
    pub run: usize,
    /// The blocks, including the fixed block of Pentago XL; empty for Pente.
    pub blocks: Vec<Block>,
    /// The seats in turn order.
    pub seats: Vec<SeatOf>,
    /// `true` if a move includes a turn of a block.
    pub turn: bool,
    /// `true` if a player may decline the turn (`/0`) early in the game.
    pub decline: bool,
    /// `true` if stones are captured.
    pub captures: bool,
    /// The text of the position before the first move.
    pub start: String,
}

/// A block of the board: a quadrant of Pentago, or one of the nine blocks of Pentago XL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Block {
    /// The number that names the block in the text of a move.
    pub number: usize,
    /// The index of the block's top row on the board.
    pub row: usize,
    /// The index of the block's leftmost column on the board.
    pub column: usize,
    /// The number of rows of the block.
    pub rows: usize,
    /// The number of columns of the block.
    pub columns: usize,
    /// The directions in which the block turns: `+` is clockwise, `-` is counterclockwise. Empty
    /// for a fixed block.
    pub turns: Vec<char>,
}

/// A seat, with its letters and its team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeatOf {
    /// The letter that stands for the seat when a position names the side to move.
    pub seat: char,
    /// The letter that stands for the seat's marbles in the text of a position.
    pub marble: char,
    /// The letters of the seats that win and lose together with this seat, including this seat.
    pub team: String,
}

impl SeatOf {
    /// Returns the two seats of a game of X and O.
    pub fn x_and_o() -> Vec<SeatOf> {
        let seat = |seat: char| SeatOf { seat, marble: seat.to_ascii_uppercase(), team: seat.into() };
        ['x', 'o'].map(seat).to_vec()
    }
}

impl Block {
    /// Divides a square board into `blocks` by `blocks` square blocks of `side` by `side` sockets.
    /// The block with the index `fixed` never turns.
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
    /// Returns the first `count` letters of the alphabet, which name the columns of most boards.
    pub fn letters(count: usize) -> String {
        ('a'..='z').take(count).collect()
    }

    /// Returns the letters of the seats, in turn order.
    pub fn seats(&self) -> String {
        self.seats.iter().map(|seat| seat.seat).collect()
    }

    /// Returns the letters of the seats that win and lose together with `seat`, including `seat`.
    pub fn team(&self, seat: char) -> &str {
        self.seats.iter().find(|of| of.seat == seat).map_or("", |of| &of.team)
    }

    /// Returns the letters of the seats that are not in the team of `seat`.
    pub fn others(&self, seat: char) -> String {
        self.seats().chars().filter(|&other| !self.team(seat).contains(other)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_rules;

    /// Checks that each move names a socket of `board`, and a turn that `board` allows.
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

    /// Checks that the blocks, if there are any, fill the board without overlap.
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
