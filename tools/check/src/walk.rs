//! Plays every reply to the moves of a certificate.
//!
//! The walk goes depth first. If the attacker is to move and has a move that wins immediately, the
//! walk goes no deeper. Otherwise the walk plays the next move of the certificate, unless the same
//! position was already proved. If another seat is to move, the walk plays every legal move, in the
//! order that the format defines.

use std::collections::HashMap;
use std::str::SplitAsciiWhitespace;

use crate::failure::Failure;
use crate::rules::{Move, MoveResult, Places, Rules};

/// The goal of the attacker.
#[derive(Clone, Copy)]
pub struct Goal {
    /// For each seat, `true` if the seat belongs to the attacker.
    pub seats: [bool; 4],
    /// `true` if the attacker must have the first place alone, and `false` if the attacker may
    /// share the first place.
    pub alone: bool,
}

impl Goal {
    fn reached(self, places: Places) -> bool {
        let first = |own: bool| (0..4).any(|seat| self.seats[seat] == own && places[seat] == 1);
        first(true) && !(self.alone && first(false))
    }
}

/// Plays the moves of a certificate and every reply to them. Returns the maximum number of plies
/// until the goal is reached, the number of certificate moves played, and the number of replies
/// played.
///
/// # Errors
/// If the goal is missed, if a move isn't legal, or if there are too few or too many moves.
pub fn walk<R: Rules>(
    rules: &R,
    start: &R::State,
    goal: Goal,
    moves: &str,
) -> Result<(u32, u64, u64), Failure> {
    let mut walk = ReplyWalk {
        rules,
        goal,
        next: moves.split_ascii_whitespace(),
        known: HashMap::new(),
        moves: Vec::new(),
        winners: Vec::new(),
        positions: 0,
        replies: 0,
    };
    let plies = walk.walk(start)?;
    if walk.next.next().is_some() {
        return Err(Failure::Malformed("there are more moves than positions".into()));
    }
    Ok((plies, walk.positions, walk.replies))
}

/// The maximum number of recently winning moves that are tried first.
const WINNERS: usize = 16;

struct ReplyWalk<'a, R: Rules> {
    rules: &'a R,
    goal: Goal,
    next: SplitAsciiWhitespace<'a>,
    /// The maximum number of plies to the goal, keyed by proved position with the attacker to move.
    /// Each entry consumes a move of the certificate, so the size of the certificate bounds the
    /// memory.
    known: HashMap<R::State, u32>,
    /// A stack that contains the legal moves of all positions on the current path.
    moves: Vec<Move>,
    /// The moves that recently won in other positions, the latest move first. The same winning move
    /// usually works against all replies that ignore the threat.
    winners: Vec<Move>,
    positions: u64,
    replies: u64,
}

impl<R: Rules> ReplyWalk<'_, R> {
    fn walk(&mut self, state: &R::State) -> Result<u32, Failure> {
        if !self.goal.seats[self.rules.to_move(state)] {
            return self.replies(state);
        }
        // Positions in `known` have no immediate win, so the order of this check and the following
        // check affects only the speed.
        if let Some(at) = self.winners.iter().position(|&mv| self.wins(state, mv)) {
            self.winners[..=at].rotate_right(1);
            return Ok(1);
        }
        if let Some(&plies) = self.known.get(state) {
            return Ok(plies);
        }
        if self.wins_at_once(state) {
            return Ok(1);
        }
        let text = self.next.next().ok_or(Failure::Refuted("the moves end before the proof".into()))?;
        self.positions += 1;
        let refused = |why: &str| Failure::Refuted(format!("move {}, {text}: {why}", self.positions));
        let mv = self.rules.read_move(text).ok_or_else(|| refused("not a move"))?;
        let after = self.rules.play(state, mv).map_err(refused)?;
        let plies = 1 + self.after(after)?;
        self.known.insert(state.clone(), plies);
        Ok(plies)
    }

    fn after(&mut self, after: MoveResult<R::State>) -> Result<u32, Failure> {
        match after {
            MoveResult::Over(places) if self.goal.reached(places) => Ok(0),
            MoveResult::Over(_) => {
                Err(Failure::Refuted(format!("the goal is missed after move {}", self.positions)))
            }
            MoveResult::Goes(state) => self.walk(&state),
        }
    }

    /// Plays every legal move of a seat that doesn't belong to the attacker. Returns the maximum
    /// number of plies until the attacker reaches the goal.
    fn replies(&mut self, state: &R::State) -> Result<u32, Failure> {
        let first = self.moves.len();
        self.rules.moves(state, &mut self.moves);
        if self.moves.len() == first {
            return Err(Failure::Refuted("the position has no legal reply, but the game is not over".into()));
        }
        let mut most = 0;
        for at in first..self.moves.len() {
            self.replies += 1;
            let after = self.rules.play(state, self.moves[at]);
            let after = after.map_err(|why| Failure::Refuted(format!("a legal move is refused: {why}")))?;
            most = most.max(self.after(after)?);
        }
        self.moves.truncate(first);
        Ok(1 + most)
    }

    /// Returns `true` if this move ends the game and gives the attacker the first place alone.
    fn wins(&self, state: &R::State, mv: Move) -> bool {
        let win = Goal { alone: true, ..self.goal };
        self.rules.won_by(state, mv).is_some_and(|places| win.reached(places))
    }

    /// Returns `true` if the attacker has a move that wins immediately. Adds this move to the moves
    /// that are tried first in later positions.
    fn wins_at_once(&mut self, state: &R::State) -> bool {
        let first = self.moves.len();
        self.rules.moves(state, &mut self.moves);
        let found = (first..self.moves.len()).map(|at| self.moves[at]).find(|&mv| self.wins(state, mv));
        self.moves.truncate(first);
        let Some(mv) = found else { return false };
        self.winners.truncate(WINNERS - 1);
        self.winners.insert(0, mv);
        true
    }
}
