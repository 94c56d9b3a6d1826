//! The answer for a position: its value and that of every move, as deep as memory and time allow,
//! on request with distances and a principal variation.
//!
//! If the full solution doesn't fit, *deepening* solves the position truncated at 1, 2, 3... plies:
//! a solution truncated at k plies proves wins and losses within k plies. Deepening also finds
//! distances: the distance of a decided move is the least k that decides it.

use super::solver::{RootedSolver, Solution, SolveError, best};
use crate::answer::{Answer, Estimate, MoveEval, Origin, Request, RuledOut, Value};
use crate::rules::{Move, Position};
use crate::solve::proof::{self, Growth, Limits, Verdict};
use pentago_base::{Control, Stage};
use std::time::Duration;

/// With this many marbles or more, a position of 36 sockets is solved completely or not at all,
/// unless a depth is requested.
const COMPLETE_MARBLES: u32 = 15;

/// Boards that proofs compute at most, where nothing else limits them: some ten seconds on two cores.
const PROOF_BOARDS: u64 = 2_000_000_000;
/// Boards for each second and thread where time limits them: more than there is time for.
const PROOF_BOARDS_A_SECOND: u64 = 300_000_000;
/// Positions whose full solution has fewer boards are solved at once: those with 18 or more
/// marbles, which takes half a second.
const SOLVED_AT_ONCE: u64 = 200_000_000;
/// Where the full solution fits, proofs may take this part of its boards: if they decide every
/// move, it isn't needed. Where they don't, they cost 2% or so.
const PROOF_SHARE: u64 = 64;

/// Counts boards, tells the caller what comes next, and knows when the time is up.
struct Work<'a> {
    solver: &'a mut RootedSolver,
    control: &'a Control,
    boards: u64,
    began: Option<Duration>,
    time: Option<Duration>,
    /// Boards of the full-width solutions, and the time that they took.
    full_width: (u64, Duration),
}

impl Work<'_> {
    fn solve(&mut self, position: &Position, plies: usize) -> Result<Solution, SolveError> {
        let estimate = self.solver.estimate(position, plies);
        if estimate.bytes <= self.solver.memory() {
            let to_the_end = plies >= self.solver.all_plies(position);
            self.control.begin(Stage::rooted(estimate, to_the_end));
        }
        let began = self.solver.clock().now();
        let solution = self.solver.solve(position, plies, self.control)?;
        self.boards += solution.boards;
        self.full_width.0 += solution.boards;
        self.full_width.1 += self.solver.clock().since(began);
        Ok(solution)
    }

    /// What proofs show of the position, in at most so many boards.
    fn prove(
        &mut self,
        position: &Position,
        request: &Request,
        most: u64,
    ) -> Result<Option<Verdict>, SolveError> {
        // Full width decides hardly anything that located proofs leave open (`benches/README.md`).
        let part = |time: Duration| if request.proofs_only { time } else { time.mul_f64(0.9) };
        let boards = match (request.proof_boards, request.time) {
            (Some(boards), _) => boards,
            (None, Some(time)) => {
                let seconds = time.as_secs().saturating_mul(self.solver.threads.get() as u64);
                PROOF_BOARDS.max(PROOF_BOARDS_A_SECOND.saturating_mul(seconds))
            }
            (None, None) => PROOF_BOARDS,
        };
        let boards = boards.min(most);
        if boards == 0 || request.depth.is_some() || request.exact {
            return Ok(None);
        }
        // What an earlier solution has left would come on top.
        self.solver.release();
        let limits = Limits {
            boards,
            end: self.began.zip(self.time).map(|(began, time)| began.saturating_add(part(time))),
            clock: self.solver.clock().clone(),
            memory: self.solver.memory(),
            every_move: most < u64::MAX,
            growth: Growth::default(),
        };
        self.control.begin(Stage::new("proofs", boards, 1));
        let RootedSolver { rules, kernel, threads, .. } = *self.solver;
        let verdict = proof::prove(rules, kernel, threads, position, limits, self.control)?;
        self.boards += verdict.boards;
        // Without memory for the smallest proof it says nothing, not even of one move.
        Ok(Some(verdict).filter(|verdict| !verdict.moves.is_empty()))
    }

    /// Whether a solution of so many boards can be expected to end in time, at the rate so far.
    fn in_time(&self, boards: u64) -> bool {
        let Some(time) = self.time else { return true };
        let spent = self.solver.clock().since(self.began).as_secs_f64();
        // The rate of proofs is another one. The first solutions are too small to tell theirs.
        let (done, took) = self.full_width;
        let rate = done.max(1) as f64 / took.as_secs_f64().max(1e-3);
        let expected = if done < 1_000_000 { 0.0 } else { boards as f64 / rate };
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
    /// Where the full solution doesn't fit, proofs come first, then solutions truncated at 1, 2,
    /// 3... plies. Where it fits, proofs stand in for it if they decide every move.
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
        let full_width = (0, Duration::ZERO);
        let mut work = Work { solver: self, control, boards: 0, began, time: request.time, full_width };
        if work.solver.rules().outcome(position).is_some() {
            let solution = work.solve(position, all)?;
            let mut answer = finish(&solution, Vec::new(), 0, full, Vec::new());
            answer.distance = (request.distance && answer.value != Value::Draw).then_some(0);
            return Ok(answer);
        }
        let fits = full.bytes <= memory;
        let must_fit = request.exact || !RootedSolver::deepens(position);
        let solves = fits || must_fit;
        let most = match solves {
            true if request.distance || full.boards < SOLVED_AT_ONCE => 0,
            true => full.boards / PROOF_SHARE,
            false => u64::MAX,
        };
        let verdict = work.prove(position, request, most)?;
        // A proof does where it decides every move, or where there is nothing better.
        let enough = |v: &Verdict| {
            let all = v.moves.iter().all(|m| m.value != Value::Unknown);
            all || !solves && v.value != Value::Unknown && !request.distance
        };
        let solution = match request.depth {
            Some(depth) if !request.exact => work.solve(position, depth)?,
            _ if let Some(verdict) = verdict.as_ref().filter(|_| !solves && request.proofs_only) => {
                proved(verdict)
            }
            _ if let Some(verdict) = verdict.as_ref().filter(|v| enough(v)) => proved(verdict),
            _ if solves => work.solve(position, all)?,
            _ => deepen(&mut work, position, all)?,
        };
        let (solution, origin) = merge(solution, verdict.as_ref());
        let mut distances = vec![None; solution.moves.len()];
        let mut line = Vec::new();
        if request.distance {
            distances = find_distances(&mut work, position, &solution)?;
            line = principal_variation(&mut work, &solution, &distances)?;
        }
        let mut answer = finish(&solution, distances, work.boards, full, line);
        if let Some(origin) = origin {
            answer.origin = origin;
        }
        if let Some(verdict) = verdict {
            answer.rule_out(verdict.ruled_out);
        }
        Ok(answer)
    }
}

/// What a proof shows, as a solution that didn't look full width.
fn proved(verdict: &Verdict) -> Solution {
    let complete = verdict.moves.iter().all(|m| m.value != Value::Unknown);
    Solution { value: verdict.value, moves: verdict.moves.clone(), plies: 0, complete, boards: 0 }
}

/// A solution with what proofs decide besides, and by which proof the position itself, if so.
fn merge(mut solution: Solution, verdict: Option<&Verdict>) -> (Solution, Option<Origin>) {
    let Some(verdict) = verdict else { return (solution, None) };
    for (solved, proved) in solution.moves.iter_mut().zip(&verdict.moves) {
        debug_assert_eq!(solved.mv, proved.mv);
        if solved.value == Value::Unknown && proved.value != Value::Unknown {
            *solved = proved.clone();
        }
        debug_assert!(
            proved.value == Value::Unknown || proved.value == solved.value,
            "{solved:?} {proved:?}"
        );
    }
    // Plies are those of a full-width solution.
    if solution.value != Value::Unknown && solution.plies > 0 {
        return (solution, None);
    }
    solution.value = best(&solution.moves);
    let is_proof = |m: &&MoveEval| m.value == solution.value && matches!(m.origin, Origin::Proof { .. });
    let within = |m: &&MoveEval| match m.origin {
        Origin::Proof { within, .. } => within,
        _ => 0,
    };
    let origin = match (verdict.value, solution.value) {
        (_, Value::Unknown) => None,
        (Value::Unknown, _) => {
            solution.moves.iter().filter(is_proof).max_by_key(within).map(|m| m.origin.clone())
        }
        _ => Some(verdict.origin.clone()),
    };
    (solution, origin)
}

/// Solutions truncated at 1, 2, 3... plies, until one decides the position or the next would take
/// too much.
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
    // What only a proof decides is farther away than the solution looked.
    let decided = |m: &MoveEval| {
        matches!(m.value, Value::Win | Value::Loss) && !matches!(m.origin, Origin::Proof { .. })
    };
    let mut distances: Vec<Option<usize>> = vec![None; solution.moves.len()];
    let open = |distances: &[Option<usize>]| {
        solution.moves.iter().zip(distances).any(|(m, d)| decided(m) && d.is_none())
    };
    for plies in 1..=solution.plies {
        if !open(&distances) {
            break;
        }
        // The last of them is the solution itself.
        let truncated = if plies == solution.plies { None } else { Some(work.solve(position, plies)?) };
        let moves = truncated.as_ref().map_or(&solution.moves, |t| &t.moves);
        for (m, distance) in moves.iter().zip(&mut distances) {
            if decided(m) && distance.is_none() {
                *distance = Some(plies);
            }
        }
    }
    Ok(distances)
}

/// The distance of a position from those of its moves: the winner hurries, the loser delays.
fn distance(value: Value, moves: &[MoveEval], distances: &[Option<usize>]) -> Option<usize> {
    let mut of_value = moves.iter().zip(distances).filter(|(m, _)| m.value == value).map(|(_, d)| *d);
    match value {
        // A win whose distance isn't known is farther away than those that are.
        Value::Win => of_value.flatten().min(),
        Value::Loss => of_value.try_fold(0, |most, d| Some(most.max(d?))),
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
    let moves = solution.moves.iter().zip(&distances);
    let moves = moves.map(|(m, &distance)| MoveEval { distance, ..m.clone() }).collect();
    let distance = distance(solution.value, &solution.moves, &distances);
    let origin = match solution.value {
        _ if solution.moves.is_empty() => Origin::Rules,
        Value::Unknown => Origin::open(RuledOut::within(solution.plies)),
        _ => Origin::Solved,
    };
    let mut answer = Answer {
        value: solution.value,
        origin,
        distance,
        best: 0,
        moves,
        plies: solution.plies,
        ruled_out: if solution.complete { RuledOut::default() } else { RuledOut::within(solution.plies) },
        complete: solution.complete,
        boards,
        line,
        full,
    };
    answer.order();
    answer
}
