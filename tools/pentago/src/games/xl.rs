//! Pentago XL.

use std::time::Instant;

use anyhow::Context;
use pentago::Value;
use pentago_search::{Certificate, Goal, Side};
use pentago_xl::symmetry::Group;
use pentago_xl::{Bounds, Control, Duel, Kernel, Limits, Position, Request, Rules, Solver};

use super::report::{MoveReport, Report};
use super::{Draw, Game, Question, search};
use crate::exit::bad_input;

/// Moves of the forward searches for each second that may be spent.
const NODES_PER_SECOND: f64 = 500_000.0;
/// The most bytes of the table of forward searches.
const MOST_TABLE: u64 = 1 << 30;

/// The game, with what a solver may take.
pub struct Xl {
    rules: Rules,
    limits: Limits,
}

impl Xl {
    /// The game by these rules.
    pub fn new(rules: Rules, question: &Question) -> Xl {
        let nodes = (question.time.as_secs_f64() * NODES_PER_SECOND) as u64;
        let table = (question.memory / 8).clamp(1 << 12, MOST_TABLE);
        let limits = Limits {
            nodes: nodes.max(1),
            table_bytes: usize::try_from(table).unwrap_or(1 << 26),
            memory: question.memory.saturating_sub(table),
            ..Limits::default()
        };
        Xl { rules, limits }
    }
}

fn value_of(bounds: Bounds) -> Value {
    match bounds.value() {
        Some(pentago_xl::Value::Win) => Value::Win,
        Some(pentago_xl::Value::Draw) => Value::Draw,
        Some(pentago_xl::Value::Loss) => Value::Loss,
        None => Value::Unknown,
    }
}

impl Game for Xl {
    type Position = Position;

    fn read(&self, text: &str) -> anyhow::Result<Position> {
        Ok(self.rules.parse_position(text).map_err(|error| bad_input(error.to_string()))?)
    }

    fn solve(&mut self, position: &Position, question: &Question) -> anyhow::Result<Report> {
        let rules = self.rules;
        let mut solver = Solver::new(rules, self.limits, Kernel::best()).context("not enough memory")?;
        let win_within = Some(question.depth.unwrap_or(5));
        let request = Request { moves: true, distance: question.distance, win_within, ..Request::default() };
        let control = Control::new();
        let answer = stopped_in_time(question, &control, || solver.solve(position, &request, &control));
        let answer = answer.map_err(|error| bad_input(error.to_string()))?;
        if question.control.is_cancelled() {
            return Err(pentago::control::Cancelled.into());
        }
        let mover = position.to_move;
        let seats = rules.everyone().iter().map(|seat| (seat.to_string(), value_of(answer.of(seat)).name()));
        let value = value_of(answer.of(mover));
        let mut proved = Vec::new();
        if let Some(plies) = answer.no_win_within {
            proved.push(format!("no forced win within {plies} plies"));
        }
        let moves = answer.moves.iter().map(|m| MoveReport {
            text: rules.format_move(m.m),
            value: value_of(m.bounds),
            distance: m.plies,
            position: rules
                .play(position, m.m)
                .map_or_else(|_| String::new(), |p| rules.format_position(&p.position)),
        });
        Ok(Report {
            position: rules.format_position(position),
            rules: rules.to_string(),
            to_move: mover.letter().to_string(),
            value,
            seats: Some(seats.collect()),
            captures: None,
            distance: answer.plies,
            best: answer.best_moves().into_iter().map(|m| rules.format_move(m)).collect(),
            moves: moves.collect(),
            engine: answer.engine.name().to_owned(),
            proved,
            nodes: answer.nodes,
            seconds: 0.0,
            over: answer.outcome.as_ref().map(ToString::to_string),
            diagram: rules.diagram(position),
        })
    }

    fn perft(&self, position: &Position, depth: u32) -> u64 {
        self.rules.perft(position, depth)
    }

    fn divide(&self, position: &Position, depth: u32) -> Vec<(String, u64)> {
        let Some(below) = depth.checked_sub(1) else { return Vec::new() };
        let count = |m| {
            let played = self.rules.play(position, m).ok()?;
            let over = self.rules.outcome(&played.position).is_some();
            Some((
                self.rules.format_move(m),
                if over { 1 } else { self.rules.perft(&played.position, below) },
            ))
        };
        self.rules.moves(position).into_iter().filter_map(count).collect()
    }

    fn random(&self, draw: &Draw) -> anyhow::Result<Vec<String>> {
        let positions = self.rules.random_positions(draw.marbles, draw.count, draw.seed, draw.quiet);
        let positions = positions.map_err(|error| bad_input(error.to_string()))?;
        Ok(positions.iter().map(|p| self.rules.format_position(p)).collect())
    }

    fn symmetries(&self, position: &Position) -> Vec<(&'static str, u64, String, u64, u64)> {
        let group = |(name, group): (&'static str, Group)| {
            let canonical = self.rules.format_position(&group.canonical(position));
            (name, group.order(), canonical, group.orbit_size(position), group.stabiliser_size(position))
        };
        [("board", Group::WholeBoard), ("board with turns of its blocks", Group::WithBlocks)]
            .map(group)
            .to_vec()
    }

    fn prove(&self, position: &Position, question: &Question) -> anyhow::Result<Certificate> {
        let side = self.rules.side_of(position.to_move);
        let duel = Duel::new(self.rules, *position, side, Kernel::best());
        let mut duel = duel.ok_or_else(|| bad_input("there is no proof with continue=yes"))?;
        search(&mut duel, Goal::win(Side::First), question)
    }
}

/// Runs a solution, and stops it when the time is up or the program is to end.
fn stopped_in_time<T: Send>(question: &Question, control: &Control, work: impl FnOnce() -> T + Send) -> T {
    let began = Instant::now();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Acquire) {
                if began.elapsed() > question.time || question.control.is_cancelled() {
                    control.cancel();
                }
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
        });
        let result = work();
        done.store(true, std::sync::atomic::Ordering::Release);
        result
    })
}
