//! The state of a search: the question, the solver, and the work so far.

use pentago_base::{Control, Stage};
use pentago_core::answer::Question;
use pentago_core::rules::Position;
use pentago_core::solve::{RootedSolver, Solution, SolveError};
#[cfg(feature = "tables")]
use pentago_tables::probe::Tables;
use std::time::Duration;

/// The search for the answer to one question.
pub struct Search<'a> {
    pub(super) position: &'a Position,
    pub(super) question: &'a Question,
    pub(super) solver: &'a mut RootedSolver,
    pub(super) control: &'a Control,
    #[cfg(feature = "tables")]
    pub(super) stored: Stored<'a>,
    /// The number of boards computed so far.
    pub(super) boards: u64,
    /// The time on the clock at which an engine began to compute.
    pub(super) began: Option<Duration>,
    /// The control of the engine: a part of `control` that ends at the time limit.
    pub(super) part: Control,
}

/// The tables that a search consults before it computes anything.
#[cfg(feature = "tables")]
#[derive(Clone, Copy, Debug, Default)]
pub enum Stored<'a> {
    /// No tables.
    #[default]
    Nothing,
    /// The published values of the first plies ([`Tables::with_openings`]). Only positions of at
    /// most 6 marbles are looked up, and only if the question sets no depth and does not require an
    /// exact solution.
    Openings(&'a Tables),
    /// Tables that are consulted for every position. Each value that stays unknown reports the
    /// table that is missing.
    Tables(&'a Tables),
}

impl<'a> Search<'a> {
    /// Prepares a search without tables. `control` can cancel the search, and reports each solution
    /// and each proof as a stage of the work.
    pub fn new(
        position: &'a Position,
        question: &'a Question,
        solver: &'a mut RootedSolver,
        control: &'a Control,
    ) -> Search<'a> {
        Search {
            position,
            question,
            solver,
            control,
            #[cfg(feature = "tables")]
            stored: Stored::Nothing,
            boards: 0,
            began: None,
            part: control.clone(),
        }
    }

    /// Sets the tables to consult.
    #[cfg(feature = "tables")]
    #[must_use]
    pub fn with(self, stored: Stored<'a>) -> Search<'a> {
        Search { stored, ..self }
    }

    /// Computes the solution of a position, truncated at a depth in plies. Returns
    /// `SolveError::Stopped` at the time limit, too.
    pub(super) fn solve(&mut self, position: &Position, plies: usize) -> Result<Solution, SolveError> {
        let estimate = self.solver.estimate(position, plies);
        if estimate.bytes <= self.solver.memory {
            let to_the_end = plies >= self.solver.all_plies(position);
            self.control.begin(Stage::rooted(estimate, to_the_end));
        }
        let solution = self.solver.solve(position, plies, &self.part)?;
        self.boards += solution.boards;
        Ok(solution)
    }

    /// Returns `None` instead of `SolveError::Stopped` if the time limit, and not the caller,
    /// stopped the work.
    pub(super) fn unless_late<T>(&self, done: Result<T, SolveError>) -> Result<Option<T>, SolveError> {
        match done {
            Err(SolveError::Stopped(_)) if !self.control.is_cancelled() => Ok(None),
            done => done.map(Some),
        }
    }

    /// Returns `true` if a solution of `boards` boards would probably finish before the time limit.
    pub(super) fn in_time(&self, boards: u64) -> bool {
        let Some((time, began)) = self.question.time.zip(self.began) else { return true };
        let left = time.saturating_sub(self.solver.clock.since(Some(began)));
        self.solver.seconds(boards) <= left.as_secs_f64()
    }
}
