//! The engines that compute: proofs, the full solution, and deepening.
//!
//! *Deepening* solves the position truncated at 1, 2, 3... plies: a solution truncated at k plies
//! proves wins and losses within k plies.

use super::policy::Engine;
use super::work::Work;
use super::{AskError, NotEnoughMemory, Question, distances};
use pentago_base::{Control, Stage};
use pentago_core::answer::{Answer, Estimate, MoveEval, Origin, RuledOut, Value};
use pentago_core::rules::{Move, Position};
use pentago_core::solve::proof::{self, Growth, Limits, Verdict};
use pentago_core::solve::{RootedSolver, Solution, SolveError};
use std::time::Duration;

/// Lets an engine answer for a position whose game is not over. Each solution and each proof is a
/// stage of `control`.
///
/// # Errors
/// If it was stopped, or takes more memory than it may.
pub(super) fn run(
    solver: &mut RootedSolver,
    question: &Question,
    full: Estimate,
    engine: Engine,
    control: &Control,
) -> Result<Answer, AskError> {
    let Question { position, request, .. } = *question;
    let mut work = Work::new(solver, control, request);
    let found = work.answer(position, full, engine);
    found.map_err(|error| match error {
        SolveError::Memory { .. } => NotEnoughMemory::of(solver, position, request).into(),
        other => other.into(),
    })
}

impl Work<'_> {
    fn answer(&mut self, position: &Position, full: Estimate, engine: Engine) -> Result<Answer, SolveError> {
        let all = self.solver.all_plies(position);
        let verdict = self.prove(position, engine)?;
        // A proof does where it decides every move, or where there is nothing better.
        let enough = verdict.as_ref().filter(|verdict| match engine {
            Engine::Proofs(_) => true,
            Engine::Deepening { .. } if verdict.value != Value::Unknown && !self.request.distance => true,
            _ => verdict.moves.iter().all(|m| m.value != Value::Unknown),
        });
        let solution = match (engine, enough) {
            (_, Some(verdict)) => proved(verdict),
            (Engine::Truncated(plies), _) => self.solve(position, plies)?,
            (Engine::Full { .. }, _) => self.solve(position, all)?,
            _ => deepen(self, position, all)?,
        };
        let (solution, origin) = merge(solution, verdict.as_ref());
        let mut distances = vec![None; solution.moves.len()];
        let mut line = Vec::new();
        if self.request.distance {
            distances = distances::of_moves(self, position, &solution)?;
            line = distances::principal_variation(self, &solution, &distances)?;
        }
        let mut answer = finish(&solution, distances, self.boards, full, line);
        if let Some(origin) = origin {
            answer.origin = origin;
        }
        if let Some(verdict) = verdict {
            answer.rule_out(verdict.ruled_out);
        }
        Ok(answer)
    }

    /// What proofs show of the position, as far as the engine makes any.
    fn prove(&mut self, position: &Position, engine: Engine) -> Result<Option<Verdict>, SolveError> {
        let boards = match engine {
            Engine::Full { proofs } | Engine::Deepening { proofs } | Engine::Proofs(proofs) => proofs,
            Engine::Truncated(_) | Engine::Stored(_) => 0,
        };
        if boards == 0 {
            return Ok(None);
        }
        // What an earlier solution has left would come on top.
        self.solver.release();
        // Full width decides hardly anything that located proofs leave open (`bench/README.md#when-proofs-are-asked`).
        let part = |time: Duration| if self.request.proofs_only { time } else { time.mul_f64(0.9) };
        let time = self.request.time.map(part);
        let limits = Limits {
            boards,
            end: self.began.zip(time).map(|(began, time)| began.saturating_add(time)),
            clock: self.solver.clock().clone(),
            memory: self.solver.memory(),
            every_move: matches!(engine, Engine::Full { .. }),
            growth: Growth::default(),
        };
        self.control.begin(Stage::new("proofs", boards, 1));
        let (rules, kernel, threads) = (self.solver.rules(), self.solver.kernel(), self.solver.threads());
        let verdict =
            proof::prove(rules, kernel, threads, position, limits, self.solver.kept(), self.control)?;
        self.boards += verdict.boards;
        // Without memory for the smallest proof it says nothing, not even of one move.
        Ok(Some(verdict).filter(|verdict| !verdict.moves.is_empty()))
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
    solution.value = Value::best_of(solution.moves.iter().map(|m| m.value)).unwrap_or(Value::Loss);
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

fn finish(
    solution: &Solution,
    distances: Vec<Option<usize>>,
    boards: u64,
    full: Estimate,
    line: Vec<Move>,
) -> Answer {
    let moves = solution.moves.iter().zip(&distances);
    let moves = moves.map(|(m, &distance)| MoveEval { distance, ..m.clone() }).collect();
    let distance = distances::distance(solution.value, &solution.moves, &distances);
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
        at_least: None,
        complete: solution.complete,
        boards,
        line,
        full,
    };
    answer.order();
    answer
}
