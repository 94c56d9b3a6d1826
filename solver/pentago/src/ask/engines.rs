//! The engines that compute: proofs, the full solution, and deepening.
//!
//! *Deepening* computes solutions that are truncated at 1, 2, 3... plies. A solution truncated at k
//! plies proves wins and losses within k plies.

use super::distances;
use super::policy::Engine;
use super::search::Search;
use crate::error::{Error, ErrorKind, NotEnoughMemory};
use pentago_base::{Stage, Stopped, counted};
use pentago_core::answer::{Answer, Estimate, MoveEval, Origin, RuledOut, Value};
use pentago_core::rules::Move;
use pentago_core::solve::proof::{self, Limits, Verdict};
use pentago_core::solve::{Solution, SolveError};
use std::mem::replace;
use std::time::Duration;

impl Search<'_> {
    /// Runs an engine on the position, whose game is not over.
    ///
    /// # Errors
    /// If the search was cancelled, or if the solution exceeds the memory limit.
    pub(super) fn run(&mut self, full: Estimate, engine: Engine) -> Result<Answer, Error> {
        self.began = self.solver.clock.now();
        let unlimited =
            self.question.finish.is_some() && matches!(engine, Engine::Full { .. } | Engine::Truncated(_));
        // Reserve a twentieth of the time for the guess.
        let time = self.question.time.map(|time| time.mul_f64(0.95));
        let end = self.began.zip(time).filter(|_| !unlimited);
        self.part =
            self.control.until(&self.solver.clock, end.map(|(began, time)| began.saturating_add(time)));
        let computed = self.compute(full, engine, unlimited);
        match self.unless_late(computed) {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err(self.too_late(full)),
            Err(SolveError::Memory { .. }) => Err(self.what_fits().into()),
            Err(other) => Err(other.into()),
        }
    }

    /// Returns the error for an exact question whose full solution exceeds the time limit.
    fn too_late(&self, full: Estimate) -> Error {
        let time = self.question.time.unwrap_or_default().as_secs_f64();
        let text = format!(
            "the full solution computes {}, which takes about {}, but the time limit is {time} s: raise \
             the time limit, or don't ask for an exact value",
            counted(full.boards, "board"),
            counted(self.solver.seconds(full.boards).ceil() as u64, "second")
        );
        Error::new(ErrorKind::Missing, text)
    }

    /// Estimates the solution that the question requires, and the deepest solution that fits in
    /// memory.
    fn what_fits(&self) -> NotEnoughMemory {
        let estimate = |plies| self.solver.estimate(self.position, plies);
        let (all, limit) = (self.solver.all_plies(self.position), self.solver.memory);
        let depth = self.question.depth.filter(|_| !self.question.exact);
        let plies = depth.map_or(all, |plies| plies as usize);
        NotEnoughMemory {
            asked: estimate(plies),
            full: plies >= all,
            limit,
            fits: (1..plies.min(all)).rev().map(estimate).find(|estimate| estimate.bytes <= limit),
        }
    }

    /// Runs an engine. `unlimited` is `true` if the engine's solution may exceed the time limit.
    fn compute(&mut self, full: Estimate, engine: Engine, unlimited: bool) -> Result<Answer, SolveError> {
        let position = self.position;
        let all = self.solver.all_plies(position);
        let verdict = self.verdict(engine)?;
        // The proofs suffice if they decide every move, or if the engine can find nothing better.
        let enough = verdict.as_ref().filter(|verdict| match engine {
            Engine::Proofs(_) => true,
            Engine::Deepening { .. } if verdict.value != Value::Unknown && !self.question.distance => true,
            _ => verdict.moves.iter().all(|m| m.value != Value::Unknown),
        });
        let solution = match (engine, enough) {
            (_, Some(verdict)) => proved(verdict),
            (Engine::Truncated(plies), _) => self.reach(plies, unlimited)?,
            (Engine::Full { .. }, _) => self.reach(all, unlimited)?,
            _ => self.deepen(all)?,
        };
        let (solution, origin) = merge(solution, verdict.as_ref());
        let mut distances = vec![None; solution.moves.len()];
        let mut line = Vec::new();
        if self.question.distance {
            distances = distances::of_moves(self, &solution)?;
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

    /// Searches for proofs. Returns `None` if the engine makes no proofs.
    fn verdict(&mut self, engine: Engine) -> Result<Option<Verdict>, SolveError> {
        let boards = match engine {
            Engine::Full { proofs } | Engine::Deepening { proofs } | Engine::Proofs(proofs) => proofs,
            Engine::Truncated(_) | Engine::Stored(_) => 0,
        };
        if boards == 0 {
            return Ok(None);
        }
        // Free the memory of an earlier solution, because the proofs need memory of their own.
        self.solver.release();
        // Deepening decides almost nothing that the proofs leave undecided, so reserve only a tenth
        // of the time for it (`bench/README.md#when-proofs-are-asked`).
        let part = |time: Duration| if self.question.proofs_only { time } else { time.mul_f64(0.9) };
        let time = self.question.time.map(part);
        let limits = Limits {
            boards,
            end: self.began.zip(time).map(|(began, time)| began.saturating_add(time)),
            clock: self.solver.clock.clone(),
            memory: self.solver.memory,
            every_move: matches!(engine, Engine::Full { .. }),
        };
        self.control.begin(Stage::new("proofs", boards, 1));
        let (rules, kernel, threads) = (self.solver.rules, self.solver.kernel, self.solver.threads);
        let kept = self.solver.kept.as_deref();
        let verdict = proof::prove(rules, kernel, threads, self.position, limits, kept, self.control)?;
        self.boards += verdict.boards;
        // The verdict has no moves if not even the smallest proof fits in memory.
        Ok(Some(verdict).filter(|verdict| !verdict.moves.is_empty()))
    }

    /// Computes the solution truncated at `plies` plies. If this solution exceeds the time limit,
    /// or would probably exceed it, computes solutions of 1, 2, 3... plies instead. For an exact
    /// question, returns `SolveError::Stopped` in this case. With `unlimited`, there is no time
    /// limit.
    fn reach(&mut self, plies: usize, unlimited: bool) -> Result<Solution, SolveError> {
        let boards = self.solver.estimate(self.position, plies).boards;
        if unlimited || self.in_time(boards) {
            let solved = self.solve(self.position, plies);
            if let Some(solution) = self.unless_late(solved)? {
                return Ok(solution);
            }
        }
        if self.question.exact { Err(Stopped.into()) } else { self.deepen(plies) }
    }

    /// Computes solutions truncated at 1, 2, 3... plies, until the value is decided or the next
    /// solution would exceed the memory or the time limit. Returns the deepest solution.
    fn deepen(&mut self, most: usize) -> Result<Solution, SolveError> {
        // A solution of one ply takes at most milliseconds, so it ignores the time limit.
        let part = replace(&mut self.part, self.control.clone());
        let mut deepest = self.solve(self.position, 1)?;
        self.part = part;
        for plies in 2..=most {
            let estimate = self.solver.estimate(self.position, plies);
            let decided = deepest.value != Value::Unknown;
            if decided || estimate.bytes > self.solver.memory || !self.in_time(estimate.boards) {
                break;
            }
            let deeper = self.solve(self.position, plies);
            let Some(deeper) = self.unless_late(deeper)? else { break };
            deepest = deeper;
        }
        Ok(deepest)
    }
}

/// Returns the result of proofs as a solution of depth 0.
fn proved(verdict: &Verdict) -> Solution {
    let complete = verdict.moves.iter().all(|m| m.value != Value::Unknown);
    Solution { value: verdict.value, moves: verdict.moves.clone(), plies: 0, complete, boards: 0 }
}

/// Adds the values that proofs decided to a solution. Also returns the origin of the position's
/// value if a proof decided this value, and `None` otherwise.
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
    // The solution itself decided the position, so no proof is the origin of its value.
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

/// Converts a solution to an answer.
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
        moves,
        plies: solution.plies,
        ruled_out: if solution.complete { RuledOut::default() } else { RuledOut::within(solution.plies) },
        complete: solution.complete,
        boards,
        line,
        full,
        ..Answer::default()
    };
    answer.order();
    answer
}
