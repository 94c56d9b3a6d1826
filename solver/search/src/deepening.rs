//! Full-width search with a limit on the plies. The search decides whether a goal is reached within
//! the limit, and finds the least number of plies.
//!
//! The answer is yes or no, so the search is alpha-beta with a null window. The search stops
//! examining a position at the first move that reaches the goal, or at the first reply that
//! prevents the goal. Searching with the limits 1, 2, 3 and so on yields the exact distance. All
//! these searches together cost little more than the last one, because the table stores the best
//! moves and the decided positions.
//!
//! Moves are tried in this order: first the move from the table, then the moves that decided
//! sibling positions (killers: Akl and Newborn, "The principal continuation and the killer
//! heuristic", ACM 1977), then the other moves in the order of the game. All children are looked up
//! in the table before any child is searched (enhanced transposition cut-offs: Plaat, Schaeffer,
//! Pijls and de Bruin, "Exploiting graph properties of game trees", AAAI 1996).

use crate::table::{EntryKind, Table, TableSlot};
use crate::{Game, Goal};
use pentago_base::{Budget, Stopped};

/// The proved knowledge about the distance to a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// The exact number of plies to the goal, if the attacker hurries and the defender delays.
    Exactly(u32),
    /// The defender can prevent the goal for at least this number of plies. Whether the attacker
    /// reaches the goal later is undecided.
    MoreThan(u32),
    /// The defender can prevent the goal until the end of the game.
    Never,
}

/// The number of plies that means "no limit" or "never".
const NEVER: u32 = u16::MAX as u32;

/// Proved bounds on the distance of a position, and a hint at the best move.
#[derive(Clone, Copy)]
struct DistanceBounds {
    /// A number of plies within which the attacker can't reach the goal.
    not_within: u32,
    /// A number of plies within which the attacker reaches the goal.
    within: u32,
    /// The low 16 bits of the tag of the child that decided the position. 0 means that no child is
    /// known.
    hint: u16,
}

impl DistanceBounds {
    const UNKNOWN: Self = Self { not_within: 0, within: NEVER, hint: 0 };

    fn pack(self) -> u64 {
        u64::from(self.not_within) << 32 | u64::from(self.within) << 16 | u64::from(self.hint)
    }

    fn unpack(payload: u64) -> Self {
        let field = |shift: u32| u32::from((payload >> shift) as u16);
        Self { not_within: field(32), within: field(16), hint: payload as u16 }
    }

    fn answer(self, plies: u32) -> Option<bool> {
        if self.within <= plies {
            Some(true)
        } else if self.not_within >= plies {
            Some(false)
        } else {
            None
        }
    }
}

impl Table {
    /// Returns `true` if the table knows that `goal` is reached within `plies` plies from the
    /// position with this key. Returns `false` if the table knows that the goal is not reached, and
    /// `None` if the table has no answer.
    pub fn within(&self, goal: Goal, key: u128, plies: u32) -> Option<bool> {
        self.get(self.slot(key), EntryKind::plies(goal))
            .and_then(|payload| DistanceBounds::unpack(payload).answer(plies))
    }

    /// Stores whether `goal` is reached within `plies` plies from the position with this key.
    /// `nodes` is the number of nodes that the search for this answer visited.
    pub fn learn(&mut self, goal: Goal, key: u128, plies: u32, reached: bool, nodes: u64) {
        let (slot, kind) = (self.slot(key), EntryKind::plies(goal));
        let mut bounds = self.get(slot, kind).map_or(DistanceBounds::UNKNOWN, DistanceBounds::unpack);
        if reached {
            bounds.within = bounds.within.min(plies);
        } else {
            bounds.not_within = bounds.not_within.max(plies);
        }
        self.put(slot, kind, bounds.pack(), nodes);
    }
}

/// A full-width search for one goal.
pub struct Deepening<'t, G: Game> {
    table: &'t mut Table,
    goal: Goal,
    kind: EntryKind,
    moves: Vec<G::Move>,
    /// A stack of the children to search, for all positions on the current path.
    open: Vec<(G::Move, u16)>,
    /// The last two different moves that decided a position, newer move first. Indexed by the
    /// number of plies from the root to the position.
    killers: Vec<[Option<G::Move>; 2]>,
}

impl<'t, G: Game> Deepening<'t, G> {
    /// Creates a search that stores its results in `table`.
    pub fn new(table: &'t mut Table, goal: Goal) -> Self {
        let kind = EntryKind::plies(goal);
        Self { table, goal, kind, moves: Vec::new(), open: Vec::new(), killers: Vec::new() }
    }

    /// Returns `true` if the goal is reached within `plies` plies. If a draw is enough for the
    /// goal, ignores `plies` and searches to the end of the game, because only there is it certain
    /// that the attacker has not lost.
    ///
    /// # Errors
    /// If the budget is exhausted.
    pub fn within(&mut self, game: &mut G, plies: u32, budget: &mut Budget) -> Result<bool, Stopped> {
        let left = game.plies_left().min(NEVER - 1);
        let plies = if self.goal.draw_is_enough { left } else { plies.min(left) };
        match self.at_sight(game, plies, budget)? {
            Some(answer) => Ok(answer),
            None => self.search(game, plies, 0, budget),
        }
    }

    /// Returns the least number of plies in which the attacker can force the goal. Searches at most
    /// `limit` plies. If a draw is enough for the goal, returns the maximum number of plies to the
    /// end of the game instead.
    ///
    /// If the budget is exhausted, returns [`Distance::MoreThan`] with the number of plies within
    /// which the goal is proved to be impossible. This number may be 0.
    pub fn shortest(&mut self, game: &mut G, limit: u32, budget: &mut Budget) -> Distance {
        self.shortest_from(game, 0, limit, budget)
    }

    /// Does the same as [`shortest`](Self::shortest), but skips the first `known` plies. The caller
    /// guarantees that the goal takes more than `known` plies.
    pub(crate) fn shortest_from(
        &mut self,
        game: &mut G,
        known: u32,
        limit: u32,
        budget: &mut Budget,
    ) -> Distance {
        if let Some(outcome) = game.outcome() {
            return if self.goal.reached(outcome) { Distance::Exactly(0) } else { Distance::Never };
        }
        let left = game.plies_left().min(NEVER - 1);
        let (first, last) =
            if self.goal.draw_is_enough { (left, left) } else { (known + 1, limit.min(left)) };
        let mut proved = known;
        for plies in first..=last {
            match self.within(game, plies, budget) {
                Ok(true) => return Distance::Exactly(plies),
                Ok(false) => proved = plies,
                Err(Stopped) => return Distance::MoreThan(proved),
            }
        }
        if proved >= left { Distance::Never } else { Distance::MoreThan(proved) }
    }

    /// Returns a move that reaches the goal as fast as possible, and the number of plies to the
    /// goal. Returns `None` if the defender is to move or the attacker can't reach the goal within
    /// `limit` plies.
    ///
    /// # Errors
    /// If the budget is exhausted.
    pub fn winner(
        &mut self,
        game: &mut G,
        limit: u32,
        budget: &mut Budget,
    ) -> Result<Option<(G::Move, u32)>, Stopped> {
        if game.outcome().is_some() || game.side() != self.goal.side {
            return Ok(None);
        }
        if let Some(mv) = game.winning_move() {
            return Ok(if limit >= 1 { Some((mv, 1)) } else { None });
        }
        let limit = if self.goal.draw_is_enough { NEVER } else { limit };
        let plies = match self.shortest(game, limit, budget) {
            Distance::Exactly(plies) => plies,
            Distance::Never => return Ok(None),
            Distance::MoreThan(proved) => {
                let all = limit.min(game.plies_left());
                return if proved >= all { Ok(None) } else { Err(Stopped) };
            }
        };
        // The call of `shortest` stored its results in the table, where newer results may have
        // replaced some. The first round only looks the moves up. The second round searches them
        // again.
        let mut moves = Vec::new();
        game.moves(&mut moves);
        for search in [false, true] {
            for &mv in &moves {
                budget.tick()?;
                let found = game.with_move(mv, |game| match self.at_sight(game, plies - 1, budget)? {
                    Some(answer) => Ok(answer),
                    None if search => self.search(game, plies - 1, 1, budget),
                    None => Ok(self.bounds(game).1.answer(plies - 1) == Some(true)),
                });
                if found? {
                    return Ok(Some((mv, plies)));
                }
            }
        }
        Ok(None)
    }

    /// Returns whether the goal is reached within `plies` plies, if this is known without a search.
    /// Otherwise returns `None`.
    #[inline]
    fn at_sight(&mut self, game: &mut G, plies: u32, budget: &mut Budget) -> Result<Option<bool>, Stopped> {
        if let Some(outcome) = game.outcome() {
            return Ok(Some(self.goal.reached(outcome)));
        }
        if plies == 0 || !self.goal.draw_is_enough && !game.may_win_within(self.goal.side, plies) {
            return Ok(Some(false));
        }
        let attacker = game.side() == self.goal.side;
        if game.winning_move().is_some() {
            return Ok(Some(attacker));
        }
        if plies > 1 || self.goal.draw_is_enough {
            return Ok(None);
        }
        Ok(Some(!attacker && self.every_move_ends_it(game, budget)?))
    }

    /// Returns `true` if every legal move ends the game immediately and reaches the goal. The
    /// defender to move then loses with any move.
    fn every_move_ends_it(&mut self, game: &mut G, budget: &mut Budget) -> Result<bool, Stopped> {
        let first_move = self.moves.len();
        game.all_moves(&mut self.moves);
        let mut all = true;
        for i in first_move..self.moves.len() {
            if budget.tick().is_err() {
                self.moves.truncate(first_move);
                return Err(Stopped);
            }
            let mv = self.moves[i];
            all = game.with_move(mv, |game| game.outcome().is_some_and(|outcome| self.goal.reached(outcome)));
            if !all {
                break;
            }
        }
        self.moves.truncate(first_move);
        Ok(all)
    }

    fn bounds(&self, game: &G) -> (TableSlot, DistanceBounds) {
        let slot = self.table.slot(game.key());
        (slot, self.table.get(slot, self.kind).map_or(DistanceBounds::UNKNOWN, DistanceBounds::unpack))
    }

    /// Searches a position for which [`at_sight`](Self::at_sight) returns `None`.
    fn search(&mut self, game: &mut G, plies: u32, ply: usize, budget: &mut Budget) -> Result<bool, Stopped> {
        let left = game.plies_left().min(NEVER - 1);
        let plies = plies.min(left);
        // Searching two plies is faster than a look-up, because the killers usually contain a reply
        // that prevents an immediate win.
        let known = (plies >= 3).then(|| self.bounds(game));
        if let Some(answer) = known.and_then(|(_, bounds)| bounds.answer(plies)) {
            return Ok(answer);
        }
        let before = budget.spent();
        let (first_move, first_open) = (self.moves.len(), self.open.len());
        let result = self.children(game, plies, ply, known.map_or(0, |(_, bounds)| bounds.hint), budget);
        self.moves.truncate(first_move);
        self.open.truncate(first_open);
        let (answer, decided) = result?;
        if let Some(mv) = decided {
            self.remember(ply, mv);
        }
        if let Some((slot, mut bounds)) = known {
            if let Some(mv) = decided {
                bounds.hint = game.with_move(mv, |game| self.table.slot(game.key()).tag as u16);
            }
            if answer {
                bounds.within = bounds.within.min(plies);
            } else {
                bounds.not_within = bounds.not_within.max(if plies >= left { NEVER } else { plies });
            }
            self.table.put(slot, self.kind, bounds.pack(), budget.spent() - before);
        }
        Ok(answer)
    }

    /// Returns `true` if the goal is reached, and the move that decided this: a move that reaches
    /// the goal, or a reply that prevents the goal. The move is `None` if no single move decided.
    /// The caller must remove the entries that this function adds to the stacks `moves` and `open`.
    fn children(
        &mut self,
        game: &mut G,
        plies: u32,
        ply: usize,
        hint: u16,
        budget: &mut Budget,
    ) -> Result<(bool, Option<G::Move>), Stopped> {
        let attacker = game.side() == self.goal.side;
        let first = self.moves.len();
        game.moves(&mut self.moves);
        self.killers_first(first, ply);
        // Near the leaves, search each child immediately. With more plies left, look all children
        // up in the table first, because one of them may decide the position without a search.
        let at_once = plies <= 3;
        let first_open = self.open.len();
        for i in first..self.moves.len() {
            budget.tick()?;
            let mv = self.moves[i];
            let answer = game.with_move(mv, |game| match self.at_sight(game, plies - 1, budget) {
                Ok(None) if at_once => self.search(game, plies - 1, ply + 1, budget).map(Some),
                Ok(None) => {
                    let (slot, bounds) = self.bounds(game);
                    let answer = bounds.answer(plies - 1);
                    if answer.is_none() {
                        self.open.push((mv, slot.tag as u16));
                    }
                    Ok(answer)
                }
                decided => decided,
            });
            if answer? == Some(attacker) {
                return Ok((attacker, Some(mv)));
            }
        }
        if let Some(i) = (first_open..self.open.len()).find(|&i| hint != 0 && self.open[i].1 == hint) {
            self.open[first_open..=i].rotate_right(1);
        }
        for i in first_open..self.open.len() {
            let (mv, _) = self.open[i];
            let answer = game.with_move(mv, |game| self.search(game, plies - 1, ply + 1, budget));
            if answer? == attacker {
                return Ok((attacker, Some(mv)));
            }
        }
        Ok((!attacker, None))
    }

    /// Moves the killers of ply `ply` to the front of the moves that start at index `first`.
    fn killers_first(&mut self, first: usize, ply: usize) {
        let Some(killers) = self.killers.get(ply) else { return };
        for killer in killers.iter().rev().flatten() {
            if let Some(at) = self.moves[first..].iter().position(|mv| mv == killer) {
                self.moves[first..=first + at].rotate_right(1);
            }
        }
    }

    fn remember(&mut self, ply: usize, mv: G::Move) {
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [None, None]);
        }
        let killers = &mut self.killers[ply];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
    }
}
