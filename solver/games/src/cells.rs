//! Boards as arrays of numbers, for programs that compute with arrays.

use crate::error::{Result, bad_input};
use crate::{Game, Position};

impl dyn Game {
    /// Returns one number for each socket, row by row from the top: 0 for an empty socket, 1 for a
    /// marble of the first seat, 2 for a marble of the second seat, and so on.
    pub fn cells(&self, position: &Position) -> Vec<i8> {
        let seats = self.board().seats;
        let rows = position.text.split(' ').next().unwrap_or_default();
        let mut cells = Vec::new();
        let mut run = 0;
        for letter in rows.chars() {
            if let Some(digit) = letter.to_digit(10) {
                run = 10 * run + digit as usize;
                continue;
            }
            cells.resize(cells.len() + std::mem::take(&mut run), 0);
            if let Some(seat) = seats.iter().position(|seat| seat.marble == letter) {
                cells.push(seat as i8 + 1);
            }
        }
        cells.resize(cells.len() + run, 0);
        cells
    }

    /// Converts an array in the format of `cells` to a position. The side to move follows from the
    /// numbers of marbles. `pending` is `true` if the marble of a move is placed and the turn is
    /// still to be made.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input) if the array describes no position of the game.
    pub fn from_cells(&self, cells: &[i8], pending: bool) -> Result<Position> {
        let board = self.board();
        let (sockets, seats) = (board.rows * board.columns, board.seats.len());
        if cells.len() != sockets {
            return Err(bad_input(format!("the board has {sockets} sockets, not {}", cells.len())));
        }
        let marble = |(at, &cell): (usize, &i8)| match usize::try_from(cell) {
            Ok(0) => Ok(None),
            Ok(seat) if seat <= seats => Ok(Some(board.seats[seat - 1].marble)),
            _ => {
                let expected = format!("expected 0 for an empty socket, or 1 to {seats}");
                Err(bad_input(format!("cell {at} is {cell}: {expected}")))
            }
        };
        let marbles: Vec<Option<char>> = cells.iter().enumerate().map(marble).collect::<Result<_>>()?;
        let mut text = String::new();
        // `write_rows` counts ranks from the bottom, but `cells` starts with the top row.
        let marble = |file, rank| marbles[(board.rows - 1 - rank) * board.columns + file];
        pentago_base::write_rows(&mut text, [board.columns, board.rows], marble).expect("a text has room");
        let turn = if pending { " turn" } else { "" };
        // Try each seat as the seat to move. The numbers of marbles allow only one seat, and the
        // game rejects all others.
        let mut read = board.seats.iter().map(|of| self.read(&format!("{text} {}{turn}", of.seat)));
        let first = read.next().expect("a game has seats");
        match read.find_map(Result::ok) {
            Some(other) if first.is_err() => Ok(other),
            _ => first,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Draw, read_rules};

    #[test]
    fn boards_survive_as_numbers() {
        for rules in ["pentago", "mini", "xl", "xl:seats=4", "pente:n=5,k=4,opening=free"] {
            let game = read_rules(rules).expect("rules");
            let draw = Draw { marbles: 8, seed: 3, quiet: false };
            for position in game.random(&draw).expect("positions").take(20) {
                let position = position.expect("a position");
                let cells = game.cells(&position);
                assert_eq!(cells.iter().filter(|&&cell| cell > 0).count(), 8, "{rules} {}", position.text);
                let again = game.from_cells(&cells, false);
                let again = again.unwrap_or_else(|error| panic!("{rules} {}: {error}", position.text));
                assert_eq!(game.cells(&again), cells);
            }
        }
        let game = read_rules("pentago").expect("rules");
        let wrong = |cells: &[i8]| game.from_cells(cells, false).unwrap_err().to_string();
        assert!(wrong(&[3; 36]).contains("cell 0 is 3"));
        assert!(wrong(&[0; 16]).contains("36 sockets"));
    }
}
