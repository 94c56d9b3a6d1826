//! Parses and formats positions and moves.
//!
//! The text of a position begins with the rows from the top, separated by `/`, with digits for runs
//! of empty sockets. The side to move follows. The word `turn` follows if that side has placed a
//! marble and must still turn: `OO1OO1/6/6/6/6/XXXX2 x`, `6/6/6/6/6/X5 x turn`. A move is a socket
//! (files a, b, c from the left, ranks 1, 2, 3 from the bottom), a slash, and a quadrant (1 to 4 in
//! reading order) with `+` for clockwise or `-`, or 0 to decline: `c4/2+`, `c4/0`.

use crate::game::Turn;
use crate::{Options, State};

impl Options {
    /// Parses a position. If no turn is pending, the side to move may be omitted: X is to move if
    /// both players have equally many marbles, and O is to move if X has one marble more.
    ///
    /// # Errors
    /// If the text has another form, or the numbers of marbles can't occur with this side to move.
    /// If no turn is pending and X is to move, X and O must have equally many marbles. If no turn
    /// is pending and O is to move, X must have one marble more. If a turn is pending, the side to
    /// move has already placed one more marble.
    pub fn read(&self, text: &str) -> Result<State, String> {
        let mut words = text.split_whitespace();
        let rows = words.next().ok_or("an empty text is no position")?;
        let side = words.next();
        let pending = match words.next() {
            None => false,
            Some("turn") => true,
            Some(word) => return Err(format!("`{word}` where only `turn` can stand")),
        };
        if let Some(word) = words.next() {
            return Err(format!("`{word}` after the end of the position"));
        }

        let cells = self.read_rows(rows)?;
        let count = |player| cells.iter().filter(|&&cell| cell == player).count();
        let (x, o) = (count(1), count(2));
        // The player who places the next marble, if no turn is pending.
        let next = match x.checked_sub(o) {
            Some(0) => 1,
            Some(1) => 2,
            _ => return Err(format!("{x} marbles of X and {o} of O")),
        };
        let expected = if pending { 3 - next } else { next };
        if pending && x == 0 {
            return Err("nobody has placed a marble".to_string());
        }
        let to_move = match side {
            None => next,
            Some("x") => 1,
            Some("o") => 2,
            Some(word) => return Err(format!("`{word}` is no side: x or o")),
        };
        if to_move != expected {
            return Err(format!("{x} marbles of X and {o} of O do not go with this side to move"));
        }
        Ok(State { cells, to_move, pending })
    }

    fn read_rows(&self, text: &str) -> Result<[u8; 36], String> {
        let rows: Vec<&str> = text.split('/').collect();
        if rows.len() != self.n {
            return Err(format!("{} rows instead of {}", rows.len(), self.n));
        }
        let mut cells = Vec::new();
        for row in rows {
            let before = cells.len();
            for letter in row.chars() {
                match letter {
                    'X' => cells.push(1),
                    'O' => cells.push(2),
                    '1'..='9' => {
                        let run = letter as usize - '0' as usize;
                        cells.extend(vec![0; run]);
                    }
                    _ => return Err(format!("`{letter}` in the row `{row}`")),
                }
            }
            if cells.len() != before + self.n {
                return Err(format!("the row `{row}` has not {} sockets", self.n));
            }
        }
        cells.resize(36, 0);
        Ok(cells.try_into().expect("36 sockets"))
    }

    /// Formats a position with its side to move. [`read`](Options::read) parses the text.
    pub fn write(&self, state: &State) -> String {
        let mut text = String::new();
        for row in 0..self.n {
            if row > 0 {
                text.push('/');
            }
            let mut empty = 0;
            for column in 0..self.n {
                let cell = state.cells[row * self.n + column];
                if cell == 0 {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    text.push_str(&empty.to_string());
                    empty = 0;
                }
                text.push(if cell == 1 { 'X' } else { 'O' });
            }
            if empty > 0 {
                text.push_str(&empty.to_string());
            }
        }
        text.push_str(if state.to_move == 1 { " x" } else { " o" });
        if state.pending {
            text.push_str(" turn");
        }
        text
    }

    pub(crate) fn write_socket(&self, socket: usize) -> String {
        let (row, column) = (socket / self.n, socket % self.n);
        let file = (b'a' + column as u8) as char;
        format!("{file}{}", self.n - row)
    }

    pub(crate) fn write_turn(&self, turn: Turn) -> String {
        match turn {
            Turn::Quadrant { quadrant, clockwise } => {
                format!("{}{}", quadrant + 1, if clockwise { '+' } else { '-' })
            }
            Turn::Declined => "0".to_string(),
        }
    }

    /// Parses a move into its two steps, a socket and a turn. A missing step is `None`.
    pub(crate) fn read_move(&self, text: &str) -> Result<(Option<usize>, Option<Turn>), String> {
        let wrong = || format!("`{text}` is no move");
        let (placement, turn) = match text.split_once('/') {
            Some((placement, turn)) => (placement, Some(turn)),
            None => (text, None),
        };
        // Compare the text with all formatted sockets and turns, so that each socket and each turn
        // has exactly one valid spelling.
        let socket = if placement.is_empty() {
            None
        } else {
            let found = (0..self.sockets()).find(|&s| self.write_socket(s) == placement);
            Some(found.ok_or_else(wrong)?)
        };
        let turn = match turn {
            None => None,
            Some(turn) => {
                let quadrants = (0..4).flat_map(|quadrant| {
                    [true, false].map(|clockwise| Turn::Quadrant { quadrant, clockwise })
                });
                let mut all = quadrants.chain([Turn::Declined]);
                let found = all.find(|&one| self.write_turn(one) == turn);
                Some(found.ok_or_else(wrong)?)
            }
        };
        if socket.is_none() && turn.is_none() {
            return Err(wrong());
        }
        Ok((socket, turn))
    }
}
