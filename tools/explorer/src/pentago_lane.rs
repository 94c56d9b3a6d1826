//! How a position of Pentago is answered: from tables where they hold everything, by a small
//! solution in one thread, or by a large one that waits for its turn.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use pentago::Control;
use pentago::Kernel;
use pentago::answer::{Answer, Request};
use pentago::probe::{Ask, ProbeError, Tables};
use pentago::rules::{Position, Rules};
use pentago::solve::{RootedSolver, SolveError, board_count};
use pentago_report::Report;

use crate::failure::Failure;

/// Positions with more boards than this below them are large: solving others takes milliseconds.
const MOST_BOARDS: u128 = 1_000_000;

/// A position of Pentago, and what it is answered with.
pub(crate) struct Job<'a> {
    pub rules: Rules,
    pub position: Position,
    pub distance: bool,
    pub tables: &'a Tables,
    pub kernel: Kernel,
    pub threads: NonZeroUsize,
    pub memory: u64,
    pub time: Duration,
}

/// An answer as it is kept.
pub(crate) struct Found {
    /// The JSON object.
    pub json: String,
    /// Nothing in it is unknown: it holds for ever.
    pub complete: bool,
    /// Boards that were computed for it.
    pub boards: u64,
}

impl Job<'_> {
    fn request(&self) -> Request {
        Request { distance: self.distance, time: Some(self.time), ..Request::default() }
    }

    fn solver(&self) -> RootedSolver {
        RootedSolver::new(self.rules, self.kernel, self.threads, self.memory)
    }

    /// The answer, if nothing large is to be solved for it.
    ///
    /// # Errors
    /// If it was stopped, or a table is damaged.
    pub fn small(&self, control: &Control) -> Result<Option<Found>, Failure> {
        let began = Instant::now();
        let mut solver = self.solver();
        let full = solver.estimate(&self.position, usize::MAX);
        if self.rules.outcome(&self.position).is_none() {
            let nothing = || Err(Failure::Stopped);
            if !self.distance {
                let ask = Ask { full, memory: None, distances: false };
                let answer = self.tables.answer(&self.rules, &self.position, ask, nothing);
                let answer = answer.map_err(probe_failure)?;
                if answer.complete {
                    return Ok(Some(self.found(&answer, began)));
                }
            }
            let free = self.position.free().len();
            if board_count(free, solver.all_plies(&self.position)) > MOST_BOARDS {
                return Ok(None);
            }
        }
        let (request, memory) = (self.request(), solver.memory());
        let solve = || solver.answer(&self.position, &request, control).map_err(solve_failure);
        let ask = Ask { full, memory: Some(memory), distances: self.distance };
        let answer = self.tables.answer(&self.rules, &self.position, ask, solve);
        Ok(Some(self.found(&answer.map_err(probe_failure)?, began)))
    }

    /// The answer, whatever it takes.
    ///
    /// # Errors
    /// If it was stopped, a table is damaged, or there is no memory.
    pub fn large(&self, pool: &rayon::ThreadPool, control: &Control) -> Result<Found, Failure> {
        let began = Instant::now();
        let mut solver = self.solver();
        let full = solver.estimate(&self.position, usize::MAX);
        let (request, memory) = (self.request(), solver.memory());
        let solve = || {
            let work = || solver.answer(&self.position, &request, control);
            pool.install(work).map_err(solve_failure)
        };
        let ask = Ask { full, memory: Some(memory), distances: self.distance };
        let answer = self.tables.answer(&self.rules, &self.position, ask, solve);
        Ok(self.found(&answer.map_err(probe_failure)?, began))
    }

    fn found(&self, answer: &Answer, began: Instant) -> Found {
        let (rules, request, time) = (&self.rules, self.request(), began.elapsed());
        let report = Report::new(rules, &self.position, &request, answer, time, self.kernel, true);
        let json = serde_json::to_string(&report).expect("plain data becomes JSON");
        Found { json, complete: answer.complete, boards: answer.boards }
    }
}

fn solve_failure(error: SolveError) -> Failure {
    match error {
        SolveError::Stopped(_) => Failure::Stopped,
        SolveError::Shape => Failure::input(error.to_string()),
        other => Failure::Machine(other.to_string()),
    }
}

fn probe_failure(error: ProbeError<Failure>) -> Failure {
    match error {
        ProbeError::Solve(failure) => failure,
        ProbeError::Table(error) => Failure::Internal(error.to_string()),
        ProbeError::Contradiction(error) => Failure::Internal(error.to_string()),
    }
}
