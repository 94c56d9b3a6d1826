//! The whole answer for a position: its value and that of every move, as deep as memory and time allow, with distances
//! and a principal variation where they are asked for.
//!
//! Where the full solution doesn't fit, *deepening* solves the position truncated at 1, 2, 3... plies: a solution truncated
//! at k plies proves what is won or lost within k plies. The same repetition finds the distances: the distance of a
//! decided move is the least k that decides it.

use super::solver::{Estimate, MoveValue, Solution, SolveError, Solver, Value};
use crate::rules::{Move, Position};
use crate::solve::Control;
use std::time::{Duration, Instant};

/// From so many marbles on a position of 36 sockets is solved completely or not at all, unless a depth is asked for.
const COMPLETE_MARBLES: u32 = 15;

/// What is asked for besides the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Look ahead so many plies and no further.
    pub depth: Option<usize>,
    /// Only the full solution will do.
    pub exact: bool,
    /// Find distances and the principal variation.
    pub distance: bool,
    /// Begin no deeper solution that is expected to end later than this.
    pub time: Option<Duration>,
}

/// A legal move with what it is worth to the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Valued {
    /// The move.
    pub mv: Move,
    /// The position that it leads to.
    pub position: Position,
    /// What the mover gets by it.
    pub value: Value,
    /// For a win or loss, if asked for: plies to the end of the game, this move included, when the winner hurries and the
    /// loser delays.
    pub distance: Option<usize>,
}

/// The answer for one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The value for the side to move.
    pub value: Value,
    /// For a win or loss, if asked for: plies to the end of the game.
    pub distance: Option<usize>,
    /// Every legal move, best first; none where the game is over.
    pub moves: Vec<Valued>,
    /// How many of them are best: as good as the position is, as far as was looked ahead. None where that is unknown.
    pub best: usize,
    /// How many plies were looked ahead.
    pub plies: usize,
    /// To the end of the game: nothing is unknown.
    pub complete: bool,
    /// Boards computed for the answer, repetitions included.
    pub boards: u64,
    /// Best moves of both sides to the end of the game, where a distance was asked for and found.
    pub line: Vec<Move>,
    /// What the full solution takes.
    pub full: Estimate,
}

/// Counts boards, tells the caller what comes next, and knows when the time is up.
struct Work<'a> {
    solver: &'a mut Solver,
    control: &'a Control,
    stage: &'a mut dyn FnMut(Estimate),
    boards: u64,
    began: Instant,
    time: Option<Duration>,
}

impl Work<'_> {
    fn solve(&mut self, position: &Position, plies: usize) -> Result<Solution, SolveError> {
        let estimate = self.solver.estimate(position, plies);
        if estimate.bytes <= self.solver.memory() {
            (self.stage)(estimate);
        }
        let solution = self.solver.solve(position, plies, self.control)?;
        self.boards += solution.boards;
        Ok(solution)
    }

    /// Whether a solution of so many boards can be expected to end in time, at the rate so far.
    fn in_time(&self, boards: u64) -> bool {
        let Some(time) = self.time else { return true };
        let spent = self.began.elapsed().as_secs_f64();
        // The first solutions are too small to tell a rate.
        let rate = self.boards.max(1) as f64 / spent.max(1e-3);
        let expected = if self.boards < 1_000_000 { 0.0 } else { boards as f64 / rate };
        spent + expected <= time.as_secs_f64()
    }
}

impl Solver {
    /// Whether [`Solver::answer`] looks some plies ahead in a position whose full solution doesn't fit in memory.
    pub fn deepens(position: &Position) -> bool {
        position.board().marbles() < COMPLETE_MARBLES
    }

    /// Answers for a position. `stage` is called before each rooted solution with what it takes.
    ///
    /// # Errors
    /// If it was stopped, or takes more memory than it may. A position with fewer than 15 marbles whose full solution
    /// doesn't fit is deepened instead, unless the request is for the exact value.
    pub fn answer(
        &mut self,
        position: &Position,
        request: &Request,
        control: &Control,
        stage: &mut dyn FnMut(Estimate),
    ) -> Result<Answer, SolveError> {
        let all = self.all_plies(position);
        let full = self.estimate(position, all);
        let memory = self.memory();
        let began = Instant::now();
        let mut work = Work { solver: self, control, stage, boards: 0, began, time: request.time };
        if work.solver.rules().outcome(position).is_some() {
            let solution = work.solve(position, all)?;
            let mut answer = finish(&solution, Vec::new(), 0, full, Vec::new());
            answer.distance = (request.distance && answer.value != Value::Draw).then_some(0);
            return Ok(answer);
        }
        let fits = full.bytes <= memory;
        let must_fit = request.exact || !Solver::deepens(position);
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

/// Solutions truncated at 1, 2, 3... plies, until one decides the position or the next would take too much.
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
fn distance(value: Value, moves: &[MoveValue], distances: &[Option<usize>]) -> Option<usize> {
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
    let best = |m: &(&MoveValue, &Option<usize>)| m.0.value == solution.value && *m.1 == Some(left);
    let Some((first, _)) = solution.moves.iter().zip(distances).find(best) else { return Ok(line) };
    line.push(first.mv);
    let mut position = first.position;
    let mut wins = solution.value != Value::Win;
    left -= 1;
    while left > 0 && work.solver.rules().outcome(&position).is_none() {
        // The winner takes a move that wins within the plies left, the loser one that one ply less doesn't decide.
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
    let mut moves: Vec<Valued> = solution
        .moves
        .iter()
        .zip(&distances)
        .map(|(m, &distance)| Valued { mv: m.mv, position: m.position, value: m.value, distance })
        .collect();
    moves.sort_by_key(|m| {
        let distance = m.distance.unwrap_or(0) as i64;
        (m.value.rank(), if m.value == Value::Loss { -distance } else { distance })
    });
    let distance = distance(solution.value, &solution.moves, &distances);
    let is_best = |m: &&Valued| m.value == solution.value && m.distance == distance;
    let best = if solution.value == Value::Unknown { 0 } else { moves.iter().filter(is_best).count() };
    // Best moves lead the list: a value ranks before all that are worse.
    Answer {
        value: solution.value,
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
