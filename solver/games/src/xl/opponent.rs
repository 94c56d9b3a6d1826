//! Pentago XL at the board.
//!
//! The program wins at once where it can, then looks for a forced win of a few plies, then for the
//! exact value where few sockets are left. Elsewhere it takes the move that leaves it the best
//! lines among those after which nobody else has a forced win within sight.

use std::time::Duration;

use pentago_base::counted_plies;
use pentago_search::Distance;
use pentago_xl::geometry::FIVES;
use pentago_xl::{
    Budget, Control, Kernel, Limits, Move, Position, Request, Rules, Seats, Solver, Value, WinSearch,
};

use super::NODES_PER_SECOND;
use crate::plain::out_of_memory;
use crate::{Question, Result, bad_input};

/// Exact values are asked for only with so many sockets free.
const LATE: usize = 44;
/// The most bytes for searches, and for dense solutions.
const MOST_MEMORY: u64 = 1 << 30;
/// The most plies of a forced win that is looked for.
const WIN_PLIES: u32 = 5;
/// The most plies of the others' forced wins that are looked for.
const LOSS_PLIES: u32 = 3;
/// Moves made by the shortest searches, whatever time there is.
const LEAST_NODES: u64 = 20_000;

/// The program as a player.
pub struct Opponent<'q> {
    pub rules: Rules,
    pub question: &'q Question<'q>,
}

impl Opponent<'_> {
    /// What stops work that begins now, after some time.
    fn within(&self, time: Duration) -> Control {
        Question { time, ..*self.question }.in_time()
    }

    /// The exact value for the side to move with a move that keeps it, if both are found.
    fn exact(&self, p: &Position, time: Duration) -> Result<Option<(Value, Move)>> {
        let rules = self.rules;
        if p.empty() > LATE && !rules.continues() {
            return Ok(None);
        }
        let memory = self.question.memory.min(MOST_MEMORY);
        let table_bytes = usize::try_from(memory / 8).unwrap_or(1 << 24).max(1 << 12);
        let nodes = ((time.as_secs_f64() * NODES_PER_SECOND) as u64).max(LEAST_NODES);
        let limits = Limits { nodes, table_bytes, memory, ..Limits::default() };
        let mut solver = Solver::new(rules, limits, Kernel::best()).map_err(out_of_memory)?;
        let request = Request { moves: rules.continues(), ..Request::default() };
        let answer = solver.solve(p, &request, &self.within(time));
        let answer = answer.map_err(|error| bad_input(error.to_string()))?;
        self.question.not_cancelled()?;
        let value = answer.of(p.to_move).value().filter(|&value| value > Value::Loss);
        let best = answer.best.or_else(|| answer.best_moves().first().copied());
        Ok(value.zip(best))
    }

    /// The move that is played in a position whose game is not over, and what is known of it.
    ///
    /// # Errors
    /// If it was stopped, or there isn't enough memory.
    pub fn think(&self, p: &Position) -> Result<(Move, String)> {
        let (rules, question, time) = (self.rules, self.question, self.question.time);
        if let Some(m) = rules.winning_move(p, Kernel::best()) {
            return Ok((m, "this wins".to_owned()));
        }
        let began = question.clock.now();
        let left = || time.saturating_sub(question.clock.since(began));
        let mut seen = 1;
        if !rules.continues() {
            // The nearest win first, in a third of the time.
            let limit = if time.is_zero() { LEAST_NODES } else { u64::MAX };
            let budget = Budget::watched(limit, &self.within(time / 3));
            let mut search = WinSearch::new(rules, rules.side_of(p.to_move), Kernel::best(), budget)
                .map_err(out_of_memory)?;
            let found = search.shortest(p, WIN_PLIES);
            let found = match found {
                Distance::Exactly(plies) => (found, search.winner(p, plies)),
                _ => (found, None),
            };
            question.not_cancelled()?;
            match found {
                (Distance::Exactly(plies), Some(m)) => {
                    return Ok((m, format!("this wins within {}", counted_plies(plies as usize))));
                }
                (Distance::Exactly(_), None) => {}
                (Distance::MoreThan(plies), _) => seen = plies,
                (Distance::Never, _) => seen = WIN_PLIES,
            }
        }
        let known = self.exact(p, left() / 2)?;
        let alone = rules.sides().len() == 2;
        if let Some((value, m)) = known {
            let says = match (value, alone) {
                (Value::Win, _) => "this wins",
                (_, true) => "a draw",
                (_, false) => "half of the points are sure",
            };
            return Ok((m, says.to_owned()));
        }
        let best = safest(&rules, p, question, &self.within(left()))?;
        let best = best.ok_or_else(|| bad_input("the game is over"))?;
        let says = match seen {
            1 => "not decided: no win at once".to_owned(),
            plies => format!("not decided: no forced win within {}", counted_plies(plies as usize)),
        };
        Ok((best, says))
    }
}

/// The worth of the lines that are open to only one seat: four times as much for each marble.
fn prospects(rules: &Rules, p: &Position, own: Seats) -> i64 {
    let worth = |line: &u128| {
        let mut worth = 0;
        for seat in rules.everyone().iter() {
            let marbles = (p.of(seat) & line).count_ones();
            let others = p.taken() & !p.of(seat) & line;
            if marbles > 0 && others == 0 {
                worth += if own.has(seat) { 1 << (2 * marbles) } else { -(1 << (2 * marbles)) };
            }
        }
        worth
    };
    FIVES.iter().map(worth).sum()
}

/// Prospects that make a win e times as likely: fitted to games of the program with itself.
const UNIT: f64 = 300.0;

/// The expected score of a side that leaves this position with a move, 0 to 1: a guess by the lines
/// that are open. None if the others win at once.
pub fn expected(rules: &Rules, own: Seats, next: &Position) -> f64 {
    if !own.has(next.to_move) && rules.can_win_at_once(next, Kernel::best()) {
        return 0.0;
    }
    1.0 / (1.0 + (-(prospects(rules, next, own) as f64) / UNIT).exp())
}

/// The moves that may be chosen, those with the best prospects first: none loses at once if there
/// is another.
fn candidates(rules: &Rules, p: &Position) -> Vec<(Move, Position)> {
    let own = rules.side_of(p.to_move);
    let kernel = Kernel::best();
    let mut moves: Vec<(i64, Move, Position)> = Vec::new();
    for m in rules.moves(p) {
        let Ok(played) = rules.play(p, m) else { continue };
        let next = played.position;
        let lost = match played.outcome {
            Some(outcome) => outcome.value(rules, p.to_move) == Value::Loss,
            None => !own.has(next.to_move) && rules.can_win_at_once(&next, kernel),
        };
        let penalty = if lost { i64::from(u32::MAX) } else { 0 };
        moves.push((prospects(rules, &next, own) - penalty, m, next));
    }
    // Of equals the first in the order of the moves.
    moves.sort_by_key(|&(worth, ..)| std::cmp::Reverse(worth));
    moves.into_iter().map(|(_, m, next)| (m, next)).collect()
}

/// The first of the candidates after which no other side is seen to win by force.
fn safest(rules: &Rules, p: &Position, question: &Question, control: &Control) -> Result<Option<Move>> {
    let all = candidates(rules, p);
    let first = all.first().map(|&(m, _)| m);
    if rules.continues() {
        return Ok(first);
    }
    let own = rules.side_of(p.to_move);
    let others = rules.sides().into_iter().filter(|&side| side != own);
    let budget = || Budget::watched(u64::MAX, control);
    let mut searches: Vec<WinSearch> = others
        .map(|side| WinSearch::new(*rules, side, Kernel::best(), budget()))
        .collect::<std::result::Result<_, _>>()
        .map_err(out_of_memory)?;
    for (m, next) in all {
        let over = rules.outcome(&next).is_some();
        let lost =
            |search: &mut WinSearch| matches!(search.shortest(&next, LOSS_PLIES), Distance::Exactly(_));
        let refuted = !over && searches.iter_mut().any(lost);
        question.not_cancelled()?;
        if !refuted {
            return Ok(Some(m));
        }
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_all_moves_and_those_that_lose_at_once_come_last() {
        for text in ["xl", "xl:seats=3", "xl:seats=4,mode=2v2", "xl:seats=4,continue=yes"] {
            let rules: Rules = text.parse().unwrap();
            let mut divided = 0;
            for p in rules.random_positions(40, 3, 3, true).unwrap() {
                let all = candidates(&rules, &p);
                assert_eq!(all.len(), rules.moves(&p).len());
                let loses = |next: &Position| {
                    !rules.side_of(p.to_move).has(next.to_move)
                        && rules.outcome(next).is_none()
                        && rules.wins_at_once(next)
                };
                let first = all.iter().position(|(_, next)| loses(next)).unwrap_or(all.len());
                let over = |next: &Position| rules.outcome(next).is_some();
                assert!(all[first..].iter().all(|(_, next)| loses(next) || over(next)), "{text}");
                divided += usize::from((1..all.len()).contains(&first));
            }
            assert!(divided > 0, "no position of {text} has moves of both kinds");
        }
    }
}
