//! Which moves are tried, and in which order.

use super::{ForcedWinSearch, NO_POINT};
use crate::rules::{Capture, Color, Point};

impl ForcedWinSearch {
    /// Lists all moves that can be threats, the hint first if it is among them or empty at all.
    pub(super) fn list_threats(&mut self, hint: u16) {
        let attacker = self.board.to_move();
        let first = self.moves.len();
        let moves = &mut self.moves;
        let board = &self.board;
        let options = board.rules().options();
        if options.k < 3 {
            moves.extend((0..board.points() as u16).filter(|&p| board.is_empty(p)));
        } else {
            moves.extend(board.threes(attacker));
        }
        moves.extend(board.captures(attacker));
        // With one more row captured at the same point it would be enough.
        let row = if options.capture == Capture::TwoOrThree { 3 } else { 2 };
        let need = options.win.saturating_sub(board.captured(attacker));
        if need <= row {
            moves.extend(board.open(attacker).flatten());
        } else {
            for p in board.captures(attacker).filter(|&p| board.gain(p, attacker) + row >= need) {
                for [a, b] in board.open(attacker) {
                    if a == p {
                        moves.push(b);
                    } else if b == p {
                        moves.push(a);
                    }
                }
            }
        }
        moves[first..].sort_unstable();
        let mut kept = first;
        for i in first..moves.len() {
            let p = moves[i];
            if (kept == first || moves[kept - 1] != p) && board.legal(p) {
                moves[kept] = p;
                kept += 1;
            }
        }
        moves.truncate(kept);
        // Against a threat of the defender only two sorts of moves help.
        let defender = attacker.other();
        if board.each_win(defender, |_| true) {
            let mut kept = first;
            for i in first..moves.len() {
                let p = moves[i];
                if board.each_win(defender, |q| q == p) || board.captures(attacker).any(|q| q == p) {
                    moves[kept] = p;
                    kept += 1;
                }
            }
            moves.truncate(kept);
        }
        if let Some(at) = moves[first..].iter().position(|&p| p == hint) {
            moves[first..=first + at].rotate_right(1);
        }
    }

    /// Lists quiet moves that can prepare threats, the most promising first: in windows where the
    /// attacker already has something, and at rows that can be captured.
    pub(super) fn list_preparing(&mut self) {
        let attacker = self.board.to_move();
        let least = self.board.rules().k().saturating_sub(3).max(1);
        self.order.clear();
        for p in 0..self.board.points() as u16 {
            let board = &self.board;
            if !board.is_empty(p) || !board.legal(p) {
                continue;
            }
            let near = board.best_window(p, attacker) >= least
                || board.open(attacker).flatten().any(|q| q == p)
                || board.captures(attacker).any(|q| q == p);
            if near {
                self.order.push((board.promise(p), p));
            }
        }
        self.take_order();
    }

    /// Lists all legal moves, the most promising first; if the side to move must parry a win, only
    /// those that can.
    pub(super) fn list_all(&mut self, threatened: bool) {
        let own = self.board.to_move();
        self.order.clear();
        for p in 0..self.board.points() as u16 {
            let board = &self.board;
            if !board.is_empty(p) || !board.legal(p) {
                continue;
            }
            let parries =
                !threatened || board.each_win(own.other(), |q| q == p) || board.captures(own).any(|q| q == p);
            if parries {
                self.order.push((board.promise(p), p));
            }
        }
        self.take_order();
    }

    fn take_order(&mut self) {
        self.order.sort_unstable_by_key(|&(promise, p)| (std::cmp::Reverse(promise), p));
        self.moves.extend(self.order.iter().map(|&(_, p)| p));
    }

    /// Returns whether, whatever the attacker plays next, the defender has a reply that gives the
    /// attacker no win at once if he has no threat. Such a reply is an empty point without a stone
    /// of the attacker so near that something could be captured between the two; of two such points
    /// that are far apart, one is still there after the attacker's move. (`false` when it is not
    /// known.)
    pub(super) fn has_neutral_replies(&mut self, defender: Color) -> bool {
        if self.fallback || self.board.is_opening() {
            return false;
        }
        let attacker = defender.other();
        let good = |p: u16| p != NO_POINT && self.board.is_empty(p) && !self.board.touches(p, attacker);
        if self.neutral.iter().all(|&p| good(p)) {
            return true;
        }
        // One stone reaches as far as the longest capture line.
        let reach = if self.board.rules().options().capture == Capture::TwoOrThree { 4 } else { 3 };
        let points = self.board.points() as u16;
        for p in (0..points).filter(|&p| good(p)) {
            let far = |q: u16| {
                let (p, q) = (Point(p), Point(q));
                self.board.rules().distance(p, q) > 2 * reach
            };
            if let Some(q) = (p + 1..points).find(|&q| far(q) && good(q)) {
                self.neutral = [p, q];
                return true;
            }
        }
        false
    }
}
