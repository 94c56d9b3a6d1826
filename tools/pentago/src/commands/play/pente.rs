//! Pente at the board.
//!
//! The program plays a win that it can prove, avoids moves after which it sees the opponent win, and
//! otherwise takes the point that serves its own rows, hinders the opponent's, or captures.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Context;
use pentago_pente::rules::{Move, Outcome, Position, Record, Rules};
use pentago_pente::{Answer, Limits, Solver, Verdict};

use super::board::{Board, STONES, Thought};
use crate::args::SolverArgs;
use crate::exit::bad_input;
use crate::games;
use crate::interrupt;
use crate::picture::Look;

/// The most bytes for searches.
const MOST_MEMORY: u64 = 1 << 28;
/// The first search, whatever time there is: so many moves, so many plies.
const LEAST_NODES: u64 = 300_000;
const LEAST_PLIES: u32 = 5;

/// A game of Pente, with the solver that plays it.
pub struct PenteBoard {
    record: Record,
    now: Position,
    solver: Solver,
}

impl PenteBoard {
    /// A game from a position on, by default the empty board.
    ///
    /// # Errors
    /// If there is no such position, or not enough memory.
    pub fn new(rules: Rules, position: Option<&str>, args: &SolverArgs) -> anyhow::Result<PenteBoard> {
        let start = match position {
            Some(text) => rules.parse_position(text).map_err(|error| bad_input(error.to_string()))?,
            None => rules.start(),
        };
        let record = Record::from_position(rules, start, Vec::new());
        let record = record.map_err(|(_, error)| bad_input(error.to_string()))?;
        PenteBoard::of(record, args)
    }

    /// A saved game, or one in the text of pente.org.
    ///
    /// # Errors
    /// If the text is none, or there is not enough memory.
    pub fn load(text: &str, args: &SolverArgs) -> anyhow::Result<PenteBoard> {
        PenteBoard::of(Record::parse(text, None).map_err(|error| bad_input(error.to_string()))?, args)
    }

    fn of(record: Record, args: &SolverArgs) -> anyhow::Result<PenteBoard> {
        let memory = args.memory().min(MOST_MEMORY);
        let solver = Solver::new(&record.rules, memory).context("not enough memory")?;
        Ok(PenteBoard { now: record.last(), record, solver })
    }

    /// What is found out with so many nodes until some time.
    fn solve(
        &mut self,
        (nodes, plies): (u64, u32),
        end: Option<Instant>,
        every_move: bool,
    ) -> anyhow::Result<Answer> {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let control = interrupt::within(left.unwrap_or(Duration::MAX));
        let limits = Limits { nodes, plies, control, distance: false, every_move };
        let answer = self.solver.solve(&self.now, limits);
        if interrupt::control().is_cancelled() { Err(pentago::Stopped.into()) } else { Ok(answer) }
    }

    /// What is found out in so much time, and by the first search at least: by the same solver for all
    /// questions, so that their answers agree.
    fn answer(&mut self, time: Duration, every_move: bool) -> anyhow::Result<Answer> {
        let end = Instant::now().checked_add(time);
        let first = self.solve((LEAST_NODES, LEAST_PLIES), None, every_move)?;
        let known = |answer: &Answer| answer.value != Verdict::Unknown;
        let moves_known = || first.moves.iter().all(|m| m.value != Verdict::Unknown);
        if time.is_zero() || known(&first) && (!every_move || moves_known()) {
            return Ok(first);
        }
        let mut deeper = self.solve((u64::MAX, Limits::default().plies), end, every_move)?;
        if known(&first) && !known(&deeper) {
            return Ok(first);
        }
        // What the first search has seen to lose, loses.
        let lost = |m: Move| first.moves.iter().any(|a| a.m == m && a.value == Verdict::Loss);
        for m in deeper.moves.iter_mut().filter(|m| m.value == Verdict::Unknown && lost(m.m)) {
            m.value = Verdict::Loss;
        }
        if deeper.proved.is_empty() {
            deeper.proved = first.proved;
        }
        Ok(deeper)
    }
}

/// The worth of a point for the side to move: own rows, the opponent's that it hinders, captures.
fn worth(rules: &Rules, p: &Position, m: Move) -> i64 {
    let (own, other) = (p.stones(p.to_move()), p.stones(p.to_move().other()));
    let k = rules.k() as isize;
    let mut worth = 0;
    for (files, ranks) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
        for first in 1 - k..=0 {
            // A row of k points through this one, if the board has it.
            let row = (first..first + k).map(|i| rules.step(m, i * files, i * ranks));
            let Some(row) = row.collect::<Option<Vec<Move>>>() else { continue };
            let count = |stones: &pentago_pente::rules::Points| {
                row.iter().filter(|&&point| stones.contains(point)).count() as u32
            };
            worth += match (count(own), count(other)) {
                (own, 0) => 4i64.pow(own + 1),
                (0, other) => 4i64.pow(other + 1) * 3 / 4,
                _ => 0,
            };
        }
    }
    let taken = rules.taken(p, m).len() as i64;
    let captured = i64::from(p.captured(p.to_move()));
    worth + taken * (40 + 10 * captured)
}

/// The best of the moves that are not known to lose, by their worth; the first of equals.
fn choose(rules: &Rules, answer: &Answer) -> Option<Move> {
    let open: Vec<Move> = answer.moves.iter().filter(|m| m.value != Verdict::Loss).map(|m| m.m).collect();
    let all: Vec<Move> = if open.is_empty() { answer.moves.iter().map(|m| m.m).collect() } else { open };
    all.into_iter().rev().max_by_key(|&m| worth(rules, &answer.position, m))
}

fn describe(answer: &Answer) -> String {
    match answer.value {
        Verdict::Win => match answer.wins_within {
            Some(1) | None => "this wins".to_owned(),
            Some(plies) => format!("this wins within {plies} plies"),
        },
        Verdict::Draw => "a draw".to_owned(),
        Verdict::Loss => "lost against best play".to_owned(),
        Verdict::Unknown => match answer.proved.first() {
            Some(proved) => format!("not decided: {proved}"),
            None => "not decided".to_owned(),
        },
    }
}

fn ended(outcome: Outcome) -> String {
    match outcome {
        Outcome::Win(winner) => format!("{} has won", winner.letter()),
        Outcome::Draw => "a draw".to_owned(),
    }
}

impl Board for PenteBoard {
    fn rules(&self) -> String {
        self.record.rules.to_string()
    }

    fn seats(&self) -> &'static str {
        "xo"
    }

    fn example(&self) -> &'static str {
        // The centre of the large board; a point that every board has.
        if self.record.rules.parse_move("K10").is_ok() { "K10" } else { "A1" }
    }

    fn help(&self) -> &'static str {
        STONES
    }

    fn to_move(&self) -> char {
        self.now.to_move().letter()
    }

    fn over(&self) -> Option<String> {
        self.record.result.map(ended)
    }

    fn movers(&self) -> Vec<char> {
        let first = self.record.start.to_move();
        let mover = |i: usize| if i.is_multiple_of(2) { first } else { first.other() };
        (0..self.record.moves.len()).map(|i| mover(i).letter()).collect()
    }

    fn play(&mut self, text: &str) -> Result<(), String> {
        let rules = self.record.rules;
        let m = rules.parse_move(text).map_err(|error| error.to_string())?;
        if self.record.result.is_some() {
            return Err("Illegal move: the game is over.".to_owned());
        }
        let played = rules.play(&self.now, m).map_err(|error| format!("Illegal move: {error}."))?;
        self.record.moves.push(m);
        self.record.result = played.outcome;
        self.now = played.position;
        Ok(())
    }

    fn resign(&mut self) -> bool {
        let open = self.record.result.is_none();
        if open {
            self.record.result = Some(Outcome::Win(self.now.to_move().other()));
        }
        open
    }

    fn is_resigned(&self) -> bool {
        self.record.result.is_some() && self.record.rules.outcome(&self.now).is_none()
    }

    fn take_back(&mut self) {
        if !self.is_resigned() {
            self.record.moves.pop();
        }
        self.now = self.record.last();
        self.record.result = self.record.rules.outcome(&self.now);
    }

    fn think(&mut self, time: Duration) -> anyhow::Result<Thought> {
        let rules = self.record.rules;
        // A move that must be played needs no thought.
        let forced = rules.moves(&self.now).len() == 1;
        let answer = self.answer(if forced { Duration::ZERO } else { time }, false)?;
        let best = match answer.best_moves().first() {
            Some(best) if answer.value != Verdict::Loss => Some(best.m),
            _ => choose(&rules, &answer),
        };
        let best = best.context("a position whose game goes on has moves")?;
        Ok(Thought { mv: rules.format_move(best), says: describe(&answer) })
    }

    fn moves(&mut self, time: Duration, mut out: &mut dyn Write) -> anyhow::Result<()> {
        games::pente_report(self.record.rules, &self.answer(time, true)?).write_moves(&mut out)?;
        Ok(())
    }

    fn value(&mut self, time: Duration, mut out: &mut dyn Write) -> anyhow::Result<()> {
        games::pente_report(self.record.rules, &self.answer(time, true)?).write_value(&mut out)?;
        Ok(())
    }

    fn drawing(&self, _: Look) -> String {
        let diagram = self.record.rules.diagram(&self.now);
        // The last line is the side to move.
        diagram.rsplit_once('\n').map_or(diagram.as_str(), |(board, _)| board).to_owned() + "\n"
    }

    fn record(&self) -> String {
        self.record.clone().with_headers().format()
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
        // To stop the three is worth more than a stone elsewhere, near more than far.
        assert!(of("J10") > of("A1") && of("D8") > of("A1") && of("K10") < of("J10"));
        let capture =
            rules.parse_position("19/19/19/19/19/19/19/19/19/5XXO11/19/4XO13/19/19/19/19/19/19/19 o");
        let p = capture.unwrap();
        let worth = |text: &str| worth(&rules, &p, rules.parse_move(text).unwrap());
        assert!(worth("E10") > worth("T19"));
    }
}
