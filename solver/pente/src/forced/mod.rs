//! Forced wins within a number of plies, on boards of any size.
//!
//! A *threat* is a move after which the attacker could win at once. The defender then has few
//! replies that matter: the points where the attacker would win, and captures, which can take a
//! stone out of a row or away from a flank. After any other reply the attacker wins at once,
//! because no stone of his is gone and his point is still empty. So a search by threats branches
//! little; it looks at all replies that matter, and a win that it finds is a win.
//!
//! | [`AttackWidth`] | the attacker plays | a win is proved | that there is none is proved |
//! |---|---|---|---|
//! | `Threats` | threats | yes | no |
//! | `Quiet(n)` | threats, and up to `n` other moves that prepare them, met by all replies | yes | no |
//! | `Full` | everything, met by all replies | yes | yes |
//!
//! Before anything else the defender is asked for a win of his own, after every move of the
//! attacker.
//!
//! Measured on 60 random purposeful positions of 19x19 (`bench/examples/forced_wins.rs`, one core of
//! a busy AMD EPYC, 2026, the clock on the wall): threats to 25 plies 0.2 ms on average; one quiet
//! move to 11 plies 2.4 ms; two to 9 plies 21 ms; full width to 5 plies 1.6 ms (worst 21 ms), to 7
//! plies 0.12 s (worst 1.0 s). All of it, 6.4 million nodes, took 2.6 s of the core: 2.5 million
//! nodes a second.

mod bounds;
mod certificate;
mod lists;
mod proof;

#[cfg(test)]
mod tests;

use crate::board::SearchBoard;
use crate::rules::{Color, Overline, Position, Rules};
use bounds::{BoundTable, Known};

use pentago_base::{Budget, Stopped};

/// Which moves of the attacker are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttackWidth {
    /// Threats to win at once: fours and winning captures.
    Threats,
    /// Threats, and at most this number of other moves.
    Quiet(u8),
    /// All moves.
    Full,
}

impl AttackWidth {
    fn quiet(self) -> u8 {
        match self {
            AttackWidth::Threats | AttackWidth::Full => 0,
            AttackWidth::Quiet(n) => n,
        }
    }

    /// A number to tell what is remembered apart.
    fn salt(self) -> u64 {
        match self {
            AttackWidth::Threats | AttackWidth::Quiet(0) => 0,
            AttackWidth::Quiet(n) => u64::from(n) << 56,
            AttackWidth::Full => 0xff << 56,
        }
    }
}

/// Searches for forced wins under one set of rules.
pub struct ForcedWinSearch {
    board: SearchBoard,
    memo: BoundTable,
    /// Lists of moves, those of the last position on the way at the end.
    moves: Vec<u16>,
    order: Vec<(u32, u16)>,
    /// For each number of plies left, the two replies that refuted last.
    killers: Vec<[u16; 2]>,
    /// For each number of plies left, the move that won last.
    winners: Vec<u16>,
    /// Two points where a stone of the defender has changed nothing.
    neutral: [u16; 2],
    fallback: bool,
}

const NO_POINT: u16 = u16::MAX;

/// The most plies that are searched.
pub const MAX_PLIES: u32 = 99;

impl ForcedWinSearch {
    /// A search that remembers positions in `bytes` bytes, or in less where there is less
    /// memory.
    #[must_use]
    pub fn new(rules: &Rules, memory: usize) -> ForcedWinSearch {
        let options = rules.options();
        ForcedWinSearch {
            board: SearchBoard::new(rules, &Position::EMPTY),
            memo: BoundTable::new(memory),
            moves: Vec::with_capacity(1 << 14),
            order: Vec::with_capacity(512),
            killers: vec![[NO_POINT; 2]; MAX_PLIES as usize + 1],
            winners: vec![NO_POINT; MAX_PLIES as usize + 1],
            neutral: [NO_POINT; 2],
            // There a capture by the defender can make a row of the attacker.
            fallback: options.over == Overline::Nothing || options.k < 3,
        }
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        self.board.rules()
    }

    /// Forgets what was found before.
    pub fn clear(&mut self) {
        self.memo.clear();
        self.killers.fill([NO_POINT; 2]);
        self.winners.fill(NO_POINT);
    }

    /// A move with which the side to move wins within `plies` plies whatever the opponent does, if
    /// there is one among the moves of this width. At most [`MAX_PLIES`] are searched. Nothing if
    /// the game is over.
    ///
    /// # Errors
    /// If the work does not suffice.
    pub fn win_within(
        &mut self,
        position: &Position,
        plies: u32,
        width: AttackWidth,
        work: &mut Budget,
    ) -> Result<Option<crate::Point>, Stopped> {
        self.board.set(position);
        self.moves.clear();
        if self.board.won() || self.board.full() {
            return Ok(None);
        }
        // An even number allows no more than the odd one below it.
        let plies = plies.min(MAX_PLIES);
        let plies = plies - (1 - plies % 2).min(plies);
        Ok(self.attack(plies, width, NO_POINT, work)?.map(crate::rules::Point))
    }

    /// Returns whether the side to move wins within `plies` plies if it plays `m`, a legal move,
    /// first; the plies count that move.
    ///
    /// # Errors
    /// If the work does not suffice.
    pub fn move_wins(
        &mut self,
        position: &Position,
        m: crate::Point,
        plies: u32,
        width: AttackWidth,
        work: &mut Budget,
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
        if plies < 3 || self.board.full() || self.board.winning_move().is_some() {
            return Ok(false);
        }
        if self.board.each_win(attacker, |_| true) {
            self.replies_to_threat(plies - 1, width, work)
        } else if width == AttackWidth::Full || width.quiet() > 0 {
            let rest = match width {
                AttackWidth::Full => AttackWidth::Full,
                _ => AttackWidth::Quiet(width.quiet() - 1),
            };
            self.all_replies(plies - 1, rest, work)
        } else {
            Ok(false)
        }
    }

    /// The shortest forced win of at most `plies` plies that this width finds: its first move and
    /// its plies. With [`AttackWidth::Full`] no other win is shorter.
    ///
    /// # Errors
    /// If the work does not suffice.
    pub fn shortest_win(
        &mut self,
        position: &Position,
        plies: u32,
        width: AttackWidth,
        work: &mut Budget,
    ) -> Result<Option<(crate::Point, u32)>, Stopped> {
        for plies in (1..=plies.min(MAX_PLIES)).step_by(2) {
            if let Some(m) = self.win_within(position, plies, width, work)? {
                return Ok(Some((m, plies)));
            }
        }
        Ok(None)
    }

    /// The attacker is to move, and nobody has won.
    fn attack(
        &mut self,
        plies: u32,
        width: AttackWidth,
        hint: u16,
        work: &mut Budget,
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
        match self.memo.get(key, plies) {
            Some(Known::Wins(m)) => return Ok(Some(m)),
            Some(Known::Fails) => return Ok(None),
            None => {}
        }
        let first = self.moves.len();
        let found = match width {
            AttackWidth::Threats | AttackWidth::Quiet(0) => self.attack_by_threats(plies, hint, work),
            AttackWidth::Quiet(_) => self.attack_quietly(plies, width, hint, work),
            AttackWidth::Full => self.attack_with_all(plies, hint, work),
        };
        self.moves.truncate(first);
        let found = found?;
        if let Some(m) = found {
            self.winners[plies as usize] = m;
        }
        self.memo.put(key, plies, found);
        Ok(found)
    }

    fn attack_by_threats(
        &mut self,
        plies: u32,
        hint: u16,
        work: &mut Budget,
    ) -> Result<Option<u16>, Stopped> {
        let first = self.moves.len();
        self.list_threats(hint);
        for i in first..self.moves.len() {
            let m = self.moves[i];
            if self.threat_wins(m, plies, AttackWidth::Threats, work)? {
                return Ok(Some(m));
            }
        }
        Ok(None)
    }

    fn attack_quietly(
        &mut self,
        plies: u32,
        width: AttackWidth,
        hint: u16,
        work: &mut Budget,
    ) -> Result<Option<u16>, Stopped> {
        if let Some(m) = self.attack(plies, AttackWidth::Threats, hint, work)? {
            return Ok(Some(m));
        }
        if plies < 5 {
            return Ok(None);
        }
        let attacker = self.board.to_move();
        let first = self.moves.len();
        self.list_threats(hint);
        let threats = self.moves.len();
        if !self.board.each_win(attacker.other(), |_| true) {
            self.list_preparing();
        }
        for i in first..self.moves.len() {
            let m = self.moves[i];
            if i >= threats && self.moves[first..threats].contains(&m) {
                continue;
            }
            work.tick()?;
            let undo = self.board.make(m);
            let result = self.after_quiet_candidate(plies, width, attacker, work);
            self.board.unmake(m, undo);
            if result? {
                return Ok(Some(m));
            }
        }
        Ok(None)
    }

    /// The defender is to move after a move that may be a threat or a quiet one.
    fn after_quiet_candidate(
        &mut self,
        plies: u32,
        width: AttackWidth,
        attacker: Color,
        work: &mut Budget,
    ) -> Result<bool, Stopped> {
        if self.board.full() || self.board.winning_move().is_some() {
            return Ok(false);
        }
        if self.board.each_win(attacker, |_| true) {
            return self.replies_to_threat(plies - 1, width, work);
        }
        let Some(left) = width.quiet().checked_sub(1) else { return Ok(false) };
        let rest = if left == 0 { AttackWidth::Threats } else { AttackWidth::Quiet(left) };
        // It prepares something if the attacker would win with one more move.
        self.board.pass();
        let prepares = self.attack(plies - 2, rest, NO_POINT, work);
        self.board.pass();
        if prepares?.is_none() {
            return Ok(false);
        }
        self.all_replies(plies - 1, rest, work)
    }

    fn attack_with_all(&mut self, plies: u32, hint: u16, work: &mut Budget) -> Result<Option<u16>, Stopped> {
        let attacker = self.board.to_move();
        let threatened = self.board.each_win(attacker.other(), |_| true);
        let first = self.moves.len();
        self.list_threats(hint);
        let threats = self.moves.len();
        // With three plies only threats win, unless every reply of the defender makes things worse.
        if plies > 3 || !self.has_neutral_replies(attacker.other()) {
            self.list_all(threatened);
        }
        for i in first..self.moves.len() {
            let m = self.moves[i];
            if i >= threats && self.moves[first..threats].contains(&m) {
                continue;
            }
            work.tick()?;
            let undo = self.board.make(m);
            let result = if self.board.full() || self.board.winning_move().is_some() {
                Ok(false)
            } else if self.board.each_win(attacker, |_| true) {
                self.replies_to_threat(plies - 1, AttackWidth::Full, work)
            } else {
                self.all_replies(plies - 1, AttackWidth::Full, work)
            };
            self.board.unmake(m, undo);
            if result? {
                return Ok(Some(m));
            }
        }
        Ok(None)
    }

    /// Returns whether a move is a threat and wins.
    fn threat_wins(
        &mut self,
        m: u16,
        plies: u32,
        width: AttackWidth,
        work: &mut Budget,
    ) -> Result<bool, Stopped> {
        let attacker = self.board.to_move();
        work.tick()?;
        let undo = self.board.make(m);
        let goes_on = !self.board.full()
            && self.board.each_win(attacker, |_| true)
            && self.board.winning_move().is_none();
        let result = if goes_on { self.replies_to_threat(plies - 1, width, work) } else { Ok(false) };
        self.board.unmake(m, undo);
        result
    }

    /// Returns whether the attacker wins against every reply to a threat, with `plies` left, the
    /// reply included. The defender has no win at once.
    fn replies_to_threat(
        &mut self,
        plies: u32,
        width: AttackWidth,
        work: &mut Budget,
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
        let result = self.each_reply(first, plies, width, work);
        self.moves.truncate(first);
        result
    }

    /// The same for all replies, after a move that is no threat.
    fn all_replies(&mut self, plies: u32, width: AttackWidth, work: &mut Budget) -> Result<bool, Stopped> {
        if plies < 2 {
            return Ok(false);
        }
        let first = self.moves.len();
        let killers = self.killers[plies as usize];
        for p in killers {
            if p != NO_POINT && self.board.is_empty(p) && self.board.legal(p) {
                self.moves.push(p);
            }
        }
        let result = self.each_reply(first, plies, width, work);
        self.moves.truncate(first);
        if !result? {
            return Ok(false);
        }
        self.list_all(false);
        let result = self.each_reply(first, plies, width, work);
        self.moves.truncate(first);
        result
    }

    /// Returns whether the attacker wins against each reply from place `first` of the list on.
    fn each_reply(
        &mut self,
        first: usize,
        plies: u32,
        width: AttackWidth,
        work: &mut Budget,
    ) -> Result<bool, Stopped> {
        let mut hint = self.winners[plies as usize - 1];
        for i in first..self.moves.len() {
            let reply = self.moves[i];
            if !self.board.legal(reply) {
                continue;
            }
            work.tick()?;
            let undo = self.board.make(reply);
            let found = if self.board.full() { Ok(None) } else { self.attack(plies - 1, width, hint, work) };
            self.board.unmake(reply, undo);
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
