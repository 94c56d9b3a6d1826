//! [`PenteGame`]: Pente for the searches and certificates of `pentago-search`. X is the first side.

use pentago_search as search;

use crate::board::{SearchBoard, TakenStones};
use crate::rules::{Capture, Color, Point, Position, Rules};

/// A game of Pente whose moves can be taken back.
pub struct PenteGame {
    pub(crate) board: SearchBoard,
    /// A buffer for sorting moves by promise.
    order: Vec<(u32, u16)>,
}

impl PenteGame {
    /// Makes a game that starts from this position.
    pub fn new(rules: &Rules, position: &Position) -> PenteGame {
        PenteGame { board: SearchBoard::new(rules, position), order: Vec::new() }
    }

    /// Returns the current position.
    pub fn position(&self) -> Position {
        self.board.position()
    }
}

/// Converts a player to a side of a search.
pub fn side(color: Color) -> search::Side {
    match color {
        Color::X => search::Side::First,
        Color::O => search::Side::Second,
    }
}

impl search::Game for PenteGame {
    type Move = u16;
    type Undo = TakenStones;

    fn side(&self) -> search::Side {
        side(self.board.to_move())
    }

    fn outcome(&self) -> Option<search::Outcome> {
        if self.board.won() {
            return Some(search::Outcome::Win(side(self.board.to_move().other())));
        }
        self.board.full().then_some(search::Outcome::Draw)
    }

    /// Returns an upper bound on the number of plies left. A move fills a point. A capture empties
    /// points, but each side can capture at most `win - 1` stones before the game ends.
    fn plies_left(&self) -> u32 {
        if self.outcome().is_some() {
            return 0;
        }
        let options = self.board.rules().options();
        let mut plies = self.board.empty_points() as u32;
        if options.capture != Capture::Never {
            for by in Color::ALL {
                plies += u32::from((options.win - 1).saturating_sub(self.board.captured(by)));
            }
        }
        plies
    }

    fn moves(&mut self, out: &mut Vec<u16>) {
        let own = self.board.to_move();
        let threatened = self.board.has_win(own.other());
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        if threatened {
            // The other side threatens to win. Only a stone on the winning point or a capture can
            // prevent the win, so list no other moves.
            self.board.each_win(own.other(), |p| {
                order.push((0, p));
                false
            });
            order.extend(self.board.captures(own).map(|p| (0, p)));
            order.sort_unstable();
            order.dedup();
        } else {
            order.extend((0..self.board.points() as u16).map(|p| (0, p)));
        }
        order.retain(|&(_, p)| self.board.is_empty(p) && self.board.legal(p));
        for (promise, p) in &mut order {
            *promise = self.board.promise(*p);
        }
        order.sort_unstable_by_key(|&(promise, p)| (std::cmp::Reverse(promise), p));
        for &(_, p) in &order {
            if threatened {
                let taken = self.board.make(p);
                let loses = self.board.has_win(own.other());
                self.board.unmake(p, taken);
                if loses {
                    continue;
                }
            }
            out.push(p);
        }
        self.order = order;
    }

    fn all_moves(&mut self, out: &mut Vec<u16>) {
        let (width, height) = (self.board.rules().width(), self.board.rules().height());
        for rank in (0..height).rev() {
            let row = (rank * width..(rank + 1) * width).map(|p| p as u16);
            out.extend(row.filter(|&p| self.board.is_empty(p) && self.board.legal(p)));
        }
    }

    fn make(&mut self, p: u16) -> TakenStones {
        self.board.make(p)
    }

    fn unmake(&mut self, p: u16, taken: TakenStones) {
        self.board.unmake(p, taken);
    }

    fn winning_move(&mut self) -> Option<u16> {
        self.board.winning_move()
    }

    fn key(&self) -> u128 {
        self.board.key()
    }

    /// Estimates the proof number and the disproof number. If the side of the goal is to move, a
    /// disproof needs every move; otherwise, a proof needs every move. If the other side threatens
    /// to win, only few moves are counted.
    fn estimate(&mut self, goal: search::Goal) -> (u32, u32) {
        let own = self.board.to_move();
        let mut first = None;
        let mut threats = 0;
        self.board.each_win(own.other(), |p| {
            threats += u32::from(first.replace(p) != Some(p));
            false
        });
        let moves = match threats {
            0 => self.board.empty_points() as u32,
            // There is one threat. The parries are a stone on the winning point, and captures.
            1 => 1 + self.board.captures(own).count() as u32,
            _ => 1,
        };
        if side(own) == goal.side { (1, moves.max(1)) } else { (moves.max(1), 1) }
    }
}

impl search::Notation for PenteGame {
    fn game_text(&self) -> String {
        self.board.rules().to_string()
    }

    fn position_text(&self) -> String {
        self.board.rules().format_position(&self.position())
    }

    fn move_text(&self, p: u16) -> String {
        self.board.rules().format_move(Point(p))
    }

    fn side_text(&self, side: search::Side) -> String {
        let color = if side == search::Side::First { Color::X } else { Color::O };
        color.letter().to_string()
    }
}
