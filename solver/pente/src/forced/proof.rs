//! Forced wins, checked by the plain rules.

use std::collections::HashMap;

use super::{AttackWidth, Budget, ForcedWinSearch, MAX_PLIES, Stopped};
use crate::rules::{Color, Outcome, Point, Position, Rules};

/// Plays the attacker's moves and every reply by the plain rules: the most plies to the win of the side
/// to move. `choose` gives its move wherever it has none that wins at once. Nothing if a move is missing
/// or can't be played, or leads to no win.
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
    if wins_at_once(rules, p).is_some() {
        return Some(1);
    }
    if let Some(&plies) = known.get(p) {
        return Some(plies);
    }
    let played = rules.play(p, choose(p)?).ok().filter(|played| played.outcome.is_none())?;
    let after = played.position;
    let mut most = 0;
    // The point that wins after one reply wins after most others too.
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
        again = wins_at_once(rules, &next);
        let plies = if again.is_some() { 1 } else { walk(rules, &next, choose, known)? };
        most = most.max(plies);
    }
    let plies = 2 + most;
    known.insert(*p, plies);
    Some(plies)
}

/// Returns whether a move is legal and wins at once.
fn wins_with(rules: &Rules, p: &Position, m: Point, attacker: Color) -> bool {
    rules.play(p, m).is_ok_and(|played| played.outcome == Some(Outcome::Win(attacker)))
}

/// A move that wins at once: of those that could, by the stones around.
fn wins_at_once(rules: &Rules, p: &Position) -> Option<Point> {
    let own = p.stones(p.to_move());
    let need = rules.options().win.saturating_sub(p.captured(p.to_move()));
    let options = rules.options();
    let cheap = options.over == crate::rules::Overline::Wins;
    rules.placements(p).find(|&m| {
        let could = !cheap
            || rules.line_through(own, m)
            || (options.capture.most() >= need && rules.taken(p, m).len() >= usize::from(need));
        could && wins_with(rules, p, m, p.to_move())
    })
}

impl ForcedWinSearch {
    /// Within how many plies the side to move wins by moves of this width, where the search finds a win
    /// within `plies`: each move is searched, and the whole checked by the plain rules. `None` if the search
    /// finds no such win. (A win that the search claimed and the rules refuted would be a mistake in this
    /// program; it is not reported.)
    ///
    /// # Errors
    /// If the work does not suffice.
    pub fn prove(
        &mut self,
        position: &Position,
        plies: u32,
        width: AttackWidth,
        work: &mut Budget,
    ) -> Result<Option<u32>, Stopped> {
        if self.win_within(position, plies, width, work)?.is_none() {
            return Ok(None);
        }
        let rules = *self.rules();
        let mut stopped = false;
        let mut choose = |p: &Position| {
            let found = self.strategy(p, plies, width, work);
            stopped |= found.is_err();
            found.ok().flatten()
        };
        let found = walk(&rules, position, &mut choose, &mut HashMap::new());
        if stopped { Err(Stopped) } else { Ok(found) }
    }

    /// A winning move for the attacker in a position of a forced win: the shortest win, by threats if
    /// that does.
    pub(super) fn strategy(
        &mut self,
        p: &Position,
        plies: u32,
        width: AttackWidth,
        work: &mut Budget,
    ) -> Result<Option<Point>, Stopped> {
        let plies = plies.min(MAX_PLIES);
        for width in [AttackWidth::Threats, width] {
            if let Some((m, _)) = self.shortest_win(p, plies, width, work)? {
                return Ok(Some(m));
            }
        }
        Ok(None)
    }
}
