//! Pentago XL.

use anyhow::Context;
use pentago::Value;
use pentago_search::{Certificate, Goal, Side};
use pentago_xl::symmetry::Group;
use pentago_xl::{Bounds, Duel, Kernel, Limits, Moment, PendingTurn, Played, Request, Rules, Solver, Turn};

use super::report::{MoveReport, Report};
use super::{Draw, Game, Question, game_over, search};
use crate::exit::bad_input;

/// Moves of the forward searches for each second that may be spent.
const NODES_PER_SECOND: f64 = 500_000.0;
/// The most bytes of the table of forward searches.
const MOST_TABLE: u64 = 1 << 30;

/// The game, with what a solver may take.
pub struct Xl {
    rules: Rules,
    limits: Limits,
    kernel: Kernel,
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
        // Both games have kernels of the same names.
        let kernel = question.kernel.and_then(|kernel| kernel.to_string().parse().ok());
        Xl { rules, limits, kernel: kernel.unwrap_or_else(Kernel::best) }
    }

    /// Its rules.
    pub fn rules(&self) -> Rules {
        self.rules
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

impl Xl {
    fn solver(&self) -> anyhow::Result<Solver> {
        Solver::new(self.rules, self.limits, self.kernel).context("not enough memory")
    }

    /// What is known about a position whose turn is pending.
    fn solve_turn(&self, pending: &PendingTurn, question: &Question) -> anyhow::Result<Report> {
        let rules = self.rules;
        let request = Request { distance: question.distance, ..Request::default() };
        let answer = self.solver()?.solve_turn(pending, &request, &question.in_time());
        let answer = answer.map_err(|error| bad_input(error.to_string()))?;
        not_cancelled(question)?;
        let mover = pending.placed().to_move;
        let seats = rules.everyone().iter().map(|seat| (seat.to_string(), value_of(answer.of(seat)).name()));
        let moves = answer.turns.iter().map(|m| MoveReport {
            text: rules.format_turn(m.turn),
            value: value_of(m.bounds),
            source: None,
            distance: m.plies.filter(|_| question.distance),
            position: rules.format_position(&rules.turn(pending, m.turn).position),
        });
        Ok(Report {
            position: rules.format_moment(&Moment::Turn(*pending)),
            rules: rules.to_string(),
            to_move: mover.letter().to_string(),
            value: value_of(answer.of(mover)),
            source: None,
            seats: Some(seats.collect()),
            captures: None,
            distance: answer.plies,
            best: answer.best_turns().into_iter().map(|turn| rules.format_turn(turn)).collect(),
            moves: moves.collect(),
            engine: answer.engine.name().to_owned(),
            proved: Vec::new(),
            nodes: answer.nodes,
            seconds: 0.0,
            over: None,
            diagram: rules.diagram(pending.placed()),
        })
    }
}

/// An error if the program is to end.
fn not_cancelled(question: &Question) -> anyhow::Result<()> {
    if question.control.is_cancelled() { Err(pentago::Stopped.into()) } else { Ok(()) }
}

impl Game for Xl {
    type Position = Moment;

    fn read(&self, text: &str) -> anyhow::Result<Moment> {
        Ok(self.rules.parse_moment(text)?)
    }

    fn solve(&mut self, moment: &Moment, question: &Question) -> anyhow::Result<Report> {
        let position = match moment {
            Moment::Move(position) => position,
            Moment::Turn(pending) => return self.solve_turn(pending, question),
        };
        let rules = self.rules;
        let mut solver = self.solver()?;
        let win_within = Some(question.depth.unwrap_or(5));
        let request = Request { moves: true, distance: question.distance, win_within, ..Request::default() };
        let answer = solver.solve(position, &request, &question.in_time());
        let answer = answer.map_err(|error| bad_input(error.to_string()))?;
        not_cancelled(question)?;
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
            source: None,
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
            source: None,
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

    fn perft(&self, moment: &Moment, depth: u32) -> u64 {
        match moment {
            Moment::Move(position) => self.rules.perft(position, depth),
            Moment::Turn(_) if depth == 0 => 1,
            Moment::Turn(_) => self.divide(moment, depth).iter().map(|(_, count)| count).sum(),
        }
    }

    fn divide(&self, moment: &Moment, depth: u32) -> Vec<(String, u64)> {
        let Some(below) = depth.checked_sub(1) else { return Vec::new() };
        let rules = &self.rules;
        let count = |played: Played| {
            if played.outcome.is_some() { 1 } else { rules.perft(&played.position, below) }
        };
        match moment {
            Moment::Move(p) => {
                let played = |m| Some((rules.format_move(m), count(rules.play(p, m).ok()?)));
                rules.moves(p).into_iter().filter_map(played).collect()
            }
            Moment::Turn(pending) => {
                Turn::all().map(|turn| (rules.format_turn(turn), count(rules.turn(pending, turn)))).collect()
            }
        }
    }

    fn random(&self, draw: &Draw) -> anyhow::Result<Vec<String>> {
        let positions = self.rules.random_positions(draw.marbles, draw.count, draw.seed, draw.quiet);
        let positions = positions.map_err(|error| bad_input(error.to_string()))?;
        Ok(positions.iter().map(|p| self.rules.format_position(p)).collect())
    }

    fn symmetries(&self, moment: &Moment) -> Vec<(&'static str, u64, String, u64, u64)> {
        let position = moment.board();
        let turn = if matches!(moment, Moment::Turn(_)) { " turn" } else { "" };
        let group = |(name, group): (&'static str, Group)| {
            let canonical = self.rules.format_position(&group.canonical(position)) + turn;
            (name, group.order(), canonical, group.orbit_size(position), group.stabiliser_size(position))
        };
        [("board", Group::WholeBoard), ("board with turns of its blocks", Group::WithBlocks)]
            .map(group)
            .to_vec()
    }

    fn prove(&self, moment: &Moment, question: &Question) -> anyhow::Result<Certificate> {
        let Moment::Move(position) = moment else {
            return Err(bad_input("the turn is pending: give a position between two moves").into());
        };
        if self.rules.outcome(position).is_some() {
            return Err(game_over());
        }
        let side = self.rules.side_of(position.to_move);
        let duel = Duel::new(self.rules, *position, side, self.kernel);
        let mut duel = duel.ok_or_else(|| bad_input("there is no proof with continue=yes"))?;
        search(&mut duel, Goal::win(Side::First), question)
    }
}
