//! Forced wins, checked by the plain rules.

use std::collections::HashMap;

use pentago_base::{Budget, Stopped};

use super::{AttackWidth, ForcedWinSearch};
use crate::rules::{Color, Outcome, Overline, Point, Position, Rules};

/// Plays the attacker's moves and every reply by the plain rules. Returns the largest number of
/// plies until the side to move wins.
///
/// `choose` returns a move for each position without an immediate win. `known` caches results. The
/// function returns `None` if a move is missing, illegal, or leads to no win.
pub(super) fn walk(
    rules: &Rules,
    p: &Position,
    choose: &mut dyn FnMut(&Position) -> Option<Point>,
    known: &mut HashMap<Position, u32>,
) -> Option<u32> {
    let attacker = p.to_move();
    if rules.outcome(p).is_some() {
        return None;
    }
    if immediate_win(rules, p).is_some() {
        return Some(1);
    }
    if let Some(&plies) = known.get(p) {
        return Some(plies);
    }
    let played = rules.play(p, choose(p)?).ok().filter(|played| played.outcome.is_none())?;
    let after = played.position;
    let mut most = 0;
    // A point that wins after one reply also wins after most other replies, so try that point
    // first.
    let mut again: Option<Point> = None;
    for reply in rules.placements(&after) {
        let replied = rules.place(&after, reply);
        if replied.outcome.is_some() {
            return None;
        }
        let next = replied.position;
        if again.is_some_and(|m| wins_with(rules, &next, m, attacker)) {
            most = most.max(1);
            continue;
        }
        again = immediate_win(rules, &next);
        let plies = if again.is_some() { 1 } else { walk(rules, &next, choose, known)? };
        most = most.max(plies);
    }
    let plies = 2 + most;
    known.insert(*p, plies);
    Some(plies)
}

/// Returns `true` if a move is legal and wins immediately.
fn wins_with(rules: &Rules, p: &Position, m: Point, attacker: Color) -> bool {
    rules.play(p, m).is_ok_and(|played| played.outcome == Some(Outcome::Win(attacker)))
}

/// Returns a move that wins immediately, or `None` if there is no such move. Plays a move only
/// after a cheap test of the stones around the point.
fn immediate_win(rules: &Rules, p: &Position) -> Option<Point> {
    let own = p.stones(p.to_move());
    let options = rules.options();
    let need = options.win.saturating_sub(p.captured(p.to_move()));
    rules.placements(p).find(|&m| {
        // With `over=no`, a line can also win without a new stone in the line, so try every move.
        let could = options.over == Overline::Nothing
            || rules.line_through(own, m)
            || (options.capture.most() >= need && rules.taken(p, m).len() >= usize::from(need));
        could && wins_with(rules, p, m, p.to_move())
    })
}

impl ForcedWinSearch {
    /// Proves a win of the side to move by the plain rules. Returns the number of plies within
    /// which the moves of this width win, or `None` if the search finds no win within `plies`
    /// plies.
    ///
    /// The function searches for a move in each position of the proof. If the plain rules refute a
    /// win that the search found, which would be a bug in the search, the function also returns
    /// `None`.
    ///
    /// # Errors
    /// [`Stopped`] if the budget does not suffice.
    pub fn prove(
        &mut self,
        position: &Position,
        plies: u32,
        width: AttackWidth,
        budget: &mut Budget,
    ) -> Result<Option<u32>, Stopped> {
        if self.win_within(position, plies, width, budget)?.is_none() {
            return Ok(None);
        }
        let rules = *self.rules();
        let mut stopped = false;
        let mut choose = |p: &Position| {
            let found = self.strategy(p, plies, width, budget);
            stopped |= found.is_err();
            found.ok().flatten()
        };
        let found = walk(&rules, position, &mut choose, &mut HashMap::new());
        if stopped { Err(Stopped) } else { Ok(found) }
    }

    /// Returns the first move of a shortest win by threats alone. If there is no such win, returns
    /// the first move of a shortest win by moves that `width` allows. Returns `None` if neither
    /// search finds a win within `plies` plies.
    pub(super) fn strategy(
        &mut self,
        p: &Position,
        plies: u32,
        width: AttackWidth,
        budget: &mut Budget,
    ) -> Result<Option<Point>, Stopped> {
        for width in [AttackWidth::Threats, width] {
            if let Some((m, _)) = self.shortest_win(p, plies, width, budget)? {
                return Ok(Some(m));
            }
        }
        Ok(None)
    }
}
