//! Proofs of forced wins, checked by the plain rules.

use std::collections::HashMap;

use super::{Budget, Forced, MAX_PLIES, Stopped, Width};
use crate::rules::{Color, Move, Outcome, Position, Rules};

/// A proof: the attacker's move in each position that can arise where he has no winning move at
/// once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The position.
    pub position: Position,
    /// The attacker wins within this number of plies.
    pub plies: u32,
    /// His moves.
    pub moves: HashMap<Position, Move>,
}

/// A position for which a proof has no move, or a wrong one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Hole {
    /// The attacker has no move in the proof.
    #[error("the proof has no move for a position that arises")]
    Missing(Position),
    /// The move cannot be played, or the attacker does not win.
    #[error("the proof does not lead to a win")]
    Fails(Position),
}

/// Checks a proof by the plain rules alone: every reply is played. Returns within how many plies
/// the attacker wins, who is the side to move.
///
/// # Errors
/// If the proof has a hole.
pub fn verify(rules: &Rules, proof: &Proof) -> Result<u32, Hole> {
    let mut known = HashMap::new();
    let mut next = |p: &Position| proof.moves.get(p).copied();
    walk(rules, &proof.position, &mut next, &mut known)
}

/// Plays the attacker's moves and every reply; the most plies to the win.
fn walk(
    rules: &Rules,
    p: &Position,
    choose: &mut dyn FnMut(&Position) -> Option<Move>,
    known: &mut HashMap<Position, u32>,
) -> Result<u32, Hole> {
    let attacker = p.to_move();
    if rules.outcome(p).is_some() {
        return Err(Hole::Fails(*p));
    }
    if wins_at_once(rules, p).is_some() {
        return Ok(1);
    }
    if let Some(&plies) = known.get(p) {
        return Ok(plies);
    }
    let m = choose(p).ok_or(Hole::Missing(*p))?;
    let played = rules.play(p, m).map_err(|_| Hole::Fails(*p))?;
    if played.outcome.is_some() {
        return Err(Hole::Fails(*p));
    }
    let after = played.position;
    let mut most = 0;
    // The point that wins after one reply wins after most others too.
    let mut again: Option<Move> = None;
    for reply in rules.placements(&after) {
        let replied = rules.place(&after, reply);
        if replied.outcome.is_some() {
            return Err(Hole::Fails(replied.position));
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
    Ok(plies)
}

/// Returns whether a move is legal and wins at once.
fn wins_with(rules: &Rules, p: &Position, m: Move, attacker: Color) -> bool {
    rules.play(p, m).is_ok_and(|played| played.outcome == Some(Outcome::Win(attacker)))
}

/// A move that wins at once: of those that could, by the stones around.
fn wins_at_once(rules: &Rules, p: &Position) -> Option<Move> {
    let own = p.stones(p.to_move());
    let need = rules.options().win.saturating_sub(p.captured(p.to_move()));
    let options = rules.options();
    let cheap = options.over == crate::rules::Over::Wins;
    rules.placements(p).find(|&m| {
        let could = !cheap
            || rules.line_through(own, m)
            || (options.capture.most() >= need && rules.taken(p, m).len() >= usize::from(need));
        could && wins_with(rules, p, m, p.to_move())
    })
}

impl Forced {
    /// The proof that the side to move wins within `plies` plies by moves of this width: searched,
    /// and at the same time checked by the plain rules. `None` if the search finds no such win. (A
    /// win that the search claimed and the rules refuted would be a mistake in this program; it is
    /// not reported.)
    ///
    /// # Errors
    /// If the work does not suffice.
    pub fn prove(
        &mut self,
        position: &Position,
        plies: u32,
        width: Width,
        work: &mut Budget,
    ) -> Result<Option<Proof>, Stopped> {
        if self.win_within(position, plies, width, work)?.is_none() {
            return Ok(None);
        }
        let rules = *self.rules();
        let mut moves = HashMap::new();
        let mut known = HashMap::new();
        let mut stopped = false;
        let mut choose = |p: &Position| {
            let found = self.strategy(p, plies, width, work);
            stopped |= found.is_err();
            let m = found.ok().flatten()?;
            moves.insert(*p, m);
            Some(m)
        };
        let found = walk(&rules, position, &mut choose, &mut known);
        if stopped {
            return Err(Stopped);
        }
        Ok(found.ok().map(|plies| Proof { position: *position, plies, moves }))
    }

    /// A winning move for the attacker in a position of a proof: the shortest win, by threats if
    /// that does.
    pub(super) fn strategy(
        &mut self,
        p: &Position,
        plies: u32,
        width: Width,
        work: &mut Budget,
    ) -> Result<Option<Move>, Stopped> {
        let plies = plies.min(MAX_PLIES);
        for width in [Width::Threats, width] {
            if let Some((m, _)) = self.shortest_win(p, plies, width, work)? {
                return Ok(Some(m));
            }
        }
        Ok(None)
    }
}
