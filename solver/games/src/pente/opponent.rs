//! The program as a computer player of Pente.
//!
//! The player plays a proven win, and avoids moves after which the search finds a win of the
//! opponent. Otherwise the player chooses the point of the greatest worth. The worth of a point
//! rates own rows, rows of the opponent, and captures.

use std::collections::BTreeMap;
use std::time::Duration;

use ::pentago::{Color, Question, Value};
use pentago_pente::rules::{Point, Position, Rules};
use pentago_pente::{Answer, Limits, Solver};

use crate::context::{SearchContext, time};
use crate::error::{Result, bad_input};

/// The number of nodes of the first search, regardless of the time limit.
const LEAST_NODES: u64 = 300_000;
/// The depth of the first search in plies.
const LEAST_PLIES: u32 = 5;

/// A computer player of Pente.
pub struct PenteOpponent<'a> {
    pub rules: Rules,
    pub solver: &'a mut Solver,
    pub question: &'a Question,
    pub context: &'a SearchContext<'a>,
}

impl PenteOpponent<'_> {
    /// Searches a position with limits on the number of nodes, the depth in plies, and the time.
    fn solve(
        &mut self,
        p: &Position,
        (nodes, plies): (u64, u32),
        time: Duration,
        every_move: bool,
    ) -> Result<Answer> {
        let control = self.context.within(time);
        let answer = self.solver.solve(p, Limits { nodes, plies, control, distance: false, every_move });
        self.context.control.add(answer.nodes);
        self.context.not_cancelled()?;
        Ok(answer)
    }

    /// Answers by the first search and, if time is left, by a deeper search. Both searches share
    /// the solver, so their answers agree.
    ///
    /// # Errors
    /// If the work was cancelled.
    pub fn answer(&mut self, p: &Position, every_move: bool) -> Result<Answer> {
        let first = self.solve(p, (LEAST_NODES, LEAST_PLIES), Duration::MAX, every_move)?;
        let known = |answer: &Answer| answer.value != Value::Unknown;
        let moves_known = || first.moves.iter().all(|m| m.value != Value::Unknown);
        // If only one move is legal, no deeper search is needed.
        let forced = !every_move && self.rules.moves(p).len() == 1;
        let time = if forced { Duration::ZERO } else { time(self.question) };
        if time.is_zero() || known(&first) && (!every_move || moves_known()) {
            return Ok(first);
        }
        let mut deeper = self.solve(p, (u64::MAX, Limits::default().plies), time, every_move)?;
        if known(&first) && !known(&deeper) {
            return Ok(first);
        }
        // The first search may have proved losses that the deeper search left unknown.
        let lost = |m: Point| first.moves.iter().any(|a| a.m == m && a.value == Value::Loss);
        for m in deeper.moves.iter_mut().filter(|m| m.value == Value::Unknown && lost(m.m)) {
            m.value = Value::Loss;
        }
        if deeper.proved.is_empty() {
            deeper.proved = first.proved;
        }
        Ok(deeper)
    }

    /// Finds the number of plies to the end after each move of a lost position.
    fn lengths(&mut self, p: &Position) -> Result<Answer> {
        let control = self.context.within(time(self.question));
        let limits = Limits { nodes: LEAST_NODES, control, distance: true, ..Limits::default() };
        let answer = self.solver.solve(p, limits);
        self.context.control.add(answer.nodes);
        self.context.not_cancelled()?;
        Ok(answer)
    }

    /// Chooses a move in a position whose game is not over. Also describes the position in a few
    /// words.
    ///
    /// # Errors
    /// If the work was cancelled.
    pub fn think(&mut self, p: &Position) -> Result<(Point, String)> {
        let answer = self.answer(p, false)?;
        let best = match answer.best_moves().first() {
            Some(best) if answer.value != Value::Loss => Some(best.m),
            _ if answer.value == Value::Loss => {
                let answer = self.lengths(p)?;
                choose(&self.rules, &answer)
            }
            _ => choose(&self.rules, &answer),
        };
        let best = best.ok_or_else(|| bad_input("the game is over"))?;
        Ok((best, describe(&answer)))
    }
}

/// Returns the number of stones that each player has captured, keyed by `x` and `o`.
pub fn captures(p: &Position) -> Option<BTreeMap<&'static str, u16>> {
    Some([("o", p.captured(Color::O)), ("x", p.captured(Color::X))].into())
}

/// The difference in worth that multiplies the odds of a win by e. Fitted to games of the program
/// against itself.
const UNIT: f64 = 2000.0;

/// Returns a function that guesses the expected score of a move, from 0 to 1. The guess uses the
/// rows and captures of both sides and the worth of the point.
pub fn expected<'p>(rules: &'p Rules, p: &'p Position) -> impl Fn(Point) -> f64 + 'p {
    let before = standing(rules, p);
    move |m| 1.0 / (1.0 + (-((before + worth(rules, p, m)) as f64) / UNIT).exp())
}

/// Returns the worth of a position for the side to move: the worth of its captures and of the rows
/// that hold stones of only one side.
fn standing(rules: &Rules, p: &Position) -> i64 {
    let (own, other) = (p.to_move(), p.to_move().other());
    let mut standing = 30 * (i64::from(p.captured(own)) - i64::from(p.captured(other)));
    for start in (0..rules.height())
        .flat_map(|rank| (0..rules.width()).filter_map(move |file| rules.point(file, rank)))
    {
        for (files, ranks) in DIRECTIONS {
            standing += match row(rules, p, start, (files, ranks)) {
                Some((own, 0)) if own > 0 => 4i64.pow(own),
                Some((0, other)) if other > 0 => -4i64.pow(other),
                _ => 0,
            };
        }
    }
    standing
}

/// The steps, in files and ranks, along the four lines through a point. Each line has only one of
/// its two directions here.
const DIRECTIONS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// Counts the stones of the side to move and of the opponent in the row that begins at `start`.
/// Returns `None` if the row extends beyond the board.
fn row(rules: &Rules, p: &Position, start: Point, (files, ranks): (isize, isize)) -> Option<(u32, u32)> {
    let (own, other) = (p.stones(p.to_move()), p.stones(p.to_move().other()));
    let mut counts = (0, 0);
    for i in 0..rules.k() as isize {
        let point = rules.step(start, i * files, i * ranks)?;
        counts.0 += u32::from(own.contains(point));
        counts.1 += u32::from(other.contains(point));
    }
    Some(counts)
}

/// Returns the worth of a point for the side to move, according to own rows, rows of the opponent,
/// and captures.
fn worth(rules: &Rules, p: &Position, m: Point) -> i64 {
    let k = rules.k() as isize;
    let mut worth = 0;
    for (files, ranks) in DIRECTIONS {
        // Add the worth of each row that contains this point.
        for first in 1 - k..=0 {
            let start = rules.step(m, first * files, first * ranks);
            worth += match start.and_then(|start| row(rules, p, start, (files, ranks))) {
                Some((own, 0)) => 4i64.pow(own + 1),
                Some((0, other)) => 4i64.pow(other + 1) * 3 / 4,
                _ => 0,
            };
        }
    }
    let taken = rules.taken(p, m).len() as i64;
    let captured = i64::from(p.captured(p.to_move()));
    worth + taken * (40 + 10 * captured)
}

/// Returns the move of the greatest worth among the moves that are not known to lose, or among the
/// moves with the longest resistance if all lose. Of equal moves, returns the first.
fn choose(rules: &Rules, answer: &Answer) -> Option<Point> {
    let best = answer.moves.iter().rev().max_by_key(|m| {
        // A loss of unknown distance counts as longer than every loss of known distance.
        let resistance = match m.value {
            Value::Loss => (false, m.distance.unwrap_or(u32::MAX)),
            _ => (true, 0),
        };
        (resistance, worth(rules, &answer.position, m.m))
    });
    best.map(|m| m.m)
}

fn describe(answer: &Answer) -> String {
    match answer.value {
        Value::Win => match answer.wins_within {
            Some(1) | None => "this wins".to_owned(),
            Some(plies) => format!("this wins within {plies} plies"),
        },
        Value::Draw => "a draw".to_owned(),
        Value::Loss => "loses against best play".to_owned(),
        Value::Unknown => match answer.proved.first() {
            Some(proved) => format!("not decided: {proved}"),
            None => "not decided".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_captures_are_worth_more() {
        let rules: Rules = "pente:opening=free".parse().unwrap();
        let p = rules.parse_position("19/19/19/19/19/19/19/19/19/5XXX11/19/4OO13/19/19/19/19/19/19/19 o");
        let p = p.unwrap();
        let of = |text: &str| worth(&rules, &p, rules.parse_move(text).unwrap());
        // Blocking the row of three is worth more than a stone elsewhere. A block next to the row
        // is worth more than a block one point further away.
        assert!(of("J10") > of("A1") && of("D8") > of("A1") && of("K10") < of("J10"));
        let capture =
            rules.parse_position("19/19/19/19/19/19/19/19/19/5XXO11/19/4XO13/19/19/19/19/19/19/19 o");
        let p = capture.unwrap();
        let worth = |text: &str| worth(&rules, &p, rules.parse_move(text).unwrap());
        assert!(worth("E10") > worth("T19"));
    }
}
