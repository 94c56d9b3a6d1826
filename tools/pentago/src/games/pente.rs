//! Pente.

use anyhow::Context;
use pentago::Value;
use pentago_pente::forced::{Forced, MAX_PLIES, Width};
use pentago_pente::rules::random::{self, Play};
use pentago_pente::{Answer, Limits, Outcome, Position, Rules, Solver, Verdict};
use pentago_search::{Budget, Certificate, NoCertificate};

use super::report::{MoveReport, Report};
use super::{Draw, Game, Question, game_over, no_certificate};
use crate::exit::{bad_input, missing_data};
use crate::output::counted_plies;

/// The most bytes of the tables of searches: more doesn't make them faster.
const MOST_MEMORY: u64 = 4 << 30;

/// The game, with what a solver may take.
pub struct Pente {
    rules: Rules,
    memory: u64,
}

impl Pente {
    /// The game by these rules.
    pub fn new(rules: Rules, question: &Question) -> Pente {
        Pente { rules, memory: question.memory.min(MOST_MEMORY) }
    }

    /// Its rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }
}

fn value_of(verdict: Verdict) -> Value {
    match verdict {
        Verdict::Win => Value::Win,
        Verdict::Draw => Value::Draw,
        Verdict::Loss => Value::Loss,
        Verdict::Unknown => Value::Unknown,
    }
}

/// What an answer says.
pub fn report(rules: Rules, answer: &Answer) -> Report {
    let position = &answer.position;
    let [x, o] = answer.captures();
    let mut proved: Vec<String> = answer.proved.iter().map(ToString::to_string).collect();
    if let Some(plies) = answer.wins_within.filter(|_| answer.distance.is_none()) {
        proved.push(format!("a win within {}", counted_plies(plies)));
    }
    let moves = answer.moves.iter().map(|m| MoveReport {
        text: rules.format_move(m.m),
        value: value_of(m.value),
        source: None,
        distance: m.distance,
        position: rules.format_position(&m.position),
    });
    let over = rules.outcome(position).map(|outcome| match outcome {
        Outcome::Win(color) => format!("{color} has won"),
        _ => "a draw".to_owned(),
    });
    Report {
        position: rules.format_position(position),
        rules: rules.to_string(),
        to_move: position.to_move().letter().to_string(),
        value: value_of(answer.value),
        source: None,
        seats: None,
        captures: Some([("o", o), ("x", x)].into()),
        distance: answer.distance,
        best: answer.best_moves().iter().map(|m| rules.format_move(m.m)).collect(),
        moves: moves.collect(),
        engine: answer.engine.word().to_owned(),
        proved,
        nodes: answer.nodes,
        seconds: 0.0,
        over,
        diagram: rules.diagram(position),
    }
}

impl Game for Pente {
    type Position = Position;

    fn read(&self, text: &str) -> anyhow::Result<Position> {
        Ok(self.rules.parse_position(text)?)
    }

    fn solve(&mut self, position: &Position, question: &Question) -> anyhow::Result<Report> {
        let rules = self.rules;
        let mut solver = Solver::new(&rules, self.memory).context("not enough memory")?;
        let limits = Limits {
            nodes: u64::MAX,
            plies: question.depth.unwrap_or(Limits::default().plies),
            control: question.in_time(),
            distance: question.distance,
            every_move: true,
        };
        let answer = solver.solve(position, limits);
        if question.control.is_cancelled() {
            return Err(pentago::Stopped.into());
        }
        Ok(report(rules, &answer))
    }

    fn perft(&self, position: &Position, depth: u32) -> u64 {
        self.rules.perft(position, depth)
    }

    fn divide(&self, position: &Position, depth: u32) -> Vec<(String, u64)> {
        let Some(below) = depth.checked_sub(1) else { return Vec::new() };
        let count = |m| {
            let played = self.rules.play(position, m).ok()?;
            let count = if played.outcome.is_some() { 1 } else { self.rules.perft(&played.position, below) };
            Some((self.rules.format_move(m), count))
        };
        self.rules.moves(position).into_iter().filter_map(count).collect()
    }

    fn random(&self, draw: &Draw) -> anyhow::Result<Vec<String>> {
        let Draw { marbles, count, seed, quiet } = *draw;
        let positions = random::positions(&self.rules, Play::Uniform, marbles, count, seed, quiet);
        let positions = positions.map_err(|error| bad_input(error.to_string()))?;
        Ok(positions.iter().map(|p| self.rules.format_position(p)).collect())
    }

    fn symmetries(&self, position: &Position) -> Vec<(&'static str, u64, String, u64, u64)> {
        let all = self.rules.symmetries();
        let order = all.len() as u64;
        let same = all.iter().filter(|&&s| self.rules.image(position, s) == *position).count() as u64;
        let canonical = self.rules.format_position(&self.rules.canonical(position).0);
        vec![("board", order, canonical, order / same, same)]
    }

    fn prove(&self, position: &Position, question: &Question) -> anyhow::Result<Certificate> {
        if self.rules.outcome(position).is_some() {
            return Err(game_over());
        }
        let bytes = usize::try_from(self.memory / 2).unwrap_or(1 << 28);
        let mut forced = Forced::new(&self.rules, bytes);
        let control = question.in_time();
        let plies = question.depth.unwrap_or(MAX_PLIES).min(MAX_PLIES);
        // Narrow searches first: they are quick, and what they find is proved all the same.
        for (width, most) in
            [(Width::Threats, 25), (Width::Quiet(1), 11), (Width::Quiet(2), 9), (Width::Full, 9)]
        {
            let mut work = Budget::watched(u64::MAX, &control);
            match forced.certify(position, plies.min(most), width, &mut work) {
                Err(NoCertificate::Refuted) => {}
                found => return found.map_err(no_certificate),
            }
        }
        // Longer wins and those with more quiet moves were not looked for.
        Err(missing_data(format!(
            "no win was found by threats within {} plies, with one quiet move within {}, or by all moves \
             within {}: ask nearer to the end of the game",
            plies.min(25),
            plies.min(11),
            plies.min(9)
        ))
        .into())
    }
}
