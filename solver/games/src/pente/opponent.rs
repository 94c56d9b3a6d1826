//! The program as a player of Pente.
//!
//! The player plays a proven win, and avoids moves after which the search finds a win of the
//! opponent. Otherwise the player chooses the point of the greatest worth: for the own rows,
//! against the opponent's rows, and for captures.

use std::collections::BTreeMap;
use std::time::Duration;

use ::pentago::{Color, Question, Value};
use pentago_pente::rules::{Point, Position, Rules};
use pentago_pente::{Answer, Limits, Solver};

use crate::context::{SearchContext, time};
use crate::error::{Result, bad_input};

/// The number of nodes of the first search, whatever the time.
const LEAST_NODES: u64 = 300_000;
/// The depth of the first search in plies.
const LEAST_PLIES: u32 = 5;

/// The program as a player of Pente.
pub struct PenteOpponent<'a> {
    pub rules: Rules,
    pub solver: &'a mut Solver,
    pub question: &'a Question,
    pub context: &'a SearchContext<'a>,
}

impl PenteOpponent<'_> {
    /// Searches a number of nodes and plies, for at most `time`.
    fn solve(
        &mut self,
        p: &Position,
        (nodes, plies): (u64, u32),
        time: Duration,
        every_move: bool,
    ) -> Result<Answer> {
        let control = self.context.within(time);
        let answer = self.solver.solve(p, Limits { nodes, plies, control, distance: false, every_move });
        self.context.not_cancelled()?;
        Ok(answer)
    }

    /// Answers by the first search and, if there is time, by a deeper one. Both searches share the
    /// solver, so their answers agree.
    ///
    /// # Errors
    /// If the work was cancelled.
    pub fn answer(&mut self, p: &Position, every_move: bool) -> Result<Answer> {
        let first = self.solve(p, (LEAST_NODES, LEAST_PLIES), Duration::MAX, every_move)?;
        let known = |answer: &Answer| answer.value != Value::Unknown;
        let moves_known = || first.moves.iter().all(|m| m.value != Value::Unknown);
        // A forced move needs no deeper search.
        let forced = !every_move && self.rules.moves(p).len() == 1;
        let time = if forced { Duration::ZERO } else { time(self.question) };
        if time.is_zero() || known(&first) && (!every_move || moves_known()) {
            return Ok(first);
        }
        let mut deeper = self.solve(p, (u64::MAX, Limits::default().plies), time, every_move)?;
        if known(&first) && !known(&deeper) {
            return Ok(first);
        }
        // Losing moves of the first search stay losing moves.
        let lost = |m: Point| first.moves.iter().any(|a| a.m == m && a.value == Value::Loss);
        for m in deeper.moves.iter_mut().filter(|m| m.value == Value::Unknown && lost(m.m)) {
            m.value = Value::Loss;
        }
        if deeper.proved.is_empty() {
            deeper.proved = first.proved;
        }
        Ok(deeper)
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
            _ => choose(&self.rules, &answer),
        };
        let best = best.ok_or_else(|| bad_input("the game is over"))?;
        Ok((best, describe(&answer)))
    }
}

/// Returns the number of stones that each player has captured.
pub fn captures(p: &Position) -> Option<BTreeMap<&'static str, u16>> {
    Some([("o", p.captured(Color::O)), ("x", p.captured(Color::X))].into())
}

/// The worth that makes a win e times as likely, fitted to games of the program against itself.
const UNIT: f64 = 2000.0;

/// Returns a function that guesses the expected score of a move, 0 to 1, by the rows and captures
/// of both sides and by the worth of the point.
pub fn expected<'p>(rules: &'p Rules, p: &'p Position) -> impl Fn(Point) -> f64 + 'p {
    let before = standing(rules, p);
    move |m| 1.0 / (1.0 + (-((before + worth(rules, p, m)) as f64) / UNIT).exp())
}

/// Returns the worth of the rows that hold stones of only one side, and of captures, for the side
/// to move.
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

/// The directions in files and ranks, one of each two opposite ones.
const DIRECTIONS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// Counts the stones of the side to move and of the opponent in a row. Returns `None` if the row
/// leaves the board.
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

/// Returns the worth of a point for the side to move, by own rows, rows of the opponent, and
/// captures.
fn worth(rules: &Rules, p: &Position, m: Point) -> i64 {
    let k = rules.k() as isize;
    let mut worth = 0;
    for (files, ranks) in DIRECTIONS {
        // Rows through this point.
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

/// Returns the move of the greatest worth that is not known to lose, the first of equal ones.
fn choose(rules: &Rules, answer: &Answer) -> Option<Point> {
    let open: Vec<Point> = answer.moves.iter().filter(|m| m.value != Value::Loss).map(|m| m.m).collect();
    let all: Vec<Point> = if open.is_empty() { answer.moves.iter().map(|m| m.m).collect() } else { open };
    all.into_iter().rev().max_by_key(|&m| worth(rules, &answer.position, m))
}

fn describe(answer: &Answer) -> String {
    match answer.value {
        Value::Win => match answer.wins_within {
            Some(1) | None => "this wins".to_owned(),
            Some(plies) => format!("this wins within {plies} plies"),
        },
        Value::Draw => "a draw".to_owned(),
        Value::Loss => "lost against best play".to_owned(),
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
        // Stopping the three is worth more than a stone elsewhere, more so next to the three.
        assert!(of("J10") > of("A1") && of("D8") > of("A1") && of("K10") < of("J10"));
        let capture =
            rules.parse_position("19/19/19/19/19/19/19/19/19/5XXO11/19/4XO13/19/19/19/19/19/19/19 o");
        let p = capture.unwrap();
        let worth = |text: &str| worth(&rules, &p, rules.parse_move(text).unwrap());
        assert!(worth("E10") > worth("T19"));
    }
}
