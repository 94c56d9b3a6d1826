//! Forced wins within a number of plies, on boards of any size.
//!
//! The *attacker* is the side that tries to win; the *defender* is the other side. A *threat* is a
//! move after which the attacker could win with the next move. Few replies to a threat matter: a
//! stone on a point where the attacker would win, and a capture. A capture can remove a stone from
//! a line or from a flank. After any other reply the attacker wins immediately, because the reply
//! removes no attacking stone and the winning point is still empty. So a search by threats has few
//! branches. The search tries every reply that matters, so each win that it finds is proved.
//!
//! | [`AttackWidth`] | the attacker plays | proves a win | proves that there is no win |
//! |---|---|---|---|
//! | `Threats` | threats | yes | no |
//! | `Quiet(n)` | threats and up to `n` quiet moves, against all replies | yes | no |
//! | `Full` | all moves, against all replies | yes | yes |
//!
//! After each move of the attacker, the search first checks whether the defender can win
//! immediately.
//!
//! Measured on 60 random purposeful positions of 19x19 (`bench/examples/forced_wins.rs`, wall time
//! on one core of a busy AMD EPYC, 2026): threats to 25 plies take 0.2 ms on average, one quiet
//! move to 11 plies 2.4 ms, two quiet moves to 9 plies 21 ms, full width to 5 plies 1.6 ms (worst
//! 21 ms) and to 7 plies 0.12 s (worst 1.0 s). All searches together made 6.4 million nodes in 2.6
//! s of CPU time, 2.5 million nodes per second.

mod bounds;
mod certificate;
mod lists;
mod proof;

#[cfg(test)]
mod tests;

use crate::board::SearchBoard;
use crate::rules::{Color, Overline, Point, Position, Rules};
use bounds::BoundTable;
use lists::{NO_POINT, has_neutral_replies, list_by_promise, list_preparing, list_threats};

use pentago_base::{Budget, Stopped};

/// The set of moves that the attacker may play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttackWidth {
    /// Threats only: fours, and captures that threaten to win.
    Threats,
    /// Threats, and at most this number of quiet moves.
    Quiet(u8),
    /// All legal moves.
    Full,
}

impl AttackWidth {
    /// Returns the key bits that separate the table entries of different widths.
    fn salt(self) -> u64 {
        match self {
            AttackWidth::Threats => 0,
            AttackWidth::Quiet(n) => u64::from(n) << 56,
            AttackWidth::Full => 0xff << 56,
        }
    }
}

/// A search for forced wins under one set of rules. The search remembers results between calls.
pub struct ForcedWinSearch {
    board: SearchBoard,
    bounds: BoundTable,
    /// A stack of move lists. The list of the current position is on top.
    moves: Vec<u16>,
    /// A buffer for sorting moves by promise.
    order: Vec<(u32, u16)>,
    /// The two replies that refuted an attack most recently, indexed by the number of plies left.
    killers: Vec<[u16; 2]>,
    /// The move that won most recently, indexed by the number of plies left.
    winners: Vec<u16>,
    /// The two points that [`has_neutral_replies`] found most recently.
    neutral: [u16; 2],
    /// `true` under rules for which [`has_neutral_replies`] proves nothing.
    no_neutral: bool,
}

/// The largest number of plies that a search looks ahead.
pub const MAX_PLIES: u32 = 99;

impl ForcedWinSearch {
    /// Makes a search whose table takes at most `memory` bytes. If the system has less memory, the
    /// table is smaller.
    pub fn new(rules: &Rules, memory: usize) -> ForcedWinSearch {
        let options = rules.options();
        ForcedWinSearch {
            board: SearchBoard::new(rules, &Position::EMPTY),
            bounds: BoundTable::new(memory),
            moves: Vec::with_capacity(1 << 14),
            order: Vec::with_capacity(512),
            killers: vec![[NO_POINT; 2]; MAX_PLIES as usize + 1],
            winners: vec![NO_POINT; MAX_PLIES as usize + 1],
            neutral: [NO_POINT; 2],
            // Under these rules, a capture by the defender can complete a line of the attacker, so
            // `has_neutral_replies` proves nothing.
            no_neutral: options.over == Overline::Nothing || options.k < 3,
        }
    }

    /// Returns the rules.
    pub fn rules(&self) -> &Rules {
        self.board.rules()
    }

    /// Forgets the results of earlier searches.
    pub fn clear(&mut self) {
        self.bounds.clear();
        self.killers.fill([NO_POINT; 2]);
        self.winners.fill(NO_POINT);
    }

    /// Returns a move with which the side to move wins within `plies` plies against every defence,
    /// or `None` if the search finds no such move or the game is over. `width` limits the
    /// attacker's moves. The search looks at most [`MAX_PLIES`] plies ahead.
    ///
    /// # Errors
    /// [`Stopped`] if the budget does not suffice.
    pub fn win_within(
        &mut self,
        position: &Position,
        plies: u32,
        width: AttackWidth,
        budget: &mut Budget,
    ) -> Result<Option<Point>, Stopped> {
        self.board.set(position);
        self.moves.clear();
        if self.board.won() || self.board.full() {
            return Ok(None);
        }
        // The attacker makes the last ply of a win, so lower an even limit to the odd number below.
        let plies = (plies.min(MAX_PLIES).div_ceil(2) * 2).saturating_sub(1);
        Ok(self.attack(plies, width, NO_POINT, budget)?.map(Point))
    }

    /// Returns `true` if the side to move wins within `plies` plies, starting with the legal move
    /// `m`. The plies include `m`.
    ///
    /// # Errors
    /// [`Stopped`] if the budget does not suffice.
    pub fn move_wins(
        &mut self,
        position: &Position,
        m: Point,
        plies: u32,
        width: AttackWidth,
        budget: &mut Budget,
    ) -> Result<bool, Stopped> {
        self.board.set(position);
        self.moves.clear();
        if m.index() >= self.board.points() || plies == 0 {
            return Ok(false);
        }
        if self.board.won() || !self.board.is_empty(m.0) || !self.board.legal(m.0) {
            return Ok(false);
        }
        let attacker = self.board.to_move();
        let plies = plies.min(MAX_PLIES);
        self.board.make(m.0);
        if self.board.won() {
            return Ok(true);
        }
        if plies < 3 {
            return Ok(false);
        }
        self.wins_after_move(attacker, plies - 1, width, false, budget)
    }

    /// Returns the first move and the number of plies of the shortest forced win that this width
    /// finds within `plies` plies. Returns `None` if there is no such win. With
    /// [`AttackWidth::Full`], no shorter win exists.
    ///
    /// # Errors
    /// [`Stopped`] if the budget does not suffice.
    pub fn shortest_win(
        &mut self,
        position: &Position,
        plies: u32,
        width: AttackWidth,
        budget: &mut Budget,
    ) -> Result<Option<(Point, u32)>, Stopped> {
        for plies in (1..=plies.min(MAX_PLIES)).step_by(2) {
            if let Some(m) = self.win_within(position, plies, width, budget)? {
                return Ok(Some((m, plies)));
            }
        }
        Ok(None)
    }

    /// Returns a move with which the attacker wins within `plies` plies, or `None` if the search
    /// finds no such move. The attacker is to move, and the game is not over. The search tries the
    /// move `hint` first.
    fn attack(
        &mut self,
        plies: u32,
        width: AttackWidth,
        hint: u16,
        budget: &mut Budget,
    ) -> Result<Option<u16>, Stopped> {
        if plies == 0 {
            return Ok(None);
        }
        if let Some(win) = self.board.winning_move() {
            return Ok(Some(win));
        }
        if plies < 3 {
            return Ok(None);
        }
        let key = self.board.key_here() as u64 ^ width.salt();
        if let Some(known) = self.bounds.get(key, plies) {
            return Ok(known);
        }
        let first = self.moves.len();
        let found = self.try_moves(plies, width, hint, budget);
        self.moves.truncate(first);
        let found = found?;
        if let Some(m) = found {
            self.winners[plies as usize] = m;
        }
        self.bounds.put(key, plies, found);
        Ok(found)
    }

    /// Lists the moves of the attacker and returns the first move that wins, or `None` if no listed
    /// move wins. The caller must remove the list from `self.moves`.
    fn try_moves(
        &mut self,
        plies: u32,
        width: AttackWidth,
        hint: u16,
        budget: &mut Budget,
    ) -> Result<Option<u16>, Stopped> {
        if let AttackWidth::Quiet(1..) = width {
            if let Some(m) = self.attack(plies, AttackWidth::Threats, hint, budget)? {
                return Ok(Some(m));
            }
            if plies < 5 {
                return Ok(None);
            }
        }
        let attacker = self.board.to_move();
        let defender = attacker.other();
        let first = self.moves.len();
        list_threats(&self.board, hint, &mut self.moves);
        let threats = self.moves.len();
        match width {
            AttackWidth::Threats | AttackWidth::Quiet(0) => {}
            AttackWidth::Quiet(_) => {
                if !self.board.has_win(defender) {
                    list_preparing(&self.board, &mut self.order, &mut self.moves);
                }
            }
            AttackWidth::Full => {
                // Within three plies, a quiet move wins only if every reply of the defender lets
                // the attacker win immediately. So a single neutral reply refutes a quiet move.
                let quiet_can_win = plies > 3 || self.no_neutral || self.board.is_opening();
                if quiet_can_win || !has_neutral_replies(&self.board, defender, &mut self.neutral) {
                    let threatened = self.board.has_win(defender);
                    let keep = |p| !threatened || self.board.parries(p);
                    list_by_promise(&self.board, &mut self.order, &mut self.moves, keep);
                }
            }
        }
        for i in first..self.moves.len() {
            let m = self.moves[i];
            if i >= threats && self.moves[first..threats].contains(&m) {
                continue;
            }
            budget.tick()?;
            let taken = self.board.make(m);
            let wins = self.wins_after_move(attacker, plies - 1, width, true, budget);
            self.board.unmake(m, taken);
            if wins? {
                return Ok(Some(m));
            }
        }
        Ok(None)
    }

    /// Returns `true` if the attacker, who has just moved, wins within `plies` plies against every
    /// reply. With `prepare`, a quiet move counts as a win only if the attacker would also win
    /// after a pass by the defender.
    fn wins_after_move(
        &mut self,
        attacker: Color,
        plies: u32,
        width: AttackWidth,
        prepare: bool,
        budget: &mut Budget,
    ) -> Result<bool, Stopped> {
        if self.board.full() {
            return Ok(false);
        }
        let threat = self.board.has_win(attacker);
        let rest = match width {
            AttackWidth::Full => width,
            AttackWidth::Quiet(n @ 1..) => AttackWidth::Quiet(n - 1),
            _ if threat => width,
            _ => return Ok(false),
        };
        if self.board.winning_move().is_some() {
            return Ok(false);
        }
        if threat {
            return self.replies_to_threat(plies, width, budget);
        }
        if prepare && width != AttackWidth::Full {
            self.board.pass();
            let next = self.attack(plies - 1, rest, NO_POINT, budget);
            self.board.pass();
            if next?.is_none() {
                return Ok(false);
            }
        }
        self.all_replies(plies, rest, budget)
    }

    /// Returns `true` if the attacker wins within `plies` plies against every reply to a threat.
    /// The plies include the reply. The defender must have no immediate win.
    fn replies_to_threat(
        &mut self,
        plies: u32,
        width: AttackWidth,
        budget: &mut Budget,
    ) -> Result<bool, Stopped> {
        let defender = self.board.to_move();
        let first = self.moves.len();
        let moves = &mut self.moves;
        self.board.each_win(defender.other(), |p| {
            if !moves[first..].contains(&p) {
                moves.push(p);
            }
            false
        });
        for p in self.board.captures(defender) {
            if !moves[first..].contains(&p) {
                moves.push(p);
            }
        }
        let result = self.each_reply(first, plies, width, budget);
        self.moves.truncate(first);
        result
    }

    /// Returns `true` if the attacker wins within `plies` plies against every reply to a quiet
    /// move. The plies include the reply.
    fn all_replies(&mut self, plies: u32, width: AttackWidth, budget: &mut Budget) -> Result<bool, Stopped> {
        if plies < 2 {
            return Ok(false);
        }
        let first = self.moves.len();
        for p in self.killers[plies as usize] {
            if p != NO_POINT && self.board.is_empty(p) && self.board.legal(p) {
                self.moves.push(p);
            }
        }
        let result = self.each_reply(first, plies, width, budget);
        self.moves.truncate(first);
        if !result? {
            return Ok(false);
        }
        list_by_promise(&self.board, &mut self.order, &mut self.moves, |_| true);
        let result = self.each_reply(first, plies, width, budget);
        self.moves.truncate(first);
        result
    }

    /// Returns `true` if the attacker wins against each listed reply, starting at index `first`.
    fn each_reply(
        &mut self,
        first: usize,
        plies: u32,
        width: AttackWidth,
        budget: &mut Budget,
    ) -> Result<bool, Stopped> {
        let mut hint = self.winners[plies as usize - 1];
        for i in first..self.moves.len() {
            let reply = self.moves[i];
            if !self.board.legal(reply) {
                continue;
            }
            budget.tick()?;
            let taken = self.board.make(reply);
            let found =
                if self.board.full() { Ok(None) } else { self.attack(plies - 1, width, hint, budget) };
            self.board.unmake(reply, taken);
            match found? {
                Some(m) => hint = m,
                None => {
                    let killers = &mut self.killers[plies as usize];
                    if killers[0] != reply {
                        *killers = [reply, killers[0]];
                    }
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
