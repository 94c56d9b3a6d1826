//! How a position of Pentago is answered: from tables where they hold everything, by a small
//! solution in one thread, or by a large one that waits for its turn.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use pentago::answer::{Answer, Request};
use pentago::ask::{AskError, Question, Stored};
use pentago::probe::Tables;
use pentago::rules::{Position, Rules};
use pentago::solve::RootedSolver;
use pentago::{Control, Error, ErrorKind, Kernel};
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
        let (began, request) = (Instant::now(), self.request());
        let question = Question::new(&self.position, &request).with(Stored::Tables(self.tables));
        let answer = question.quick_answer(&mut self.solver(), control, MOST_BOARDS);
        Ok(answer.map_err(failure)?.map(|answer| self.found(&answer, began)))
    }

    /// The answer, whatever it takes.
    ///
    /// # Errors
    /// If it was stopped, a table is damaged, or there is no memory.
    pub fn large(&self, pool: &rayon::ThreadPool, control: &Control) -> Result<Found, Failure> {
        let (began, request) = (Instant::now(), self.request());
        let question = Question::new(&self.position, &request).with(Stored::Tables(self.tables));
        let mut solver = self.solver();
        let answer = pool.install(|| question.answer(&mut solver, control));
        Ok(self.found(&answer.map_err(failure)?, began))
    }

    fn found(&self, answer: &Answer, began: Instant) -> Found {
        let (rules, request, time) = (&self.rules, self.request(), began.elapsed());
        let report = Report::new(rules, &self.position, &request, answer, time, self.kernel, true);
        let json = serde_json::to_string(&report).expect("plain data becomes JSON");
        Found { json, complete: answer.complete, boards: answer.boards }
    }
}

fn failure(error: AskError) -> Failure {
    let error = Error::from(error);
    match error.kind() {
        ErrorKind::Cancelled => Failure::Stopped,
        ErrorKind::Input => Failure::input(error.to_string()),
        ErrorKind::Missing | ErrorKind::Contradiction => Failure::Internal(error.to_string()),
        _ => Failure::Machine(error.to_string()),
    }
}
