//! Pente as the searches of `pentago-search` see it: X is the first side.

use pentago_search as search;

use crate::board::{SearchBoard, TakenStones};
use crate::rules::{Color, Point, Position, Rules};

/// A game of Pente with moves that can be taken back.
pub struct PenteGame {
    pub(crate) board: SearchBoard,
    /// Moves with what they promise, for sorting.
    order: Vec<(u32, u16)>,
}

impl PenteGame {
    /// A game from this position on.
    #[must_use]
    pub fn new(rules: &Rules, position: &Position) -> PenteGame {
        PenteGame { board: SearchBoard::new(rules, position), order: Vec::new() }
    }

    /// The position.
    #[must_use]
    pub fn position(&self) -> Position {
        self.board.position()
    }
}

/// The side of a player.
#[must_use]
pub fn side(color: Color) -> search::Side {
    match color {
        Color::X => search::Side::First,
        Color::O => search::Side::Second,
    }
}

/// The player of a side.
#[must_use]
pub fn color(side: search::Side) -> Color {
    match side {
        search::Side::First => Color::X,
        search::Side::Second => Color::O,
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

    /// A move fills a point; one that captures empties some, and uses up so many of the stones that
    /// can be captured before the game ends.
    fn plies_left(&self) -> u32 {
        if self.outcome().is_some() {
            return 0;
        }
        let win = self.board.rules().options().win;
        let more = |by| {
            let can = self.board.rules().options().capture.most() > 0;
            if can { u32::from(win - 1 - self.board.captured(by).min(win - 1)) } else { 0 }
        };
        self.board.empty_points() as u32 + more(Color::X) + more(Color::O)
    }

    fn moves(&mut self, out: &mut Vec<u16>) {
        let own = self.board.to_move();
        let threatened = self.board.each_win(own.other(), |_| true);
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        if threatened {
            // Nothing else prevents the win: to occupy its point, or to capture.
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
                let undo = self.board.make(p);
                let loses = self.board.each_win(own.other(), |_| true);
                self.board.unmake(p, undo);
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
        let reading = (0..height).rev().flat_map(|rank| (0..width).map(move |file| rank * width + file));
        out.extend(reading.map(|p| p as u16).filter(|&p| self.board.is_empty(p) && self.board.legal(p)));
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

    /// All moves of the side that has to try them all must be solved: the more there are, the
    /// harder. Under a threat there are few.
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
            // One point to occupy, if there is only one, and captures.
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
        color(side).letter().to_string()
    }
}
