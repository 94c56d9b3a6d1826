//! The plain definition of the game, on a grid of letters: slow, and without a set or a table.

use super::*;

/// Rows from the top, each from the left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    shape: Shape,
    rows: Vec<Vec<Option<Color>>>,
}

impl Grid {
    pub fn of(shape: Shape, board: &Board) -> Grid {
        let size = shape.size();
        let rows = (0..size)
            .map(|row| (0..size).map(|file| board.at(shape.socket(file, size - 1 - row))).collect())
            .collect();
        Grid { shape, rows }
    }

    pub fn full(&self) -> bool {
        self.rows.iter().flatten().all(Option::is_some)
    }

    pub fn has_line(&self, color: Color) -> bool {
        let size = self.shape.size() as isize;
        (0..size * size).any(|start| {
            [(0, 1), (1, 0), (1, 1), (1, -1)].iter().any(|(down, right)| {
                (0..self.shape.run() as isize).all(|i| {
                    let (row, column) = (start / size + i * down, start % size + i * right);
                    (0..size).contains(&row)
                        && (0..size).contains(&column)
                        && self.rows[row as usize][column as usize] == Some(color)
                })
            })
        })
    }

    pub fn turned(&self, turn: Turn) -> Grid {
        let side = self.shape.quadrant_side();
        let (top, left) = (usize::from(turn.quadrant) / 2 * side, usize::from(turn.quadrant) % 2 * side);
        let mut turned = self.clone();
        for row in 0..side {
            for column in 0..side {
                // What turns clockwise comes to the top row from the left column, read upwards.
                let (from_row, from_column) =
                    if turn.clockwise { (side - 1 - column, row) } else { (column, side - 1 - row) };
                turned.rows[top + row][left + column] = self.rows[top + from_row][left + from_column];
            }
        }
        turned
    }

    /// The free cells, as rows from the top and columns.
    pub fn free(&self) -> Vec<(usize, usize)> {
        let size = self.shape.size();
        (0..size)
            .flat_map(|row| (0..size).map(move |column| (row, column)))
            .filter(|&(row, column)| self.rows[row][column].is_none())
            .collect()
    }

    fn with(&self, (row, column): (usize, usize), color: Color) -> Grid {
        let mut grid = self.clone();
        grid.rows[row][column] = Some(color);
        grid
    }

    /// Returns whether a quadrant holds no marble, or with `neutral` only in its middle.
    fn quadrant_is_empty(&self, quadrant: usize, neutral: bool) -> bool {
        let side = self.shape.quadrant_side();
        (0..side * side).all(|cell| {
            let middle = side == 3 && cell == 4;
            let (row, column) = (quadrant / 2 * side + cell / side, quadrant % 2 * side + cell % side);
            self.rows[row][column].is_none() || middle && neutral
        })
    }

    /// The game by the words of the rule sheet: a placement of `mover` and what follows. `None` if
    /// it is illegal.
    pub fn play(
        &self,
        rules: &Rules,
        mover: Color,
        cell: (usize, usize),
        turn: TurnPart,
    ) -> Option<(Grid, Option<Outcome>)> {
        if self.rows[cell.0][cell.1].is_some() {
            return None;
        }
        let placed = self.with(cell, mover);
        let at_once = if rules.place == Place::Wins && placed.has_line(mover) {
            Some(Outcome::Win(mover))
        } else if placed.full() && rules.last == Last::Stop {
            Some(Outcome::Draw)
        } else {
            None
        };
        if at_once.is_some() {
            return (turn == TurnPart::None).then_some((placed, at_once));
        }
        placed.turn(rules, mover, turn)
    }

    /// The second half of a move.
    pub fn turn(&self, rules: &Rules, mover: Color, turn: TurnPart) -> Option<(Grid, Option<Outcome>)> {
        let turned = match turn {
            TurnPart::None => return None,
            TurnPart::Skip => {
                let neutral = rules.skip == Skip::Neutral;
                let some = (0..4).any(|quadrant| self.quadrant_is_empty(quadrant, neutral));
                if rules.skip == Skip::Never || !some {
                    return None;
                }
                self.clone()
            }
            TurnPart::Turn(turn) if !turn.clockwise && rules.dir == Dir::Cw => return None,
            TurnPart::Turn(turn) => self.turned(turn),
        };
        let opponent = mover.other();
        let outcome = match (turned.has_line(mover), turned.has_line(opponent)) {
            (true, true) if rules.both == Both::Mover => Some(Outcome::Win(mover)),
            (true, true) => Some(Outcome::Draw),
            (false, true) => Some(Outcome::Win(opponent)),
            (true, false) => {
                let answered = rules.reply == Reply::Place
                    && turned.free().iter().any(|&c| turned.with(c, opponent).has_line(opponent));
                Some(if answered { Outcome::Draw } else { Outcome::Win(mover) })
            }
            (false, false) if turned.full() => Some(Outcome::Draw),
            (false, false) => None,
        };
        Some((turned, outcome))
    }
}
