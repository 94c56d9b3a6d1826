//! The answer for a position: its value and that of every move, as deep as memory and time allow,
//! on request with distances and a principal variation.
//!
//! If the full solution doesn't fit, *deepening* solves the position truncated at 1, 2, 3... plies:
//! a solution truncated at k plies proves wins and losses within k plies. Deepening also finds
//! distances: the distance of a decided move is the least k that decides it.

use super::solver::{RootedSolver, Solution, SolveError};
use crate::answer::{Answer, Estimate, MoveEval, Origin, Request, Value};
use crate::control::{Control, Stage};
use crate::rules::{Move, Position};
use std::time::Duration;

/// With this many marbles or more, a position of 36 sockets is solved completely or not at all,
/// unless a depth is requested.
const COMPLETE_MARBLES: u32 = 15;

/// Counts boards, reports the next stage, and knows when the time is up.
struct Work<'a> {
    solver: &'a mut RootedSolver,
    control: &'a Control,
    boards: u64,
    began: Option<Duration>,
    time: Option<Duration>,
}

impl Work<'_> {
    fn solve(&mut self, position: &Position, plies: usize) -> Result<Solution, SolveError> {
        let estimate = self.solver.estimate(position, plies);
        if estimate.bytes <= self.solver.memory() {
            let to_the_end = plies >= self.solver.all_plies(position);
            self.control.begin(Stage::rooted(estimate, to_the_end));
        }
        let solution = self.solver.solve(position, plies, self.control)?;
        self.boards += solution.boards;
        Ok(solution)
    }

    /// Whether a solution of `boards` boards can be expected to end in time, at the current rate.
    fn in_time(&self, boards: u64) -> bool {
        let Some(time) = self.time else { return true };
        let spent = self.solver.clock().since(self.began).as_secs_f64();
        // The first solutions are too small to tell a rate.
        let rate = self.boards.max(1) as f64 / spent.max(1e-3);
        let expected = if self.boards < 1_000_000 { 0.0 } else { boards as f64 / rate };
        spent + expected <= time.as_secs_f64()
    }
}

impl RootedSolver {
    /// Whether [`RootedSolver::answer`] runs a limited search if the full solution doesn't fit in
    /// memory.
    pub fn deepens(position: &Position) -> bool {
        position.board().marbles() < COMPLETE_MARBLES
    }

    /// Answers for a position. Each rooted solution is a stage of its own.
    ///
    /// # Errors
    /// If it was stopped, or takes more memory than it may. A position with fewer than 15 marbles
    /// whose full solution doesn't fit is deepened instead, unless the request is for the exact
    /// value.
    pub fn answer(
        &mut self,
        position: &Position,
        request: &Request,
        control: &Control,
    ) -> Result<Answer, SolveError> {
        let all = self.all_plies(position);
        let full = self.estimate(position, all);
        let memory = self.memory();
        let began = self.clock().now();
        let mut work = Work { solver: self, control, boards: 0, began, time: request.time };
        if work.solver.rules().outcome(position).is_some() {
            let solution = work.solve(position, all)?;
            let mut answer = finish(&solution, Vec::new(), 0, full, Vec::new());
            answer.distance = (request.distance && answer.value != Value::Draw).then_some(0);
            return Ok(answer);
        }
        let fits = full.bytes <= memory;
        let must_fit = request.exact || !RootedSolver::deepens(position);
        let solution = match request.depth {
            Some(depth) if !request.exact => work.solve(position, depth)?,
            _ if fits || must_fit => work.solve(position, all)?,
            _ => deepen(&mut work, position, all)?,
        };
        let mut distances = vec![None; solution.moves.len()];
        let mut line = Vec::new();
        if request.distance {
            distances = find_distances(&mut work, position, &solution)?;
            line = principal_variation(&mut work, &solution, &distances)?;
        }
        Ok(finish(&solution, distances, work.boards, full, line))
    }
}

/// Solutions truncated at 1, 2, 3... plies, until one decides the position or the next one would be
/// too
/// expensive.
fn deepen(work: &mut Work, position: &Position, all: usize) -> Result<Solution, SolveError> {
    let mut deepest = work.solve(position, 1)?;
    for plies in 2..=all {
        let estimate = work.solver.estimate(position, plies);
        let decided = matches!(deepest.value, Value::Win | Value::Loss | Value::Draw);
        if decided || estimate.bytes > work.solver.memory() || !work.in_time(estimate.boards) {
            break;
        }
        deepest = work.solve(position, plies)?;
    }
    Ok(deepest)
}

/// For each move that the solution decides, the least number of plies that decides it.
fn find_distances(
    work: &mut Work,
    position: &Position,
    solution: &Solution,
) -> Result<Vec<Option<usize>>, SolveError> {
    let decided = |value| matches!(value, Value::Win | Value::Loss);
    let mut distances: Vec<Option<usize>> = vec![None; solution.moves.len()];
    let open = |distances: &[Option<usize>]| {
        solution.moves.iter().zip(distances).any(|(m, d)| decided(m.value) && d.is_none())
    };
    for plies in 1..=solution.plies {
        if !open(&distances) {
            break;
        }
        // The last of them is the solution itself.
        let truncated = if plies == solution.plies { None } else { Some(work.solve(position, plies)?) };
        let moves = truncated.as_ref().map_or(&solution.moves, |t| &t.moves);
        for (m, distance) in moves.iter().zip(&mut distances) {
            if decided(m.value) && distance.is_none() {
                *distance = Some(plies);
            }
        }
    }
    Ok(distances)
}

/// The distance of a position from those of its moves: the winner hurries, the loser delays.
fn distance(value: Value, moves: &[MoveEval], distances: &[Option<usize>]) -> Option<usize> {
    let of_value = moves.iter().zip(distances).filter(|(m, _)| m.value == value).filter_map(|(_, d)| *d);
    match value {
        Value::Win => of_value.min(),
        Value::Loss => of_value.max(),
        Value::Draw | Value::Unknown => None,
    }
}

/// Best moves of both sides from a decided position to the end of the game.
fn principal_variation(
    work: &mut Work,
    solution: &Solution,
    distances: &[Option<usize>],
) -> Result<Vec<Move>, SolveError> {
    let mut line = Vec::new();
    let Some(mut left) = distance(solution.value, &solution.moves, distances) else { return Ok(line) };
    let best = |m: &(&MoveEval, &Option<usize>)| m.0.value == solution.value && *m.1 == Some(left);
    let Some((first, _)) = solution.moves.iter().zip(distances).find(best) else { return Ok(line) };
    line.push(first.mv);
    let mut position = first.position;
    let mut wins = solution.value != Value::Win;
    left -= 1;
    while left > 0 && work.solver.rules().outcome(&position).is_none() {
        // The winner takes a move that wins within the plies left, the loser one that one ply less
        // doesn't decide.
        let next = if wins {
            work.solve(&position, left)?.moves.into_iter().find(|m| m.value == Value::Win)
        } else if left == 1 {
            work.solve(&position, 1)?.moves.into_iter().next()
        } else {
            work.solve(&position, left - 1)?.moves.into_iter().find(|m| m.value != Value::Loss)
        };
        let Some(next) = next else { break };
        line.push(next.mv);
        position = next.position;
        wins = !wins;
        left -= 1;
    }
    Ok(line)
}

fn finish(
    solution: &Solution,
    distances: Vec<Option<usize>>,
    boards: u64,
    full: Estimate,
    line: Vec<Move>,
) -> Answer {
    let mut moves: Vec<MoveEval> = solution
        .moves
        .iter()
        .zip(&distances)
        .map(|(m, &distance)| MoveEval { distance, ..m.clone() })
        .collect();
    moves.sort_by_key(|m| {
        let distance = m.distance.unwrap_or(0) as i64;
        (m.value.rank(), if m.value == Value::Loss { -distance } else { distance })
    });
    let distance = distance(solution.value, &solution.moves, &distances);
    let is_best = |m: &&MoveEval| m.value == solution.value && m.distance == distance;
    let best = if solution.value == Value::Unknown { 0 } else { moves.iter().filter(is_best).count() };
    // Best moves lead the list: a value ranks before all that are worse.
    let origin = match solution.value {
        _ if solution.moves.is_empty() => Origin::Rules,
        Value::Unknown => Origin::open(solution.plies),
        _ => Origin::Solved,
    };
    Answer {
        value: solution.value,
        origin,
        distance,
        best,
        moves,
        plies: solution.plies,
        complete: solution.complete,
        boards,
        line,
        full,
    }
}
